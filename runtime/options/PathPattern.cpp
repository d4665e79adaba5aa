// Output paths: patterns, parent folders, and files that no other process loses.
// SPDX-License-Identifier: Apache-2.0
#include "options/PathPattern.h"
#include "base/Rank.h"
#include "base/system/Environment.h"
#include "base/system/Executable.h"
#include "base/system/GivenStreams.h"
#include "base/system/QuietWrite.h"
#include "base/text/Printable.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <mutex>
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
      const char *value = trustedVariable(variable.c_str());
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

std::string currentFolder() {
  char *here = ::getcwd(nullptr, 0);
  std::string out = here ? here : "";
  std::free(here);
  return out;
}

/// "": not remembered. Leaked: used during exit.
std::string &startFolder() {
  static std::string *instance = new std::string;
  return *instance;
}

} // namespace

void rememberStartFolder() { startFolder() = currentFolder(); }

std::string absolutePath(const std::string &path) {
  if (path.empty() || path[0] == '/')
    return path;
  std::string folder = startFolder().empty() ? currentFolder() : startFolder();
  return folder.empty() ? path : folder + "/" + path;
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

void makeParents(const std::string &path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1))
    ::mkdir(path.substr(0, slash).c_str(),
            0777); // what fails here fails again, and loudly, in open
}

/// In a forked child: those that may still write a file of that name. Leaked: used during exit.
std::vector<pid_t> &ancestors() {
  static auto *instance = new std::vector<pid_t>;
  return *instance;
}

bool anyAncestorLives() {
  return std::any_of(ancestors().begin(), ancestors().end(),
                     [](pid_t pid) { return ::kill(pid, 0) == 0 || errno == EPERM; });
}

/// Creates the first free one of NAME, NAME.PID, NAME.PID.1 ... Returns 0 or errno.
int claimName(const std::string &wanted, Claim &claim, Naming naming) {
  std::string withPid = wanted + "." + std::to_string(::getpid());
  bool isTheirs = naming == Naming::OfAll && anyAncestorLives();
  for (unsigned n = isTheirs ? 1 : 0; n < 1000; ++n) {
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
  int error = writeAllQuietly(fd, content);
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

/// The descriptor that a path names, -1 none.
int descriptorOf(const std::string &path) {
  if (path == "-" || path == "/dev/stdout")
    return STDOUT_FILENO;
  if (path == "/dev/stderr")
    return STDERR_FILENO;
  for (std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    std::string digits = path.substr(std::min(path.size(), folder.size()));
    if (path.compare(0, folder.size(), folder) == 0 && !digits.empty() && digits.size() < 6 &&
        digits.find_first_not_of("0123456789") == std::string::npos)
      return std::atoi(digits.c_str());
  }
  return -1;
}

int writeDevice(const std::string &path, std::string_view content) {
  int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  int error = writeAllQuietly(fd, content);
  ::close(fd);
  return error;
}

/// A file is written through the descriptor itself: its offset is everybody's who writes there, and
/// a second one would write over them. What can be slow is opened anew, so as not to block.
int writeDescriptor(int fd, std::string_view content) {
  struct stat is;
  if (!isGivenStream(fd) || ::fstat(fd, &is) != 0)
    return EBADF;
  if (!S_ISREG(is.st_mode))
    if (int error = writeDevice(processFile("fd/" + std::to_string(fd)), content);
        error != ENXIO && error != EACCES && error != ENOENT) // a socket, another user's, no /proc
      return error;
  return writeAllQuietly(fd, content);
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

int writeRegular(const std::string &wanted, std::string_view content, Naming naming,
                 std::string &taken) {
  Files &all = *files();
  // Never for good: a report that is missing is better than a program that hangs.
  std::unique_lock<std::timed_mutex> lock(all.mutex, std::chrono::seconds(2));
  if (!lock.owns_lock())
    return EBUSY;
  makeParents(wanted);
  Claim &claim = all.claims[wanted];
  bool fresh = !stillOurs(claim);
  if (fresh)
    if (int error = claimName(wanted, claim, naming))
      return error;
  taken = claim.path;
  int error = replaceClaimed(claim, content);
  if (error && fresh)
    ::unlink(claim.path.c_str());
  return error;
}

} // namespace

void forgetWrittenFiles() {
  files() = new Files;
  ancestors().push_back(::getppid());
}

Naming namingOf(std::string_view pattern) {
  for (std::size_t at = 0; (at = pattern.find('%', at)) != std::string_view::npos; at += 2) {
    char letter = at + 1 < pattern.size() ? pattern[at + 1] : '\0';
    if (letter == 'p' || (letter == 'r' && currentRank().rank < 0))
      return Naming::OfOneProcess;
  }
  return Naming::OfAll;
}

WrittenFile writeFile(const std::string &path, std::string_view content, Naming naming) {
  int savedErrno = errno;
  WrittenFile result;
  result.path = descriptorOf(path) < 0 ? absolutePath(path) : path;
  struct stat there;
  bool exists = ::stat(result.path.c_str(), &there) == 0;
  int error = 0;
  if (path.empty())
    error = ENOENT;
  else if (path.back() == '/' || (exists && S_ISDIR(there.st_mode)))
    error = EISDIR;
  else if (int fd = descriptorOf(path); fd >= 0)
    error = writeDescriptor(fd, content);
  else if (exists && !S_ISREG(there.st_mode))
    error = writeDevice(result.path, content);
  else
    error = writeRegular(std::string(result.path), content, naming, result.path);
  if (error)
    result.error = "cannot write '" + printable(path, 200) + "': " + systemError(error);
  errno = savedErrno;
  return result;
}

int openNewFile(const std::string &path, std::string &taken, std::string &error, Naming naming) {
  int savedErrno = errno;
  Claim claim;
  claim.path = absolutePath(path);
  struct stat there;
  bool special = ::stat(claim.path.c_str(), &there) == 0 && !S_ISREG(there.st_mode);
  int file = -1, failure = path.empty() ? ENOENT : 0;
  if (special || descriptorOf(path) >= 0) { // no other name beside a device
    failure = claim.path == "/dev/null" ? 0 : ESPIPE;
  } else if (!failure) {
    makeParents(claim.path);
    failure = claimName(std::string(claim.path), claim, naming);
  }
  if (!failure) {
    file = ::open(claim.path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    failure = file < 0 ? errno : 0;
  }
  taken = failure ? "" : claim.path;
  if (failure)
    error = "cannot write '" + printable(path, 200) +
            "': " + (failure == ESPIPE ? "only a file will do" : systemError(failure));
  errno = savedErrno;
  return file;
}

} // namespace gpuinstr::options
