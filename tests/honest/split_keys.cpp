// honest: halves the keys until few are left, and merges the halves.
#include "honest.h"

// The output of some keys without its division, and what it has to be divided by, at the scale of `top`.
struct Part {
  float top, sum;
  std::vector<float> acc;
};

static Part merge(const Part &a, const Part &b) {
  const float top = std::max(a.top, b.top), of_a = std::exp(a.top - top), of_b = std::exp(b.top - top);
  Part whole{top, a.sum * of_a + b.sum * of_b, a.acc};
  for (size_t d = 0; d < a.acc.size(); ++d) whole.acc[d] = a.acc[d] * of_a + b.acc[d] * of_b;
  return whole;
}

static Part part(const Row &r, int begin, int end) {
  const int width = r.p.head_dim;
  if (end - begin > 7) {
    const int middle = begin + (end - begin) / 2;
    return merge(part(r, begin, middle), part(r, middle, end));
  }
  std::vector<float> scores(end - begin);
  Part whole{-INFINITY, 0.0f, std::vector<float>(width, 0.0f)};
  for (int j = begin; j < end; ++j) {
    float product = 0.0f;
    for (int d = 0; d < width; ++d) product += r.query(d) * r.key(j, d);
    scores[j - begin] = r.capped(product);
    whole.top = std::max(whole.top, scores[j - begin]);
  }
  for (int j = begin; j < end; ++j) {
    const float weight = std::exp(scores[j - begin] - whole.top);
    whole.sum += weight;
    for (int d = 0; d < width; ++d) whole.acc[d] += weight * r.value(j, d);
  }
  return whole;
}

static void rows(const Row &r) {
  const int width = r.p.head_dim;
  if (r.begin == r.end) {
    for (int d = 0; d < width; ++d) r.put(d, 0.0f);
    return;
  }
  Part whole = part(r, r.begin, r.end);
  if (r.p.sink) whole = merge(whole, {r.sink(), 1.0f, std::vector<float>(width, 0.0f)});
  for (int d = 0; d < width; ++d) r.put(d, whole.acc[d] / whole.sum);
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  each_row(t, *p, rows);
  return KS_OK;
}
