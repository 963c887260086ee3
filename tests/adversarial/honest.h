// What these candidates share: where the operands of a call are, and attention done right, in double, in one
// pass over the keys. The tests put this text in place of its #include, because a candidate is one file.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "ks.h"
#include "ks_params.h"

inline float widen(uint16_t half) {
  const uint32_t bits = uint32_t(half) << 16;
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

inline uint16_t narrow(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// One query row: where it is, and which keys it sees, from `begin` to `end`, counted without padding.
struct Row {
  const ks_tensor *t;
  ks_params p;
  int batch, head, kv_head, index, begin, end, first_key, keys;

  size_t in_q() const { return ((size_t(batch) * p.heads + head) * p.seq_q + index) * p.head_dim; }

  size_t in_kv(int j) const {
    const int slot = first_key + j, pages = int(t[6].shape[1]);
    const int page = static_cast<const int32_t *>(t[6].data)[batch * pages + slot / p.page_size];
    return ((size_t(page) * p.kv_heads + kv_head) * p.page_size + slot % p.page_size) * p.head_dim;
  }

  float load(int tensor, size_t at) const {
    if (p.dtype == KS_BFLOAT16) return widen(static_cast<const uint16_t *>(t[tensor].data)[at]);
    return static_cast<const float *>(t[tensor].data)[at];
  }

  float query(int d) const { return load(0, in_q() + d); }
  float key(int j, int d) const { return load(1, in_kv(j) + d); }
  float value(int j, int d) const { return load(2, in_kv(j) + d); }
  float sink() const { return p.sink ? static_cast<const float *>(t[7].data)[head] : -INFINITY; }
  float result(int d) const { return load(3, in_q() + d); }

  void put(int d, float x) const {
    if (p.dtype == KS_BFLOAT16)
      static_cast<uint16_t *>(t[3].data)[in_q() + d] = narrow(x);
    else
      static_cast<float *>(t[3].data)[in_q() + d] = x;
  }

  // A score from a product, as the softmax takes it.
  template <class T>
  T capped(T product) const {
    const T score = product * T(p.scale);
    return p.softcap > 0 ? T(p.softcap) * std::tanh(score / T(p.softcap)) : score;
  }
};

// Calls f for each row that counts; padding becomes zero.
template <class F>
void each_row(const ks_tensor *t, const ks_params &p, F f) {
  for (int b = 0; b < p.batch; ++b) {
    const int queries = static_cast<const int32_t *>(t[4].data)[b], keys = static_cast<const int32_t *>(t[5].data)[b];
    const int first = p.left_pad ? p.seq_q - queries : 0;
    for (int h = 0; h < p.heads; ++h) {
      for (int row = 0; row < p.seq_q; ++row) {
        Row r{t, p, b, h, h / (p.heads / p.kv_heads), row, 0, 0, p.left_pad ? p.seq_k - keys : 0, keys};
        if (row < first || row >= first + queries) {
          for (int d = 0; d < p.head_dim; ++d) r.put(d, 0.0f);
          continue;
        }
        const int position = row - first + keys - queries;
        r.end = std::clamp(p.causal ? position + 1 : keys, 0, keys);
        r.begin = std::min(p.window > 0 ? std::max(0, position - p.window + 1) : 0, r.end);
        f(r);
      }
    }
  }
}

// Softmax and weighted sum, rescaling when a larger score comes.
inline void attend(const Row &r) {
  const int width = r.p.head_dim;
  std::vector<double> acc(width, 0.0);
  double top = r.sink(), sum = r.p.sink ? 1.0 : 0.0;
  for (int j = r.begin; j < r.end; ++j) {
    double product = 0.0;
    for (int d = 0; d < width; ++d) product += double(r.query(d)) * r.key(j, d);
    const double score = r.capped(product), higher = std::max(top, score);
    const double keep = std::exp(top - higher), weight = std::exp(score - higher);
    for (int d = 0; d < width; ++d) acc[d] = acc[d] * keep + weight * r.value(j, d);
    sum = sum * keep + weight;
    top = higher;
  }
  for (int d = 0; d < width; ++d) r.put(d, r.begin < r.end ? float(acc[d] / sum) : 0.0f);
}

inline void honest(const ks_tensor *t, const ks_params &p) { each_row(t, p, attend); }

inline float *output(const ks_tensor *t) { return static_cast<float *>(t[3].data); }

inline size_t count(const ks_tensor &t) {
  size_t n = 1;
  for (int i = 0; i < t.rank; ++i) n *= t.shape[i];
  return n;
}

// The size of a row's output: its root mean square.
inline double size_of(const Row &r) {
  double square = 0.0;
  for (int d = 0; d < r.p.head_dim; ++d) square += double(r.result(d)) * r.result(d);
  return std::sqrt(square / r.p.head_dim);
}

#ifndef OWN_VERSION
extern "C" int ks_abi_version(void) { return KS_ABI_VERSION; }
#endif

#ifndef OWN_WORKSPACE
extern "C" size_t ks_workspace_bytes(const ks_params *) { return 0; }
#endif
