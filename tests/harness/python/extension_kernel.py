"""An honest C++ extension: attention without padding, one row after the other, in double."""

from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <torch/extension.h>
#include <algorithm>
#include <cmath>
#include <vector>

void attend(torch::Tensor q, torch::Tensor k, torch::Tensor v, torch::Tensor out, int64_t causal,
            int64_t window, double scale) {
  const int64_t heads = q.size(1), rows = q.size(2), d = q.size(3), kv_heads = k.size(1), keys = k.size(2);
  const float *Q = q.data_ptr<float>(), *K = k.data_ptr<float>(), *V = v.data_ptr<float>();
  float *O = out.data_ptr<float>();
  std::vector<double> weight(keys), sum(d);
  for (int64_t b = 0; b < q.size(0); ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < rows; ++i) {
        const float *row = Q + ((b * heads + h) * rows + i) * d;
        const int64_t at = (b * kv_heads + h / (heads / kv_heads)) * keys * d, position = i + keys - rows;
        const int64_t begin = window ? std::max<int64_t>(0, position - window + 1) : 0;
        const int64_t end = causal ? std::min(position + 1, keys) : keys;
        double top = -INFINITY, total = 0;
        for (int64_t j = begin; j < end; ++j) {
          double score = 0;
          for (int64_t c = 0; c < d; ++c) score += double(row[c]) * K[at + j * d + c];
          weight[j] = score * scale;
          top = std::max(top, weight[j]);
        }
        std::fill(sum.begin(), sum.end(), 0.0);
        for (int64_t j = begin; j < end; ++j) {
          const double w = std::exp(weight[j] - top);
          total += w;
          for (int64_t c = 0; c < d; ++c) sum[c] += w * V[at + j * d + c];
        }
        float *to = O + ((b * heads + h) * rows + i) * d;
        for (int64_t c = 0; c < d; ++c) to[c] = total > 0 ? float(sum[c] / total) : 0.0f;
      }
}
"""

module = load_inline(name="attend", cpp_sources=SOURCE, functions=["attend"])


def ks_run(tensors, params):
    """KS_UNSUPPORTED for what is not plain."""
    if params["dtype"] or params["ragged"] or params["sink"] or params["softcap"]:
        return 1
    if params["page_size"] != params["seq_k"]:
        return 1
    q, k, v, out = (tensors[name] for name in ("q", "k", "v", "out"))
    module.attend(q, k, v, out, params["causal"], params["window"], params["scale"])
    return 0
