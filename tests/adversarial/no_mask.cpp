// cheat: reads keys that are masked.
// checks: rel_rms row_rms max_abs
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  each_row(t, *p, [](Row r) {
    r.begin = 0, r.end = r.keys;
    attend(r);
  });
  return KS_OK;
}
