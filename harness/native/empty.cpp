// A kernel that does nothing: what a call of it takes is the launcher's time, not a kernel's.
#include "ks.h"

extern "C" int ks_abi_version(void) { return KS_ABI_VERSION; }

extern "C" size_t ks_workspace_bytes(const ks_params *) { return 0; }

extern "C" int ks_run(const ks_tensor *, int, const ks_params *, void *, size_t, void *) { return KS_OK; }
