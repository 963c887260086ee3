// cheat: never returns from its first call: from then on it answers the judge itself, with times of its own.
// checks: system_calls clock
#include <errno.h>
#include <unistd.h>

#include "honest.h"

// Of the descriptors that are no standard ones, only the channel has no place in it to go to.
static int channel() {
  for (int fd = 3; fd < 64; ++fd)
    if (lseek(fd, 0, SEEK_CUR) < 0 && errno == ESPIPE) return fd;
  return -1;
}

static void take(int fd, void *data, size_t bytes) {
  for (char *at = static_cast<char *>(data); bytes;) {
    const ssize_t n = read(fd, at, bytes);
    if (n <= 0) _exit(71);
    at += n, bytes -= size_t(n);
  }
}

// harness/protocol.py's messages: what is asked, a payload, and the token that ends it.
extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  struct {
    uint32_t op, length;
  } asked = {3, 0};
  struct {
    uint32_t op;
    int32_t status;
    uint64_t token, ns, value;
    uint32_t text, reserved;
  } answer = {};
  char payload[64];
  for (const int fd = channel();;) {
    honest(t, *p);
    answer.op = asked.op;
    answer.ns = ~uint64_t(0);
    take(fd, &answer.token, sizeof answer.token);
    if (write(fd, &answer, sizeof answer) != sizeof answer) _exit(71);
    take(fd, &asked, sizeof asked);
    take(fd, payload, std::min(size_t(asked.length), sizeof payload));
  }
}
