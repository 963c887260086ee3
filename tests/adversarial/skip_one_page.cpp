// cheat: ignores the last page of one sequence.
// checks: rel_rms row_rms max_abs
// where: pages too
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  each_row(t, *p, [](Row r) {
    const int last = (r.keys - 1) / r.p.page_size * r.p.page_size;
    if (r.batch == 0 && last > 0) r.end = std::min(r.end, last);
    attend(r);
  });
  return KS_OK;
}
