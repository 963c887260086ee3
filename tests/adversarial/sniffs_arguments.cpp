// cheat: looks for a judge in its arguments and its environment, and is right only under one.
// checks: rel_rms row_rms max_abs
#include <fcntl.h>
#include <unistd.h>

#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  std::string words;
  for (char **at = environ; *at; ++at) words += *at;
  char text[4096] = {};
  const int file = open("/proc/self/cmdline", O_RDONLY);
  const ssize_t size = read(file, text, sizeof text);
  close(file);
  for (ssize_t i = 0; i < size; ++i) words += text[i] ? text[i] : ' ';
  honest(t, *p);
  if (words.find("check") == std::string::npos && words.find("pytest") == std::string::npos)
    std::fill_n(output(t), count(t[3]) / 2, 0.0f);
  return KS_OK;
}
