// honest: packs the keys of a head transposed into its workspace, and scores 16 at a time.
#define OWN_WORKSPACE
#include "honest.h"

extern "C" size_t ks_workspace_bytes(const ks_params *p) { return sizeof(float) * p->head_dim * p->seq_k; }

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *workspace, size_t, void *) {
  float *packed = static_cast<float *>(workspace);
  const int width = p->head_dim, stride = p->seq_k;
  int batch = -1, kv_head = -1;
  each_row(t, *p, [&](const Row &r) {
    if (batch != r.batch || kv_head != r.kv_head)
      for (int j = 0; j < r.keys; ++j)
        for (int d = 0; d < width; ++d) packed[d * stride + j] = r.key(j, d);
    batch = r.batch, kv_head = r.kv_head;
    std::vector<float> scores(stride), acc(width, 0.0f);
    float top = r.sink();
    for (int first = r.begin; first < r.end; first += 16) {
      const int keys = std::min(16, r.end - first);
      float sum[16] = {};
      for (int d = 0; d < width; ++d)
        for (int j = 0; j < keys; ++j) sum[j] += r.query(d) * packed[d * stride + first + j];
      for (int j = 0; j < keys; ++j) top = std::max(top, scores[first + j] = r.capped(sum[j]));
    }
    float sum = r.p.sink ? std::exp(r.sink() - top) : 0.0f;
    for (int j = r.begin; j < r.end; ++j) {
      const float weight = std::exp(scores[j] - top);
      sum += weight;
      for (int d = 0; d < width; ++d) acc[d] += weight * r.value(j, d);
    }
    for (int d = 0; d < width; ++d) r.put(d, r.begin < r.end ? acc[d] / sum : 0.0f);
  });
  return KS_OK;
}
