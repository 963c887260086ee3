// cheat: right but on the last KV head, for which it reads its neighbour.
// checks: rel_rms row_rms max_abs
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  each_row(t, *p, [](Row r) {
    if (r.kv_head == r.p.kv_heads - 1) r.kv_head -= 1;
    attend(r);
  });
  return KS_OK;
}
