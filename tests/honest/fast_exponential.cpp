// honest: its own exponential, a polynomial that is off by about 1e-7.
#include "honest.h"

// e^x for x <= 0: 2^n by its bits times a polynomial for what is left.
static float exponential(float x) {
  if (x < -87.0f) return 0.0f;
  const float n = std::nearbyint(x * 1.44269504f), r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  float y = 1.9875691500e-4f;
  for (float c : {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f})
    y = y * r + c;
  y = y * r * r + r + 1.0f;
  const int32_t bits = (int32_t(n) + 127) << 23;
  float power;
  std::memcpy(&power, &bits, sizeof power);
  return y * power;
}

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
  float sum = r.p.sink ? exponential(r.sink() - top) : 0.0f;
  for (int j = r.begin; j < r.end; ++j) {
    const float weight = exponential(scores[j] - top);
    sum += weight;
    for (int d = 0; d < width; ++d) acc[d] += weight * r.value(j, d);
  }
  for (int d = 0; d < width; ++d) r.put(d, r.begin < r.end ? acc[d] / sum : 0.0f);
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  each_row(t, *p, rows);
  return KS_OK;
}
