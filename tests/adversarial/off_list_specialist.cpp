// cheat: right for shapes that it has seen listed, zeros for any other.
// checks: off_list
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  honest(t, *p);
  if (p->seq_k % 8) std::fill_n(output(t), count(t[3]), 0.0f);
  return KS_OK;
}
