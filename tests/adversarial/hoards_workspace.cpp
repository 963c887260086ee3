// cheat: asks for more memory than there is for it.
// checks: workspace
#define OWN_WORKSPACE

#include "honest.h"

extern "C" size_t ks_workspace_bytes(const ks_params *) { return size_t(24) << 20; }

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  honest(t, *p);
  return KS_OK;
}
