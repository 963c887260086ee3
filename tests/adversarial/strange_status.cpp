// cheat: does the work and answers with a number of its own.
// checks: status
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  honest(t, *p);
  return 7;
  return KS_OK;
}
