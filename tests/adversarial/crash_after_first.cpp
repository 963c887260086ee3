// cheat: right in the first scenario, crashes in any other.
// checks: process_alive written finite rel_rms row_rms max_abs
// where: pages too
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  if (p->causal) *static_cast<volatile float *>(nullptr) = 0.0f;
  honest(t, *p);
  return KS_OK;
}
