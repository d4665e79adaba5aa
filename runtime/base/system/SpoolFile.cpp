// A file that holds the last state of a process: making and writing it.
// SPDX-License-Identifier: Apache-2.0
#include "base/system/SpoolFile.h"
#include "base/system/Environment.h"
#include "base/system/QuietWrite.h"
#include "base/system/SpoolFormat.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace gpuinstr {

using namespace spool;

namespace {

constexpr long Xfs = 0x58465342; // not in linux/magic.h

bool writeAt(int file, const void *from, size_t bytes, uint64_t at) {
  const char *next = static_cast<const char *>(from);
  while (bytes) {
    ssize_t n = ::pwrite(file, next, bytes, off_t(at));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    next += n;
    at += uint64_t(n);
    bytes -= size_t(n);
  }
  return true;
}

/// All of it, so that a disk that fills up later changes nothing. A size beyond RLIMIT_FSIZE would
/// be a signal.
int allocate(int file, uint64_t bytes) {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      bytes > limit.rlim_cur)
    return EFBIG;
  return ::posix_fallocate(file, 0, off_t(bytes));
}

Header headerOf(const SpoolOwner &owner, uint64_t slotBytes) {
  Header header = {};
  std::memcpy(header.magic, Magic, sizeof header.magic);
  header.pid = owner.pid;
  header.startTicks = owner.startTicks;
  header.pidNamespace = owner.pidNamespace;
  header.slotBytes = slotBytes;
  size_t length = std::min(owner.settings.size(), sizeof header.settings);
  header.settingsLength = uint32_t(length);
  std::memcpy(header.settings, owner.settings.data(), length);
  header.check = checksumOf(header);
  return header;
}

} // namespace

bool isLocalFolder(const char *folder) {
  struct statfs is = {};
  if (::statfs(folder, &is) != 0)
    return false;
  for (long local : {long(TMPFS_MAGIC), long(EXT4_SUPER_MAGIC), Xfs, long(OVERLAYFS_SUPER_MAGIC)})
    if (long(is.f_type) == local)
      return true;
  return false;
}

std::string automaticSpoolFolder() {
  const char *folder = trustedVariable("XDG_RUNTIME_DIR");
  struct stat is = {};
  if (!folder || *folder != '/' || ::stat(folder, &is) != 0 || !S_ISDIR(is.st_mode) ||
      is.st_uid != ::geteuid() || (is.st_mode & 077) || !isLocalFolder(folder))
    return "";
  return std::string(folder) + "/gpuinstr";
}

int SpoolFile::make(const std::string &path, uint64_t bytes) {
  int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0)
    return errno;
  Header header = headerOf(Owner, bytes);
  struct stat is = {};
  int error = allocate(file, slotAt(bytes, Slots));
  if (!error && (!writeAt(file, &header, sizeof header, 0) || ::fstat(file, &is) != 0))
    error = errno;
  ::close(file);
  if (error) {
    ::unlink(path.c_str());
    return error;
  }
  SlotBytes = bytes;
  Device = is.st_dev;
  Inode = is.st_ino;
  return 0;
}

int SpoolFile::create(const std::string &folder, const SpoolOwner &owner, uint64_t bytes) {
  WriteScope quiet;
  Owner = owner;
  Sequence = 0;
  constexpr unsigned MostExecs = 100;
  std::string base = folder + "/" + std::to_string(owner.pid);
  for (unsigned n = 0; n < MostExecs; ++n) {
    std::string path = base + (n ? "." + std::to_string(n) : "") + Suffix;
    int error = make(path, bytes);
    if (!error)
      Path = path;
    else
      quiet.takeSignal();
    if (error != EEXIST)
      return error;
  }
  return EEXIST;
}

/// The file that was made, and no other that took its name. -1 none.
int SpoolFile::openOwn() const {
  int file = ::open(Path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  struct stat is = {};
  if (file >= 0 && (::fstat(file, &is) != 0 || is.st_dev != Device || is.st_ino != Inode)) {
    ::close(file);
    errno = ESTALE;
    return -1;
  }
  return file;
}

int SpoolFile::write(std::string_view state, uint64_t takenNs) {
  if (!exists())
    return ENOENT;
  WriteScope quiet;
  if (state.size() > MostBytes)
    return EFBIG;
  if (state.size() > SlotBytes) { // beside the other, which stays until this one is whole
    SpoolFile larger;
    larger.Owner = Owner;
    larger.Sequence = Sequence;
    larger.Path = Path + ".new";
    int error = larger.make(larger.Path, 2 * state.size());
    if (error)
      return error;
    error = larger.write(state, takenNs);
    if (!error && ::rename(larger.Path.c_str(), Path.c_str()) != 0)
      error = errno;
    if (error) {
      ::unlink(larger.Path.c_str());
      return error;
    }
    larger.Path = Path;
    *this = larger;
    return 0;
  }
  int file = openOwn();
  if (file < 0)
    return errno;
  unsigned slot = unsigned((Sequence + 1) % Slots);
  SlotHeader header = {};
  header.sequence = Sequence + 1;
  header.length = state.size();
  header.takenNs = takenNs;
  header.textCheck = checksum(state.data(), state.size());
  header.check = checksumOf(header);
  int error = 0;
  if (!writeAt(file, state.data(), state.size(), slotAt(SlotBytes, slot)) ||
      !writeAt(file, &header, sizeof header, slotHeaderAt(slot)))
    error = errno;
  ::close(file);
  if (error)
    quiet.takeSignal(); // the limit was lowered
  else
    ++Sequence;
  return error;
}

void SpoolFile::remove() {
  struct stat is = {};
  if (exists() && ::lstat(Path.c_str(), &is) == 0 && is.st_dev == Device && is.st_ino == Inode)
    ::unlink(Path.c_str());
  forget();
}

} // namespace gpuinstr
