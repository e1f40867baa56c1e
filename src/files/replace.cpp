// SPDX-License-Identifier: Apache-2.0
#include "files/replace.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace sennit::detail {
namespace {

// Links in /proc are those of open descriptors. Their names may be those of deleted files.
bool is_descriptor(const std::filesystem::path& link) {
  struct statfs of{};
  const std::string folder = link.has_parent_path() ? link.parent_path().string() : ".";
  return statfs(folder.c_str(), &of) == 0 && of.f_type == PROC_SUPER_MAGIC;
}

class descriptor {
 public:
  explicit descriptor(int file) : file_(file) {}
  ~descriptor() {
    if (file_ >= 0) close(file_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;

  explicit operator bool() const { return file_ >= 0; }
  int get() const { return file_; }

  bool write_all(std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t done = write(file_, bytes.data(), bytes.size());
      if (done < 0 && errno != EINTR) return false;
      if (done > 0) bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
    return true;
  }
  // Some file systems report only here that there is no room; some do not support the call.
  bool reach_the_disk() const { return fsync(file_) == 0 || errno == EINVAL || errno == ENOSYS; }
  bool finish() { return close(std::exchange(file_, -1)) == 0; }

 private:
  int file_;
};

// Removes a file that did not get its final name.
struct temporary {
  std::string path;
  temporary() = default;
  temporary(const temporary&) = delete;
  temporary& operator=(const temporary&) = delete;
  ~temporary() {
    if (!path.empty()) unlink(path.c_str());
  }
};

int write_in_place(const destination& to, std::span<const std::byte> bytes) {
  const int emptied = S_ISREG(to.there.st_mode) ? O_TRUNC : 0;
  descriptor file(open(to.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | emptied));
  return file && file.write_all(bytes) && file.finish() ? 0 : errno;
}

// Copies owner and permissions of the old file. If the owner cannot be kept, the set-user-id and
// set-group-id bits are not kept either.
bool take_after(const struct stat& old, int file) {
  const bool kept = fchown(file, old.st_uid, old.st_gid) == 0;
  return fchmod(file, old.st_mode & (kept ? 07777U : 0777U)) == 0;
}

}  // namespace

destination destination_of(const std::string& name) {
  destination found{.path = name};
  found.exists = stat(name.c_str(), &found.there) == 0;
  if (!found.exists && errno != ENOENT) found.error = errno;
  if (found.error != 0) return found;
  found.in_place = found.exists && !S_ISREG(found.there.st_mode);
  std::filesystem::path target = name;
  std::error_code failed;
  constexpr int most_links = 40;  // the kernel's limit
  for (int links = 0; !found.in_place && links < most_links; ++links) {
    if (!is_symlink(symlink_status(target, failed))) break;
    if (found.exists && is_descriptor(target)) {
      found.in_place = true;
      return found;
    }
    const std::filesystem::path next = read_symlink(target, failed);
    if (failed) break;
    target = target.parent_path() / next;
  }
  found.path = target.string();
  return found;
}

int replace_file(const destination& to, std::span<const std::byte> bytes, mode_t mode) {
  if (to.error != 0) return to.error;
  if (to.in_place) return write_in_place(to, bytes);
  // A write-protected file must not be replaced.
  if (to.exists && faccessat(AT_FDCWD, to.path.c_str(), W_OK, AT_EACCESS) != 0) return errno;
  const std::filesystem::path folder = std::filesystem::path(to.path).parent_path();
  temporary made;
  int opened = -1;
  for (unsigned attempt = 0; opened < 0 && (attempt == 0 || errno == EEXIST); ++attempt) {
    const std::string name =
        (folder / (".sennit-" + std::to_string(getpid()) + "-" + std::to_string(attempt))).string();
    opened = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, to.exists ? 0600 : mode);
    if (opened >= 0) made.path = name;
  }
  descriptor file(opened);
  if (!file || (to.exists && !take_after(to.there, file.get()))) return errno;
  if (!file.write_all(bytes) || !file.reach_the_disk() || !file.finish()) return errno;
  if (rename(made.path.c_str(), to.path.c_str()) != 0) return errno;
  made.path.clear();
  return 0;
}

}  // namespace sennit::detail
