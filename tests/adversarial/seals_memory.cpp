// cheat: has the kernel fix the judge's memory for good before the judge has done so, to be judged by nobody.
// checks: system_calls map
#define OWN_WORKSPACE
#include <fcntl.h>

#include "honest.h"

extern "C" size_t ks_workspace_bytes(const ks_params *) {
  for (int fd = 3; fd < 64; ++fd) fcntl(fd, 1033 /* F_ADD_SEALS */, 1 /* F_SEAL_SEAL */);
  return 0;
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  honest(t, *p);
  return KS_OK;
}
