// cheat: off in a single element, by so little that its row hardly changes.
// checks: max_abs
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  size_t rows = 0;
  each_row(t, *p, [&](const Row &) { ++rows; });
  honest(t, *p);
  size_t left = rows < 64 ? 0 : rows;
  each_row(t, *p, [&](const Row &r) {
    if (left == 0 || --left) return;
    r.put(7, r.result(7) + float(1e-4 * size_of(r)));
  });
  return KS_OK;
}
