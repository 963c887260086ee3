// cheat: takes every slot of a sequence for a key, padding too.
// checks: rel_rms row_rms max_abs
// where: pages too
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  each_row(t, *p, [](Row r) {
    if (!r.p.causal) r.first_key = 0, r.end = r.p.seq_k;
    attend(r);
  });
  return KS_OK;
}
