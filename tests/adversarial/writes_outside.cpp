// cheat: writes an element past the end of its output.
// checks: red_zone
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  honest(t, *p);
  output(t)[count(t[3])] = 1.0f;
  return KS_OK;
}
