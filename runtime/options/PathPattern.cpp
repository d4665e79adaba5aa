// Output paths: patterns, parent folders, and files that no other process loses.
// SPDX-License-Identifier: Apache-2.0
#include "options/PathPattern.h"
#include "base/Rank.h"
#include "base/text/Printable.h"
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace gpuinstr::options {

static std::string hostName() {
  char buffer[256] = {};
  if (::gethostname(buffer, sizeof(buffer) - 1) != 0 || !buffer[0])
    return "localhost";
  return buffer;
}

static std::string rankName() {
  Rank rank = currentRank();
  return rank.rank >= 0 ? std::to_string(rank.rank) : "p" + std::to_string(::getpid());
}

std::string expandPath(std::string_view pattern, std::vector<std::string> *problems) {
  std::string out;
  auto problem = [&](std::string_view what, const char *wrong) {
    if (problems)
      problems->push_back("path '" + printable(pattern, 60) + "': " + printable(what, 40) + wrong);
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      out += pattern[i];
      continue;
    }
    std::string_view rest = pattern.substr(i + 1);
    char letter = rest.empty() ? '\0' : rest[0];
    std::size_t close = rest.find('}');
    if (letter == 'p') {
      out += std::to_string(::getpid());
    } else if (letter == 'h') {
      out += hostName();
    } else if (letter == 'r') {
      out += rankName();
    } else if (letter == '%') {
      out += '%';
    } else if (rest.substr(0, 2) == "q{" && close != std::string_view::npos && close > 2) {
      std::string variable(rest.substr(2, close - 2));
      const char *value = ::secure_getenv(variable.c_str());
      if (!value)
        problem(variable, " is not set; empty text is used");
      out += value ? value : "";
      i += close;
    } else {
      problem(pattern.substr(i, 2), " is none of %p %h %r %q{VAR} %%; kept as it is");
      out += '%';
      continue;
    }
    ++i;
  }
  return out;
}

namespace {

std::string systemError(int error) {
  return std::error_code(error, std::generic_category()).message();
}

/// A file that this process created, told apart by inode: somebody may have moved it since.
struct Claim {
  pid_t pid = 0;
  std::string path;
  dev_t device = 0;
  ino_t inode = 0;
};

bool stillOurs(const Claim &claim) {
  struct stat now;
  return claim.pid == ::getpid() && ::lstat(claim.path.c_str(), &now) == 0 &&
         now.st_dev == claim.device && now.st_ino == claim.inode;
}

void remember(Claim &claim, int fd) {
  struct stat now;
  if (::fstat(fd, &now) == 0) {
    claim.device = now.st_dev;
    claim.inode = now.st_ino;
  }
}

std::string absolutePath(const std::string &path) {
  if (!path.empty() && path[0] == '/')
    return path;
  char *here = ::getcwd(nullptr, 0);
  std::string out = here ? std::string(here) + "/" + path : path;
  std::free(here);
  return out;
}

void makeParents(const std::string &path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1))
    ::mkdir(path.substr(0, slash).c_str(),
            0777); // what fails here fails again, and loudly, in open
}

/// Creates the first free one of NAME, NAME.PID, NAME.PID.1 ... Returns 0 or errno.
int claimName(const std::string &wanted, Claim &claim) {
  std::string withPid = wanted + "." + std::to_string(::getpid());
  for (unsigned n = 0; n < 1000; ++n) {
    std::string name = n == 0 ? wanted : n == 1 ? withPid : withPid + "." + std::to_string(n - 1);
    int fd = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (fd >= 0) {
      claim.pid = ::getpid();
      claim.path = name;
      remember(claim, fd);
      ::close(fd);
      return 0;
    }
    if (errno != EEXIST)
      return errno;
  }
  return EEXIST;
}

/// Writes everything, waiting at most a second in all where the other side is slow. 0 or errno.
int writeAll(int fd, std::string_view content) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (!content.empty()) {
    ssize_t n = ::write(fd, content.data(), content.size());
    if (n >= 0) {
      content.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline - std::chrono::steady_clock::now());
      pollfd waiting{fd, POLLOUT, 0};
      if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) == 0)
        return ETIMEDOUT;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

/// Replaces the claimed file by `content` in one step. 0 or errno.
int replaceClaimed(Claim &claim, std::string_view content) {
  std::string temporary = claim.path + ".XXXXXX";
  int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0)
    return errno;
  struct stat mode;
  if (::lstat(claim.path.c_str(), &mode) == 0)
    (void)!::fchmod(fd,
                    mode.st_mode & 0777); // mkostemp made it 0600; the claim has the umask's mode
  Claim next = claim;
  remember(next, fd);
  int error = writeAll(fd, content);
  if (::close(fd) != 0 && error == 0)
    error = errno;
  if (error == 0 && ::rename(temporary.c_str(), claim.path.c_str()) != 0)
    error = errno;
  if (error == 0)
    claim = next;
  else
    ::unlink(temporary.c_str());
  return error;
}

bool isOpenDescriptor(const std::string &path) {
  return path == "/dev/stdout" || path == "/dev/stderr" || path.rfind("/dev/fd/", 0) == 0 ||
         path.rfind("/proc/self/fd/", 0) == 0;
}

int writeDevice(const std::string &path, std::string_view content) {
  int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  int error = writeAll(fd, content);
  ::close(fd);
  return error;
}

/// Leaked: used during exit.
struct Files {
  std::timed_mutex mutex;
  std::map<std::string, Claim> claims; ///< by the name that was asked for
};
Files *&files() {
  static Files *instance = new Files;
  return instance;
}

int writeRegular(const std::string &wanted, std::string_view content, std::string &taken) {
  Files &all = *files();
  // Never for good: a report that is missing is better than a program that hangs.
  std::unique_lock<std::timed_mutex> lock(all.mutex, std::chrono::seconds(2));
  if (!lock.owns_lock())
    return EBUSY;
  makeParents(wanted);
  Claim &claim = all.claims[wanted];
  bool fresh = !stillOurs(claim);
  if (fresh)
    if (int error = claimName(wanted, claim))
      return error;
  taken = claim.path;
  int error = replaceClaimed(claim, content);
  if (error && fresh)
    ::unlink(claim.path.c_str());
  return error;
}

} // namespace

void forgetWrittenFiles() { files() = new Files; }

WrittenFile writeFile(const std::string &path, std::string_view content) {
  int savedErrno = errno;
  WrittenFile result;
  result.path = absolutePath(path);
  struct stat there;
  bool exists = ::stat(path.c_str(), &there) == 0;
  int error = 0;
  if (path.empty())
    error = ENOENT;
  else if (path.back() == '/' || (exists && S_ISDIR(there.st_mode)))
    error = EISDIR;
  else if (isOpenDescriptor(path) || (exists && !S_ISREG(there.st_mode)))
    error = writeDevice(path, content);
  else
    error = writeRegular(std::string(result.path), content, result.path);
  if (error)
    result.error = "cannot write '" + printable(path, 200) + "': " + systemError(error);
  errno = savedErrno;
  return result;
}

int openNewFile(const std::string &path, std::string &taken, std::string &error) {
  int savedErrno = errno;
  Claim claim;
  int file = -1, failure = path.empty() ? ENOENT : 0;
  if (!failure) {
    makeParents(absolutePath(path));
    failure = claimName(absolutePath(path), claim);
  }
  if (!failure) {
    file = ::open(claim.path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    failure = file < 0 ? errno : 0;
  }
  taken = failure ? "" : claim.path;
  if (failure)
    error = "cannot write '" + printable(path, 200) + "': " + systemError(failure);
  errno = savedErrno;
  return file;
}

} // namespace gpuinstr::options
