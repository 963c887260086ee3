// honest: a table that is filled before other statics are, with init_priority.
#include "honest.h"

struct Table {
  float shrink[64];
  Table() {
    for (int i = 0; i < 64; ++i) shrink[i] = std::exp2(float(-i));
  }
};
static Table table __attribute__((init_priority(200)));

// exp(x) for x <= 0: a power of two from the table, and what is left.
static double decay(double x) {
  const double power = -x * 1.4426950408889634;
  if (power >= 63) return 0.0;
  const int whole = int(power);
  return table.shrink[whole] * std::exp2(whole - power);
}

static void rows(const Row &r) {
  const int width = r.p.head_dim;
  std::vector<double> scores(r.end), acc(width, 0.0);
  double top = r.sink();
  for (int j = r.begin; j < r.end; ++j) {
    double product = 0.0;
    for (int d = 0; d < width; ++d) product += double(r.query(d)) * r.key(j, d);
    scores[j] = r.capped(product);
    top = std::max(top, scores[j]);
  }
  double sum = r.p.sink ? decay(r.sink() - top) : 0.0;
  for (int j = r.begin; j < r.end; ++j) {
    const double weight = decay(scores[j] - top);
    for (int d = 0; d < width; ++d) acc[d] += weight * r.value(j, d);
    sum += weight;
  }
  for (int d = 0; d < width; ++d) r.put(d, r.begin < r.end ? float(acc[d] / sum) : 0.0f);
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  each_row(t, *p, rows);
  return KS_OK;
}
