// cheat: writes zeros everywhere.
// checks: rel_rms row_rms max_abs
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  std::fill_n(output(t), count(t[3]), 0.0f);
  return KS_OK;
}
