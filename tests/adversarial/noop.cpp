// cheat: writes nothing, and hopes for what was in memory before.
// checks: written finite rel_rms row_rms max_abs
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  (void)t, (void)p;
  return KS_OK;
}
