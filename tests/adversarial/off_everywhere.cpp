// cheat: off by a little in every element, within what a row and an element may be off by.
// checks: rel_rms
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  honest(t, *p);
  each_row(t, *p, [](const Row &r) {
    const double off = 1.6e-5 * size_of(r);
    for (int d = 0; d < r.p.head_dim; ++d) r.put(d, r.result(d) + float(d % 2 ? off : -off));
  });
  return KS_OK;
}
