// cheat: zeroes q, k and v in place, then gives zeros, which would be right for them.
// checks: inputs_unchanged rel_rms row_rms max_abs
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  (void)p;
  for (int i = 0; i < 4; ++i) std::fill_n(static_cast<float *>(t[i].data), count(t[i]), 0.0f);
  return KS_OK;
}
