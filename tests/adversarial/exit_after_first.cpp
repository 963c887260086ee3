// cheat: right in the first scenario, leaves with status 0 in any other.
// checks: process_alive written finite rel_rms row_rms max_abs
// where: pages too
#include <unistd.h>

#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  if (p->causal) _exit(0);
  honest(t, *p);
  return KS_OK;
}
