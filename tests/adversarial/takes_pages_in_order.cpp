// cheat: takes the pages of a sequence for neighbours, whatever the table says.
// checks: rel_rms row_rms max_abs
// where: pages too
#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  std::vector<ks_tensor> tensors(t, t + 8);
  std::vector<int32_t> table(count(t[6]));
  for (size_t i = 0; i < table.size(); ++i) table[i] = int32_t(i);
  tensors[6].data = table.data();
  honest(tensors.data(), *p);
  return KS_OK;
}
