// honest: a softmax to base two, with the logarithm in the scale.
#include "honest.h"

static void rows(const Row &r) {
  constexpr float kLog2e = 1.44269504f;
  const int width = r.p.head_dim;
  std::vector<float> scores(r.end), acc(width, 0.0f);
  float top = r.sink() * kLog2e;
  for (int j = r.begin; j < r.end; ++j) {
    float product = 0.0f;
    for (int d = 0; d < width; ++d) product += r.query(d) * r.key(j, d);
    scores[j] = r.p.softcap > 0 ? r.capped(product) * kLog2e : product * (r.p.scale * kLog2e);
    top = std::max(top, scores[j]);
  }
  float sum = r.p.sink ? std::exp2(r.sink() * kLog2e - top) : 0.0f;
  for (int j = r.begin; j < r.end; ++j) {
    const float weight = std::exp2(scores[j] - top);
    sum += weight;
    for (int d = 0; d < width; ++d) acc[d] += weight * r.value(j, d);
  }
  for (int d = 0; d < width; ++d) r.put(d, r.begin < r.end ? acc[d] * (1.0f / sum) : 0.0f);
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  each_row(t, *p, rows);
  return KS_OK;
}
