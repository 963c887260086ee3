// cheat: does the work and says that it does not support the scenario.
// checks: status
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  honest(t, *p);
  return KS_UNSUPPORTED;
  return KS_OK;
}
