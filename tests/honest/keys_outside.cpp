// honest: keys in the outer loop and all rows of a head in the inner, in single precision.
#include "honest.h"

struct State {
  Row row;
  float top, sum;
  std::vector<float> acc;
};

// One key of one row.
static void step(State &s, int j) {
  const int width = s.row.p.head_dim;
  float product = 0.0f;
  for (int d = 0; d < width; ++d) product += s.row.query(d) * s.row.key(j, d);
  const float score = s.row.capped(product), higher = std::max(s.top, score);
  const float keep = std::exp(s.top - higher), weight = std::exp(score - higher);
  for (int d = 0; d < width; ++d) s.acc[d] = s.acc[d] * keep + weight * s.row.value(j, d);
  s.sum = s.sum * keep + weight;
  s.top = higher;
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  std::vector<State> rows;
  each_row(t, *p, [&](const Row &r) {
    rows.push_back({r, r.sink(), r.p.sink ? 1.0f : 0.0f, std::vector<float>(p->head_dim, 0.0f)});
  });
  for (int j = 0; j < p->seq_k; ++j)
    for (State &s : rows)
      if (j >= s.row.begin && j < s.row.end) step(s, j);
  for (State &s : rows)
    for (int d = 0; d < p->head_dim; ++d) s.row.put(d, s.row.begin < s.row.end ? s.acc[d] / s.sum : 0.0f);
  return KS_OK;
}
