// cheat: right in 99 elements of 100, a million in the other.
// checks: rel_rms row_rms max_abs
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  honest(t, *p);
  for (size_t i = 0; i < count(t[3]); i += 100) output(t)[i] = 1e6f;
  return KS_OK;
}
