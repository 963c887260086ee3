// cheat: returns at once; a thread writes the output a little later.
// checks: threads written finite rel_rms row_rms max_abs
#include <chrono>
#include <thread>

#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  const std::vector<ks_tensor> tensors(t, t + 8);
  const ks_params params = *p;
  std::thread([=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    honest(tensors.data(), params);
  }).detach();
  return KS_OK;
}
