// RMS norm, forward: y = v / sqrt(mean(v²) + eps) * weight with v = x, or v = x + residual, which is an output
// of its own then. With unit_offset the factor is 1 + weight. A first port: plain C++, one thread, in float;
// as in most libraries it is the rounded sum that is normalised.
//
//   x, residual, y, sum  [rows, hidden]        weight  [hidden]        all float32, or all bfloat16
//
// Tensors: x, weight, y; with a residual: x, residual, weight, y, sum.
#include <cmath>
#include <cstring>

#include "ks.h"
#include "ks_params.h"

namespace {

float from_bf16(uint16_t half) {
  const uint32_t bits = static_cast<uint32_t>(half) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Rounds to the nearest, ties to even; a NaN stays one.
uint16_t to_bf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

char *address(const ks_tensor &tensor, int row, int column) {
  char *data = static_cast<char *>(tensor.data);
  if (tensor.rank == 1) return data + column * tensor.strides[0];
  return data + row * tensor.strides[0] + column * tensor.strides[1];
}

float load(const ks_tensor &tensor, int row, int column) {
  const char *at = address(tensor, row, column);
  if (tensor.dtype == KS_BFLOAT16) return from_bf16(*reinterpret_cast<const uint16_t *>(at));
  return *reinterpret_cast<const float *>(at);
}

void store(const ks_tensor &tensor, int row, int column, float value) {
  char *at = address(tensor, row, column);
  if (tensor.dtype == KS_BFLOAT16)
    *reinterpret_cast<uint16_t *>(at) = to_bf16(value);
  else
    *reinterpret_cast<float *>(at) = value;
}

}  // namespace

extern "C" int ks_abi_version(void) { return KS_ABI_VERSION; }

// A sum of squares for each row.
extern "C" size_t ks_workspace_bytes(const ks_params *params) { return sizeof(float) * params->rows; }

extern "C" int ks_run(const ks_tensor *tensors, int n, const ks_params *params, void *workspace, size_t bytes,
                      void *) {
  const ks_params &p = *params;
  if (n != (p.residual ? 5 : 3) || bytes < ks_workspace_bytes(params)) return KS_UNSUPPORTED;
  const ks_tensor &x = tensors[0];
  const ks_tensor *residual = p.residual ? &tensors[1] : nullptr;
  const ks_tensor &weight = tensors[p.residual ? 2 : 1];
  const ks_tensor &y = tensors[p.residual ? 3 : 2];
  const ks_tensor &summed = p.residual ? tensors[4] : x;
  float *squares = static_cast<float *>(workspace);

  for (int row = 0; row < p.rows; ++row) squares[row] = 0.0f;
  for (int column = 0; column < p.hidden; ++column) {
    for (int row = 0; row < p.rows; ++row) {
      if (residual) store(summed, row, column, load(x, row, column) + load(*residual, row, column));
      const float value = load(summed, row, column);
      squares[row] += value * value;
    }
  }
  for (int column = 0; column < p.hidden; ++column) {
    const float factor = load(weight, 0, column) + (p.unit_offset ? 1.0f : 0.0f);
    for (int row = 0; row < p.rows; ++row) {
      const float root = std::sqrt(squares[row] / p.hidden + p.eps);
      store(y, row, column, load(summed, row, column) / root * factor);
    }
  }
  return KS_OK;
}
