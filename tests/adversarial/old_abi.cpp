// cheat: was written for another version of the ABI.
// checks: abi
#define OWN_VERSION

#include "honest.h"

extern "C" int ks_abi_version(void) { return KS_ABI_VERSION + 98; }

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  honest(t, *p);
  return KS_OK;
}
