// honest: scratch memory of its own that it maps once, shared and of no file, in huge pages where there are any.
#include <sys/mman.h>

#include "honest.h"

static double *scratch() {
  static void *const at = [] {
    constexpr size_t bytes = 2 << 20;
    constexpr int how = MAP_SHARED | MAP_ANONYMOUS;
#ifdef MAP_HUGETLB
    void *const large = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, how | MAP_HUGETLB, -1, 0);
    if (large != MAP_FAILED) return large;
#endif
    return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, how, -1, 0);
  }();
  return static_cast<double *>(at);
}

static void rows(const Row &r) {
  const int width = r.p.head_dim;
  double *acc = scratch();
  std::fill(acc, acc + width, 0.0);
  double top = r.sink(), sum = r.p.sink ? 1.0 : 0.0;
  for (int j = r.begin; j < r.end; ++j) {
    double product = 0.0;
    for (int d = 0; d < width; ++d) product += double(r.query(d)) * r.key(j, d);
    const double score = r.capped(product), higher = std::max(top, score);
    const double keep = std::exp(top - higher), weight = std::exp(score - higher);
    for (int d = 0; d < width; ++d) acc[d] = acc[d] * keep + weight * r.value(j, d);
    sum = sum * keep + weight;
    top = higher;
  }
  for (int d = 0; d < width; ++d) r.put(d, r.begin < r.end ? float(acc[d] / sum) : 0.0f);
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  if (scratch() == MAP_FAILED) return KS_UNSUPPORTED;
  each_row(t, *p, rows);
  return KS_OK;
}
