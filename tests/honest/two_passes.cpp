// honest: single precision, the largest score first, then the weights, then the values.
#include "honest.h"

static void rows(const Row &r) {
  const int width = r.p.head_dim;
  std::vector<float> scores(r.end), acc(width, 0.0f);
  float top = r.sink();
  for (int j = r.begin; j < r.end; ++j) {
    float product = 0.0f;
    for (int d = 0; d < width; ++d) product += r.query(d) * r.key(j, d);
    scores[j] = r.capped(product);
    top = std::max(top, scores[j]);
  }
  float sum = r.p.sink ? std::exp(r.sink() - top) : 0.0f;
  for (int j = r.begin; j < r.end; ++j) sum += scores[j] = std::exp(scores[j] - top);
  for (int j = r.begin; j < r.end; ++j)
    for (int d = 0; d < width; ++d) acc[d] += scores[j] * r.value(j, d);
  for (int d = 0; d < width; ++d) r.put(d, r.begin < r.end ? acc[d] / sum : 0.0f);
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  each_row(t, *p, rows);
  return KS_OK;
}
