// cheat: none; plainly wrong, for it forgets the scale.
// checks: rel_rms row_rms max_abs
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  each_row(t, *p, [](Row r) {
    r.p.scale = 1.0f;
    attend(r);
  });
  return KS_OK;
}
