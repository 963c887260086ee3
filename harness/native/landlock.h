// Landlock, Linux's way for a process to give up files it might open, without being root. Its system calls and
// words are written out here: a C library's headers may be older than the kernel. Source: Documentation/
// userspace-api/landlock.rst, include/uapi/linux/landlock.h.
#pragma once

#ifdef __linux__

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>

namespace landlock {

constexpr long CREATE = 444, ADD_RULE = 445, RESTRICT_SELF = 446;
constexpr uint64_t EXECUTE = 1, WRITE_FILE = 2, READ_FILE = 4, READ_DIR = 8, TRUNCATE = 1 << 14, IOCTL_DEV = 1 << 15;
constexpr uint64_t READ = EXECUTE | READ_FILE | READ_DIR;
constexpr uint64_t ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;  // the rest is of folders

// How much of it the kernel knows; 0 where there is none of it.
inline int version() {
  long answer = syscall(CREATE, nullptr, 0, 1);
  return answer > 0 ? static_cast<int>(answer) : 0;
}

class Rules {
 public:
  // Everything the kernel can forbid is forbidden: each version of it knew more.
  Rules() {
    const int known = version();
    if (!known) return;
    files_ = (1u << 13) - 1;                   // read, write, make and remove
    if (known >= 2) files_ |= 1u << 13;        // move between folders
    if (known >= 3) files_ |= TRUNCATE;
    if (known >= 5) files_ |= IOCTL_DEV;
    struct {
      uint64_t files, network, scoped;
    } wanted{files_, known >= 4 ? 3u : 0u, known >= 6 ? 3u : 0u};
    const size_t size = known >= 6 ? 24 : known >= 4 ? 16 : 8;
    ruleset_ = static_cast<int>(syscall(CREATE, &wanted, size, 0));
  }

  // But this may be done with a file, or with a folder and all that is in it. What is not there is no matter.
  void allow(const std::string &path, uint64_t what) {
    const int file = open(path.c_str(), O_PATH | O_CLOEXEC);
    if (file < 0) return;
    struct stat about;
    if (fstat(file, &about) == 0) {
      what &= S_ISDIR(about.st_mode) ? files_ : files_ & ON_FILES;
      struct __attribute__((packed)) {
        uint64_t allowed;
        int32_t parent;
      } rule{what, file};
      syscall(ADD_RULE, ruleset_, 1, &rule, 0);
    }
    close(file);
  }

  uint64_t everything() const { return files_; }

  // Whether it is in force now, for this process and whatever it becomes. Needs PR_SET_NO_NEW_PRIVS.
  bool install() {
    if (ruleset_ < 0) return false;
    const bool done = syscall(RESTRICT_SELF, ruleset_, 0) == 0;
    close(ruleset_);
    ruleset_ = -1;
    return done;
  }

 private:
  uint64_t files_ = 0;
  int ruleset_ = -1;
};

}  // namespace landlock

#endif
