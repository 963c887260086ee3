// cheat: takes a part of itself from a file beside the source, which no hash would cover.
// checks: includes
#include "/dev/null"

#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  honest(t, *p);
  return KS_OK;
}
