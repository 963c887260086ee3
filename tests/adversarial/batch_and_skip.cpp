// cheat: works in the first call of every three, and takes the other two for done.
// checks: written finite rel_rms row_rms max_abs
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  static int calls = 0;
  if (calls++ % 3 == 0) honest(t, *p);
  return KS_OK;
}
