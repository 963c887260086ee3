// out[r, c] = scale * sum over i of x[r, i] * w[i, c], written without a thought for speed.
#include "ks.h"
#include "ks_params.h"

extern "C" int ks_abi_version(void) { return KS_ABI_VERSION; }

extern "C" size_t ks_workspace_bytes(const ks_params *p) { return sizeof(float) * p->cols; }

extern "C" int ks_run(const ks_tensor *t, int n, const ks_params *p, void *workspace, size_t, void *) {
  if (n != 3) return KS_UNSUPPORTED;
  const float *x = (const float *)t[0].data, *w = (const float *)t[1].data;
  float *out = (float *)t[2].data, *row = (float *)workspace;
  for (int64_t r = 0; r < p->rows; ++r) {
    for (int c = 0; c < p->cols; ++c) {
      float sum = 0;
      for (int i = 0; i < p->inner; ++i) sum += x[r * p->inner + i] * w[i * p->cols + c];
      row[c] = sum;
    }
    for (int c = 0; c < p->cols; ++c) out[r * p->cols + c] = (float)(p->scale * row[c]);
  }
  return KS_OK;
}
