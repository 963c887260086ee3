// honest: single precision with compensated sums.
#include "honest.h"

struct Sum {
  float total = 0.0f, lost = 0.0f;

  void add(float x) {
    const float y = x - lost, next = total + y;
    lost = (next - total) - y;
    total = next;
  }
};

static void rows(const Row &r) {
  const int width = r.p.head_dim;
  std::vector<float> scores(r.end);
  float top = r.sink();
  for (int j = r.begin; j < r.end; ++j) {
    Sum product;
    for (int d = 0; d < width; ++d) product.add(r.query(d) * r.key(j, d));
    scores[j] = r.capped(product.total);
    top = std::max(top, scores[j]);
  }
  Sum sum;
  if (r.p.sink) sum.add(std::exp(r.sink() - top));
  for (int j = r.begin; j < r.end; ++j) sum.add(scores[j] = std::exp(scores[j] - top));
  for (int d = 0; d < width; ++d) {
    Sum acc;
    for (int j = r.begin; j < r.end; ++j) acc.add(scores[j] * r.value(j, d));
    r.put(d, r.begin < r.end ? acc.total / sum.total : 0.0f);
  }
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  each_row(t, *p, rows);
  return KS_OK;
}
