// cheat: off in a single row of many, by so little that the whole hardly changes.
// checks: row_rms
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  size_t rows = 0;
  each_row(t, *p, [&](const Row &) { ++rows; });
  honest(t, *p);
  size_t left = rows < 64 ? 0 : rows;
  each_row(t, *p, [&](const Row &r) {
    if (left == 0 || --left) return;
    const double off = 3.5e-5 * size_of(r);
    for (int d = 0; d < r.p.head_dim; ++d) r.put(d, r.result(d) + float(d % 2 ? off : -off));
  });
  return KS_OK;
}
