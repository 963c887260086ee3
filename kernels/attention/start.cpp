// Attention, forward: out = softmax(scale * q k^T + mask) v. A first port: plain C++, one thread.
//
//   0 q, 3 out  [batch, heads, seq_q, head_dim]        4 q_len, 5 k_len  [batch], int32
//   1 k, 2 v    [pages, kv_heads, page_size, head_dim] 6 block_table  [batch, pages a sequence], int32
//                                                      7 sink  [heads], fp32
//
// Query row i stands at position i + k_len - q_len (the last query sees the last key). It sees the keys up to
// its own position if causal, else all, and of these with window > 0 only those from position - window + 1 on.
// Query head h reads KV head h / (heads / kv_heads). A row that sees no key is zero, and so is a padded one.
// Fp32, contiguous and not padded (page_size is seq_k, the pages are the sequences, the lengths seq_q and seq_k) is
// the plain case; what else there is (bf16, pages, lengths, padding at the left, softcap, sink) is at "Any case".
#include <algorithm>
#include <cmath>
#include <cstring>

#include "ks.h"
#include "ks_params.h"

namespace {

constexpr int kMaxBatch = 16;
constexpr int kMaxSeq = 16384;
constexpr int kMaxHeadDim = 256;
constexpr int kRowTile = 16;
constexpr int kKeyTile = 64;
constexpr int kLanes = 16;

int round_up(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

struct Range {
  int begin, end;
};

// The keys that query row `row` sees.
inline Range visible_keys(const ks_params &p, int row) {
  const int position = row + p.seq_k - p.seq_q;
  const int begin = p.window > 0 ? std::max(0, position - p.window + 1) : 0;
  const int end = p.causal ? std::min(position + 1, p.seq_k) : p.seq_k;
  return {begin, std::max(begin, end)};
}

// ---- The plan: one entry for each tile of query rows of each head ----

struct Tile {
  int16_t batch, head, kv_head;
  int16_t rows;    // how many rows of the tile exist
  int32_t row;     // the first of them
  int32_t blocks;  // how many blocks of kKeyTile keys its rows see; with none, the rows are zero
};

struct Extent {
  int batch, seq_q, seq_k;
};

Extent plan_extent(const ks_params &) { return {kMaxBatch, kMaxSeq, kMaxSeq}; }

size_t plan_size(const ks_params &p) {
  const Extent extent = plan_extent(p);
  return static_cast<size_t>(extent.batch) * p.heads * (round_up(extent.seq_q, kRowTile) / kRowTile);
}

int count_blocks(Range keys, int seq_k) {
  int blocks = 0;
  for (int j = 0; j < seq_k; j += kKeyTile) blocks += (j < keys.end) & (j + kKeyTile > keys.begin);
  return blocks;
}

void build_plan(const ks_params &p, Tile *plan) {
  const Extent extent = plan_extent(p);
  const int group = p.heads / p.kv_heads;
  for (int batch = 0; batch < extent.batch; ++batch) {
    for (int head = 0; head < p.heads; ++head) {
      for (int row = 0; row < extent.seq_q; row += kRowTile) {
        const int rows = std::clamp(p.seq_q - row, 0, kRowTile);
        const Range keys = {visible_keys(p, row).begin, visible_keys(p, row + rows - 1).end};
        *plan++ = {static_cast<int16_t>(batch),
                   static_cast<int16_t>(head),
                   static_cast<int16_t>(head / group),
                   static_cast<int16_t>(batch < p.batch ? rows : 0),
                   row,
                   count_blocks(keys, extent.seq_k)};
      }
    }
  }
}

// ---- Tiled path ----

// e^x for x <= 0 to about 1e-7, in a form that vectorizes.
inline float exp_neg(float x) {
  x = std::max(x, -87.0f);
  const float shifted = x * 1.44269504f + 12582912.0f;
  const float n = shifted - 12582912.0f;
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  float y = 1.0f / 720;
  y = y * r + 1.0f / 120;
  y = y * r + 1.0f / 24;
  y = y * r + 1.0f / 6;
  y = y * r + 0.5f;
  y = y * r + 1.0f;
  y = y * r + 1.0f;
  const int32_t bits = (static_cast<int32_t>(n) + 127) << 23;
  float power;
  std::memcpy(&power, &bits, sizeof power);
  return y * power;
}

// k [keys, head_dim] to packed [head_dim, stride], zero beyond the last key.
void pack_keys(const float *k, int keys, int head_dim, int stride, float *packed) {
  for (int d = 0; d < head_dim; ++d) {
    float *row = packed + static_cast<size_t>(d) * stride;
    for (int j = 0; j < keys; ++j) row[j] = k[static_cast<size_t>(j) * head_dim + d];
    for (int j = keys; j < stride; ++j) row[j] = 0.0f;
  }
}

// Scaled scores of one query with the kKeyTile keys that start at `packed`.
void score_tile(const float *q, const float *packed, int stride, int head_dim, float scale, float *scores) {
  float sum[kKeyTile] = {};
  for (int d = 0; d < head_dim; ++d) {
    const float *key = packed + static_cast<size_t>(d) * stride;
    for (int j = 0; j < kKeyTile; ++j) sum[j] += q[d] * key[j];
  }
  for (int j = 0; j < kKeyTile; ++j) scores[j] = sum[j] * scale;
}

// Turns count scores (a multiple of kLanes, -inf where masked) into weights; returns their sum.
float softmax_weights(float *scores, int count) {
  float peak[kLanes], total[kLanes] = {};
  std::fill(peak, peak + kLanes, -INFINITY);
  for (int j = 0; j < count; j += kLanes)
    for (int l = 0; l < kLanes; ++l) peak[l] = peak[l] > scores[j + l] ? peak[l] : scores[j + l];
  const float top = *std::max_element(peak, peak + kLanes);
  for (int j = 0; j < count; ++j) {
    const float weight = exp_neg(scores[j] - top);
    scores[j] = scores[j] == -INFINITY ? 0.0f : weight;
  }
  for (int j = 0; j < count; j += kLanes)
    for (int l = 0; l < kLanes; ++l) total[l] += scores[j + l];
  float sum = 0.0f;
  for (float part : total) sum += part;
  return sum;
}

// out [head_dim] = sum over keys of weights[j] * v[j] / sum.
void weigh_values(const float *weights, float sum, const float *v, Range keys, int head_dim, float *out) {
  float acc[kMaxHeadDim] = {};
  for (int j = keys.begin; j < keys.end; ++j) {
    const float *value = v + static_cast<size_t>(j) * head_dim;
    const float weight = weights[j - keys.begin];
    for (int d = 0; d < head_dim; ++d) acc[d] += weight * value[d];
  }
  for (int d = 0; d < head_dim; ++d) out[d] = acc[d] / sum;
}

void attend_tiled(const ks_params &p, const Tile &tile, const float *q, const float *packed, const float *v,
                  float *out, float *scores) {
  const int stride = round_up(p.seq_k, kKeyTile);
  for (int row = tile.row; row < tile.row + tile.rows; ++row) {
    const Range keys = visible_keys(p, row);
    float *o = out + static_cast<size_t>(row) * p.head_dim;
    if (keys.begin == keys.end) {
      std::fill(o, o + p.head_dim, 0.0f);
      continue;
    }
    const int first = keys.begin / kKeyTile * kKeyTile;
    const int last = round_up(keys.end, kKeyTile);
    for (int j = first; j < last; j += kKeyTile)
      score_tile(q + static_cast<size_t>(row) * p.head_dim, packed + j, stride, p.head_dim, p.scale, scores + j);
    std::fill(scores + first, scores + keys.begin, -INFINITY);
    std::fill(scores + keys.end, scores + last, -INFINITY);
    const float sum = softmax_weights(scores + first, last - first);
    weigh_values(scores + keys.begin, sum, v, keys, p.head_dim, o);
  }
}

// ---- General path: any head dim, any mask, rows at any stride ----

float *row_of(const ks_tensor &tensor, int batch, int head, int row) {
  char *data = static_cast<char *>(tensor.data);
  return reinterpret_cast<float *>(data + batch * tensor.strides[0] + head * tensor.strides[1] +
                                   row * tensor.strides[2]);
}

void attend_general(const ks_params &p, const Tile &tile, const ks_tensor *tensors, float *scores) {
  for (int row = tile.row; row < tile.row + tile.rows; ++row) {
    const float *query = row_of(tensors[0], tile.batch, tile.head, row);
    const Range keys = visible_keys(p, row);
    float top = -INFINITY;
    for (int j = 0; j < p.seq_k; ++j) {
      const float *key = row_of(tensors[1], tile.batch, tile.kv_head, j);
      float dot = 0.0f;
      for (int d = 0; d < p.head_dim; ++d) dot += query[d] * key[d];
      scores[j] = j >= keys.begin && j < keys.end ? dot * p.scale : -INFINITY;
      top = std::max(top, scores[j]);
    }
    float sum = 0.0f;
    for (int j = 0; j < p.seq_k; ++j) {
      scores[j] = scores[j] == -INFINITY ? 0.0f : std::exp(scores[j] - top);
      sum += scores[j];
    }
    float *out = row_of(tensors[3], tile.batch, tile.head, row);
    std::fill_n(out, p.head_dim, 0.0f);
    for (int j = 0; j < p.seq_k; ++j) {
      const float *value = row_of(tensors[2], tile.batch, tile.kv_head, j);
      const float weight = sum > 0.0f ? scores[j] / sum : 0.0f;
      for (int d = 0; d < p.head_dim; ++d) out[d] += weight * value[d];
    }
  }
}

// ---- Any case: all that the operator has, an element at a time ----

float load(const char *row, int d, bool bf16) {
  if (!bf16) return reinterpret_cast<const float *>(row)[d];
  const uint32_t bits = static_cast<uint32_t>(reinterpret_cast<const uint16_t *>(row)[d]) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Rounds to nearest, ties to even.
void store(char *row, int d, bool bf16, float value) {
  if (!bf16) {
    reinterpret_cast<float *>(row)[d] = value;
    return;
  }
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  reinterpret_cast<uint16_t *>(row)[d] = static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

char *place(const ks_tensor &tensor, int first, int head, int row) {
  return static_cast<char *>(tensor.data) + first * tensor.strides[0] + head * tensor.strides[1] +
         row * tensor.strides[2];
}

// One query row of one head; `lengths` holds p with the sequence's own lengths as seq_q and seq_k.
void attend_row(const ks_params &p, const ks_params &lengths, const ks_tensor *tensors, int batch, int head,
                int padded_row, float *scores, float *sums) {
  const bool bf16 = p.dtype == KS_BFLOAT16;
  const int kv_head = head / (p.heads / p.kv_heads);
  const int32_t *pages =
      static_cast<const int32_t *>(tensors[6].data) + static_cast<int64_t>(batch) * tensors[6].shape[1];
  const int row = p.left_pad ? padded_row - (p.seq_q - lengths.seq_q) : padded_row;
  const int first_slot = p.left_pad ? p.seq_k - lengths.seq_k : 0;
  const bool padded = row < 0 || row >= lengths.seq_q;
  const Range keys = padded ? Range{0, 0} : visible_keys(lengths, row);
  const char *query = place(tensors[0], batch, head, padded_row);
  const float sink = p.sink ? static_cast<const float *>(tensors[7].data)[head] : -INFINITY;
  float top = sink;
  for (int j = keys.begin; j < keys.end; ++j) {
    const int slot = first_slot + j;
    const char *key = place(tensors[1], pages[slot / p.page_size], kv_head, slot % p.page_size);
    float dot = 0.0f;
    for (int d = 0; d < p.head_dim; ++d) dot += load(query, d, bf16) * load(key, d, bf16);
    const float score = dot * p.scale;
    scores[j] = p.softcap > 0.0f ? p.softcap * std::tanh(score / p.softcap) : score;
    top = std::max(top, scores[j]);
  }
  float sum = p.sink ? std::exp(sink - top) : 0.0f;
  std::fill_n(sums, p.head_dim, 0.0f);
  for (int j = keys.begin; j < keys.end; ++j) {
    const int slot = first_slot + j;
    const char *value = place(tensors[2], pages[slot / p.page_size], kv_head, slot % p.page_size);
    const float weight = std::exp(scores[j] - top);
    sum += weight;
    for (int d = 0; d < p.head_dim; ++d) sums[d] += weight * load(value, d, bf16);
  }
  char *out = place(tensors[3], batch, head, padded_row);
  for (int d = 0; d < p.head_dim; ++d) store(out, d, bf16, keys.begin < keys.end ? sums[d] / sum : 0.0f);
}

void attend_any(const ks_params &p, const ks_tensor *tensors, float *workspace) {
  for (int batch = 0; batch < p.batch; ++batch) {
    ks_params lengths = p;
    lengths.seq_q = static_cast<const int32_t *>(tensors[4].data)[batch];
    lengths.seq_k = static_cast<const int32_t *>(tensors[5].data)[batch];
    for (int head = 0; head < p.heads; ++head)
      for (int row = 0; row < p.seq_q; ++row)
        attend_row(p, lengths, tensors, batch, head, row, workspace + p.head_dim, workspace);
  }
}

// ---- Dispatch ----

// What the other two paths are for. No page size at all is contiguous too.
bool is_plain(const ks_params &p) {
  const bool contiguous = p.page_size <= 0 || p.page_size == p.seq_k;
  return p.dtype == KS_FLOAT32 && contiguous && !p.ragged && !p.sink && p.softcap == 0.0f;
}

// Sliding windows and very wide heads take the general path.
bool takes_tiled_path(const ks_params &p) { return p.window == 0 && p.head_dim <= kMaxHeadDim; }

size_t packed_size(const ks_params &p) { return static_cast<size_t>(p.head_dim) * round_up(p.seq_k, kKeyTile); }

size_t scores_size(const ks_params &p) { return round_up(p.seq_k, kKeyTile); }

size_t any_size(const ks_params &p) { return static_cast<size_t>(p.head_dim) + p.seq_k; }

}  // namespace

extern "C" int ks_abi_version(void) { return KS_ABI_VERSION; }

extern "C" size_t ks_workspace_bytes(const ks_params *params) {
  if (!is_plain(*params)) return any_size(*params) * sizeof(float);
  return plan_size(*params) * sizeof(Tile) + (packed_size(*params) + scores_size(*params)) * sizeof(float);
}

extern "C" int ks_run(const ks_tensor *tensors, int n, const ks_params *params, void *workspace, size_t bytes,
                      void *) {
  const ks_params &p = *params;
  if (!is_plain(p)) {
    if (n != 8 || bytes < ks_workspace_bytes(params)) return KS_UNSUPPORTED;
    attend_any(p, tensors, static_cast<float *>(workspace));
    return KS_OK;
  }
  const Extent extent = plan_extent(p);
  if (p.batch > extent.batch || p.seq_q > extent.seq_q || p.seq_k > extent.seq_k) return KS_UNSUPPORTED;
  if (n < 4 || bytes < ks_workspace_bytes(params)) return KS_UNSUPPORTED;
  const float *q = static_cast<const float *>(tensors[0].data);
  const float *k = static_cast<const float *>(tensors[1].data);
  const float *v = static_cast<const float *>(tensors[2].data);
  float *out = static_cast<float *>(tensors[3].data);

  float *packed = static_cast<float *>(workspace);
  float *scores = packed + packed_size(p);
  Tile *plan = reinterpret_cast<Tile *>(scores + scores_size(p));
  build_plan(p, plan);

  const size_t q_stride = static_cast<size_t>(p.seq_q) * p.head_dim;
  const size_t kv_stride = static_cast<size_t>(p.seq_k) * p.head_dim;
  const float *packed_from = nullptr;
  for (size_t i = 0; i < plan_size(p); ++i) {
    const Tile &tile = plan[i];
    if (tile.rows == 0) continue;
    const size_t head = (static_cast<size_t>(tile.batch) * p.heads + tile.head) * q_stride;
    if (tile.blocks == 0) {
      std::fill_n(out + head + static_cast<size_t>(tile.row) * p.head_dim, tile.rows * p.head_dim, 0.0f);
      continue;
    }
    if (!takes_tiled_path(p)) {
      attend_general(p, tile, tensors, scores);
      continue;
    }
    const size_t kv = (static_cast<size_t>(tile.batch) * p.kv_heads + tile.kv_head) * kv_stride;
    if (packed_from != k + kv) {
      packed_from = k + kv;
      pack_keys(packed_from, p.seq_k, p.head_dim, round_up(p.seq_k, kKeyTile), packed);
    }
    attend_tiled(p, tile, q + head, packed, v + kv, out + head, scores);
  }
  return KS_OK;
}
