// cheat: right while its process is young; does half later, when it is timed.
// checks: rel_rms row_rms max_abs
// when: timed
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  static int calls = 0;
  honest(t, *p);
  if (++calls > 6) std::fill_n(output(t), count(t[3]) / 2, 0.0f);
  return KS_OK;
}
