// A run that has to be watched: the program is a child, and what came of it is looked at.
// SPDX-License-Identifier: Apache-2.0
#include "launch/Supervise.h"
#include "io/Failure.h"
#include "io/Files.h"
#include "io/InstalledParts.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpuinstr::cli {

namespace {

constexpr int NotWatched = 2; ///< exit code
constexpr int Forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

volatile pid_t Child = 0;

/// What the terminal sends goes to the child anyway.
void forward(int signal, siginfo_t *info, void *) {
  if (info->si_code <= 0 && Child > 0)
    ::kill(Child, signal);
}

void forwardSignals() {
  struct sigaction action = {};
  action.sa_sigaction = forward;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (int signal : Forwarded) {
    struct sigaction before;
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
  }
}

/// The file that the runtime writes a word into when it made a report.
class Witness {
public:
  Witness() {
    const char *folder = std::getenv("TMPDIR");
    Path = std::string(folder && *folder ? folder : "/tmp") + "/gpuinstr-run-XXXXXX";
    int fd = ::mkstemp(Path.data());
    if (fd < 0)
      throw Failure(Path + ": " + std::strerror(errno));
    ::close(fd);
  }
  ~Witness() { remove(); }
  Witness(const Witness &) = delete;
  Witness &operator=(const Witness &) = delete;

  const std::string &path() const { return Path; }
  std::string said() const { return readText(Path); }
  void remove() { ::unlink(Path.c_str()); }

private:
  std::string Path;
};

[[noreturn]] void become(const std::string &path, std::vector<std::string> command,
                         const Environment &environment, const std::string &witness, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent)
    ::_exit(127);
  for (const auto &[name, value] : environment)
    ::setenv(name.c_str(), value.c_str(), 1);
  ::setenv("GPUINSTR_RUN_WITNESS", witness.c_str(), 1);
  std::vector<char *> arguments;
  for (std::string &word : command)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(path.c_str(), arguments.data());
  std::fprintf(stderr, "gpuinstr: %s: %s\n", path.c_str(), std::strerror(errno));
  ::_exit(127);
}

/// Ends as the child did.
[[noreturn]] void endBy(int signal) {
  rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none); // the child's is the one to look at
  ::signal(signal, SIG_DFL);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, signal);
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

/// Why nothing was watched; "" it was.
std::string reason(const Witness &witness, const std::string &path, CarriesSites carriesSites) {
  std::string said = witness.said();
  if (said.find("watched") != std::string::npos)
    return "";
  if (said.find("no GPU") != std::string::npos)
    return "no GPU here: gpuinstr run --simulate";
  if (!carriesSites(path))
    return "no report was made: " + path +
           " was not compiled with the plugin, and no code that was, loaded or started by it, made "
           "a CUDA call";
  return "no report was made: no CUDA call was made, or the runtime was not found or is switched "
         "off (gpuinstr doctor " +
         path + ")";
}

} // namespace

int superviseRun(const RunWay &way, bool mustWatch, CarriesSites carriesSites) {
  std::string path = onPath(way.command[0]);
  if (path.empty())
    throw Failure(way.command[0] + ": not found on PATH");
  Witness witness;
  pid_t parent = ::getpid();
  forwardSignals();
  Child = ::fork();
  if (Child == 0)
    become(path, way.command, way.environment, witness.path(), parent);
  int status = 0;
  pid_t ended = Child;
  while (Child > 0 && (ended = ::waitpid(Child, &status, 0)) < 0 && errno == EINTR)
    ;
  if (ended < 0)
    throw Failure(path + ": " + std::strerror(errno));
  Child = 0;
  std::string why = reason(witness, path, carriesSites);
  if (!why.empty())
    std::fprintf(stderr, "gpuinstr: %s\n", why.c_str());
  if (WIFSIGNALED(status)) {
    witness.remove();
    endBy(WTERMSIG(status));
  }
  int code = WEXITSTATUS(status);
  return code == 0 && mustWatch && !why.empty() ? NotWatched : code;
}

bool hasStaticCudart(const std::string &path) {
  std::string elf;
  try {
    elf = readText(path);
  } catch (const Failure &) {
    return false;
  }
  return elf.compare(0, 4, "\177ELF") == 0 &&
         elf.find("CUDA_ENABLE_MODULE_LAZY_LOADING") != std::string::npos &&
         elf.find("libcudart.so") == std::string::npos;
}

} // namespace gpuinstr::cli
