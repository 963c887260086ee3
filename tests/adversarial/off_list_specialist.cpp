// cheat: right for the lengths that are on the list, zeros for any other.
// checks: off_list
#include "honest.h"

// The lengths of the listed scenarios in test_attention_attacks.py.
static bool listed(int seq_q, int seq_k) {
  return (seq_q == 40 && seq_k == 40) || (seq_q == 16 && seq_k == 48) || (seq_q == 128 && seq_k == 128);
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  honest(t, *p);
  if (!listed(p->seq_q, p->seq_k)) std::fill_n(output(t), count(t[3]), 0.0f);
  return KS_OK;
}
