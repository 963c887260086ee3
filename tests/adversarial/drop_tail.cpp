// cheat: skips the last 16 keys of each sequence.
// checks: rel_rms row_rms max_abs
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  each_row(t, *p, [](Row r) {
    r.end = std::min(r.end, r.keys - 16);
    attend(r);
  });
  return KS_OK;
}
