// honest: single precision, tiles of 32 keys, rescaled once a tile.
#include "honest.h"

static void rows(const Row &r) {
  constexpr int kTile = 32;
  const int width = r.p.head_dim;
  std::vector<float> acc(width, 0.0f);
  float top = r.sink(), sum = r.p.sink ? 1.0f : 0.0f, scores[kTile];
  for (int first = r.begin; first < r.end; first += kTile) {
    const int keys = std::min(kTile, r.end - first);
    float higher = top;
    for (int j = 0; j < keys; ++j) {
      float product = 0.0f;
      for (int d = 0; d < width; ++d) product += r.query(d) * r.key(first + j, d);
      scores[j] = r.capped(product);
      higher = std::max(higher, scores[j]);
    }
    const float keep = std::exp(top - higher);
    for (float &x : acc) x *= keep;
    sum *= keep;
    for (int j = 0; j < keys; ++j) {
      const float weight = std::exp(scores[j] - higher);
      sum += weight;
      for (int d = 0; d < width; ++d) acc[d] += weight * r.value(first + j, d);
    }
    top = higher;
  }
  for (int d = 0; d < width; ++d) r.put(d, r.begin < r.end ? acc[d] / sum : 0.0f);
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  each_row(t, *p, rows);
  return KS_OK;
}
