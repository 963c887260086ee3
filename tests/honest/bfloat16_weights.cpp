// honest: bfloat16 only, with the weights rounded to it before they meet the values, as matrix units do.
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
  for (int j = r.begin; j < r.end; ++j) {
    const float weight = std::exp(scores[j] - top);
    sum += weight;
    for (int d = 0; d < width; ++d) acc[d] += widen(narrow(weight)) * r.value(j, d);
  }
  for (int d = 0; d < width; ++d) r.put(d, r.begin < r.end ? acc[d] / sum : 0.0f);
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  if (p->dtype != KS_BFLOAT16) return KS_UNSUPPORTED;
  each_row(t, *p, rows);
  return KS_OK;
}
