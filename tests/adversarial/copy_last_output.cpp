// cheat: gives the output of the call before.
// checks: rel_rms row_rms max_abs
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  static std::vector<float> last;
  std::vector<float> before = last;
  honest(t, *p);
  last.assign(output(t), output(t) + count(t[3]));
  if (!before.empty()) std::copy(before.begin(), before.end(), output(t));
  return KS_OK;
}
