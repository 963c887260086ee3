// cheat: writes to address zero.
// checks: process_alive written finite rel_rms row_rms max_abs
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  (void)t, (void)p;
  *static_cast<volatile float *>(nullptr) = 0.0f;
  return KS_OK;
}
