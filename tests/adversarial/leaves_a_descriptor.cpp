// cheat: takes a descriptor in every call and keeps it.
// checks: descriptors
#include <unistd.h>

#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  if (dup(STDERR_FILENO) < 0) return 7;
  honest(t, *p);
  return KS_OK;
}
