// honest: from the last row to the first and from the last key to the first.
#include "honest.h"

static void row(const Row &r) {
  const int width = r.p.head_dim;
  std::vector<double> acc(width, 0.0);
  double top = r.sink(), sum = r.p.sink ? 1.0 : 0.0;
  for (int j = r.end - 1; j >= r.begin; --j) {
    double product = 0.0;
    for (int d = width - 1; d >= 0; --d) product += double(r.query(d)) * r.key(j, d);
    const double score = r.capped(product), higher = std::max(top, score);
    const double keep = std::exp(top - higher), weight = std::exp(score - higher);
    for (int d = 0; d < width; ++d) acc[d] = acc[d] * keep + weight * r.value(j, d);
    sum = sum * keep + weight;
    top = higher;
  }
  for (int d = 0; d < width; ++d) r.put(d, r.begin < r.end ? float(acc[d] / sum) : 0.0f);
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  std::vector<Row> rows;
  each_row(t, *p, [&](const Row &r) { rows.push_back(r); });
  for (auto r = rows.rbegin(); r != rows.rend(); ++r) row(*r);
  return KS_OK;
}
