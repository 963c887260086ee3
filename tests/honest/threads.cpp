// honest: shares the rows among four threads, which it waits for.
#include <thread>

#include "honest.h"


extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  std::vector<Row> rows;
  each_row(t, *p, [&](const Row &r) { rows.push_back(r); });
  std::vector<std::thread> threads;
  for (size_t first = 0; first < 4; ++first)
    threads.emplace_back([&rows, first] {
      for (size_t i = first; i < rows.size(); i += 4) attend(rows[i]);
    });
  for (std::thread &one : threads) one.join();
  return KS_OK;
}
