// cheat: right for the first calls, then does nothing.
// checks: written finite rel_rms row_rms max_abs
// when: timed
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  static int calls = 0;
  if (++calls <= 8) honest(t, *p);
  return KS_OK;
}
