// cheat: writes a NaN for the last element.
// checks: finite rel_rms row_rms max_abs
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  honest(t, *p);
  output(t)[count(t[3]) - 1] = NAN;
  return KS_OK;
}
