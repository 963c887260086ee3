// honest: AVX2 where the machine has it, float32 only, whole vectors only.
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "honest.h"

#ifdef __AVX2__
static float dot(const float *a, const float *b, int width) {
  __m256 sum = _mm256_setzero_ps();
  for (int d = 0; d < width; d += 8)
    sum = _mm256_add_ps(sum, _mm256_mul_ps(_mm256_loadu_ps(a + d), _mm256_loadu_ps(b + d)));
  float lanes[8];
  _mm256_storeu_ps(lanes, sum);
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

static void add(float *to, float weight, const float *from, int width) {
  const __m256 w = _mm256_set1_ps(weight);
  for (int d = 0; d < width; d += 8)
    _mm256_storeu_ps(to + d, _mm256_add_ps(_mm256_loadu_ps(to + d), _mm256_mul_ps(w, _mm256_loadu_ps(from + d))));
}
#else
static float dot(const float *a, const float *b, int width) {
  float sum[8] = {};
  for (int d = 0; d < width; ++d) sum[d % 8] += a[d] * b[d];
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

static void add(float *to, float weight, const float *from, int width) {
  for (int d = 0; d < width; ++d) to[d] += weight * from[d];
}
#endif

static void rows(const Row &r) {
  const int width = r.p.head_dim;
  const float *q = static_cast<const float *>(r.t[0].data) + r.in_q();
  const float *k = static_cast<const float *>(r.t[1].data), *v = static_cast<const float *>(r.t[2].data);
  std::vector<float> scores(r.end), acc(width, 0.0f);
  float top = r.sink();
  for (int j = r.begin; j < r.end; ++j) {
    scores[j] = r.capped(dot(q, k + r.in_kv(j), width));
    top = std::max(top, scores[j]);
  }
  float sum = r.p.sink ? std::exp(r.sink() - top) : 0.0f;
  for (int j = r.begin; j < r.end; ++j) {
    const float weight = std::exp(scores[j] - top);
    sum += weight;
    add(acc.data(), weight, v + r.in_kv(j), width);
  }
  for (int d = 0; d < width; ++d) r.put(d, r.begin < r.end ? acc[d] / sum : 0.0f);
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  if (p->dtype != KS_FLOAT32 || p->head_dim % 8) return KS_UNSUPPORTED;
  each_row(t, *p, rows);
  return KS_OK;
}
