// Runs a program and tells its last state where it could not report itself.
// SPDX-License-Identifier: Apache-2.0
#include "launch/Watch.h"
#include "base/system/SpoolFile.h"
#include "base/text/Printable.h"
#include "base/text/SignalText.h"
#include "io/Failure.h"
#include "io/Files.h"
#include "io/Spools.h"
#include "launch/Witness.h"
#include "options/FailOn.h"
#include "options/Options.h"
#include "options/PathPattern.h"
#include "options/Suppressions.h"
#include "profile/Json.h"
#include "report/Style.h"
#include "report/TextReport.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <iterator>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpuinstr::cli {

namespace {

// ---- the program ----

volatile pid_t Program = 0;

/// What the terminal sends, the program gets from it as well.
void passOn(int signal, siginfo_t *info, void *) {
  int saved = errno;
  if (info->si_code != SI_KERNEL && Program > 0)
    ::kill(Program, signal);
  errno = saved;
}

constexpr int Passed[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGTERM,  SIGUSR1, SIGUSR2,
                          SIGALRM, SIGCONT,   SIGPIPE, SIGWINCH, SIGIO,   SIGPWR,
                          SIGPROF, SIGVTALRM, SIGXCPU, SIGXFSZ};

/// What was ignored stays so, here and in the program.
void passSignalsOn() {
  for (int signal : Passed) {
    struct sigaction action = {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN)
      continue;
    action = {};
    action.sa_sigaction = passOn;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigfillset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

[[noreturn]] void become(const std::string &path, const std::vector<std::string> &command,
                         const sigset_t &mask, pid_t parent) {
  std::vector<char *> arguments;
  for (const std::string &word : command)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL); // who kills this command means the program
  if (::getppid() != parent)
    ::_exit(1);
  ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  ::execv(path.c_str(), arguments.data());
  std::cerr << "gpuinstr: " << path << ": " << std::strerror(errno) << std::endl;
  ::_exit(2);
}

/// Its wait status. Stops and goes on with it.
int waitFor(pid_t program) {
  int status = 0;
  while (true) {
    pid_t one = ::waitpid(program, &status, WUNTRACED);
    if (one < 0 && errno == EINTR)
      continue;
    if (one < 0)
      return 0;
    if (!WIFSTOPPED(status))
      return status;
    ::raise(SIGSTOP);
    ::kill(program, SIGCONT);
  }
}

[[noreturn]] void endLike(int status, int wanted) {
  if (!WIFSIGNALED(status))
    std::_Exit(WEXITSTATUS(status) ? WEXITSTATUS(status) : wanted);
  int signal = WTERMSIG(status);
  rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none); // the program has written its own
  ::signal(signal, SIG_DFL);
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  ::raise(signal);
  std::_Exit(128 + signal);
}

// ---- what it left ----

uint64_t monotonicNow() {
  timespec t;
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

struct End {
  pid_t pid;
  int status;
  uint64_t ns;
};

/// How it ended, where that was seen: of descendants nothing but that they are dead.
std::string headline(profile::Process &process, const LastState &last, const End &end) {
  std::string line =
      "gpuinstr: " + printable(process.exe, 60) + " (process " + std::to_string(process.pid) + ") ";
  if (process.pid != end.pid)
    return line + "ended without a report; this is its last state\n";
  if (WIFSIGNALED(end.status)) {
    int signal = WTERMSIG(end.status);
    process.ended = "signal " + std::to_string(signal);
    process.exit_code = 128 + signal;
    line += "was killed by " + signalText(signal);
  } else {
    process.ended = "_exit";
    process.exit_code = WEXITSTATUS(end.status);
    line += "ended with code " + std::to_string(process.exit_code) + " and without a report";
  }
  return line + "; as of " + timeText(double(end.ns - std::min(end.ns, last.takenNs))) +
         " before the end\n";
}

void tell(const std::vector<std::string> &problems) {
  for (const std::string &problem : problems)
    std::cerr << "gpuinstr: " + problem + "\n";
}

std::string writeTo(const std::string &path, std::string_view content) {
  options::WrittenFile written = options::writeFile(path, content);
  if (!written.error.empty())
    tell({written.error});
  return written.error.empty() ? written.path : "";
}

/// As the process would have done it. The exit code that fail_on asks for.
int reportState(LastState &last, const End &end, const options::Options &options) {
  profile::Profile &profile = last.profile;
  std::string line = headline(profile.process, last, end);
  std::vector<std::string> problems;
  options::applySuppressions(options.suppressions, profile, problems);
  tell(problems);
  bool toStderr = last.report.empty() || last.report == "stderr";
  report::ReportStyle style = report::styleOf(options, toStderr ? STDERR_FILENO : -1);
  if (!last.json.empty())
    style.jsonPath = writeTo(last.json, profile::toJson(profile));
  if (toStderr && profile.process.rank <= 0)
    std::cerr << line + report::render(profile, style) << std::flush;
  else if (!toStderr && last.report != "off")
    writeTo(last.report, line + report::render(profile, style));
  return options::mustFail(profile, options.fail_on) ? int(options.exitcode) : 0;
}

struct Told {
  int wanted = 0; ///< the exit code that fail_on asks for
  bool any = false;
};

/// Of those that ended since `startTicks`; each is read once.
Told reportAll(const std::string &folder, uint64_t startTicks, const End &end) {
  options::OptionSet set;
  if (const char *text = std::getenv("GPUINSTR_OPTIONS"))
    set.apply(text, options::Layer::Environment, "GPUINSTR_OPTIONS");
  Told told;
  for (const std::string &file : deadSpools(folder)) {
    try {
      LastState last = lastStateOf(readText(file), file);
      if (last.startTicks < startTicks)
        continue;
      int code = reportState(last, end, set.values());
      told.wanted = told.wanted ? told.wanted : code;
      told.any = true;
    } catch (const Failure &failure) {
      tell({failure.what()});
    }
    ::unlink(file.c_str());
  }
  return told;
}

/// Of these no process can tell anything itself.
bool endsUnheard(int signal) {
  constexpr int Unheard[] = {SIGKILL, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
  return std::find(std::begin(Unheard), std::end(Unheard), signal) != std::end(Unheard);
}

/// Why there is no report; "" there is one, or nobody expects one.
std::string reasonForNone(const Witness &witness, const std::string &path, const End &end,
                          const Watching &watching) {
  if (witness.sawReport())
    return "";
  if (WIFSIGNALED(end.status) && endsUnheard(WTERMSIG(end.status)) &&
      (watching.attached || watching.carriesSites(path)))
    return printable(path, 60) + " (process " + std::to_string(end.pid) + ") was killed by " +
           signalText(WTERMSIG(end.status)) + " before its state was first written: no report";
  return watching.saysWhy ? witness.reason(path, watching) : "";
}

} // namespace

std::string makeSpoolFolder() {
  std::vector<std::string> places;
  std::string automatic = automaticSpoolFolder();
  if (!automatic.empty())
    places.push_back(automatic.substr(0, automatic.rfind('/')));
  if (const char *folder = std::getenv("TMPDIR"); folder && *folder == '/')
    places.push_back(folder);
  places.push_back("/tmp");
  places.push_back("/dev/shm");
  for (const std::string &place : places) {
    std::string name = place + "/gpuinstr-run-XXXXXX";
    if (isLocalFolder(place.c_str()) && ::mkdtemp(name.data()))
      return name;
  }
  return "";
}

void watchProgram(const std::string &path, const std::vector<std::string> &command,
                  const Environment &environment, const Watching &watching) {
  constexpr int NotWatched = 2;
  for (const auto &[name, value] : environment)
    ::setenv(name.c_str(), value.c_str(), 1);
  Witness witness(watching.saysWhy);
  options::rememberStartFolder();
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before); // until there is somebody to pass them on to
  pid_t parent = ::getpid();
  uint64_t startTicks = thisSpoolOwner().startTicks;
  pid_t program = ::fork();
  if (program == 0)
    become(path, command, before, parent);
  if (program < 0)
    throw Failure(path + ": " + std::strerror(errno));
  Program = program;
  passSignalsOn();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  int status = waitFor(program);
  End end{program, status, monotonicNow()};
  Program = 0;
  Told told;
  if (!watching.folder.empty())
    told = reportAll(watching.folder, startTicks, end);
  if (watching.ownFolder)
    ::rmdir(watching.folder.c_str()); // stays while one that outlives this one has its file there
  if (!told.any) {
    std::string why = reasonForNone(witness, path, end, watching);
    if (!why.empty())
      tell({why});
    if (!why.empty() && watching.mustWatch && !told.wanted)
      told.wanted = NotWatched;
  }
  witness.remove();
  endLike(status, told.wanted);
}

} // namespace gpuinstr::cli
