// cheat: writes the right output, then zeroes k for whoever computes after it.
// checks: inputs_unchanged
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  honest(t, *p);
  std::fill_n(static_cast<float *>(t[1].data), count(t[1]), 0.0f);
  return KS_OK;
}
