// gpuinstr doctor: what could keep a program from being watched here, and what to do about it.
// SPDX-License-Identifier: Apache-2.0
#include "doctor/MachineChecks.h"
#include "base/text/Printable.h"
#include "gpuinstr/abi.h"
#include "io/Failure.h"
#include "io/Files.h"
#include "io/InstalledParts.h"
#include "launch/Witness.h"
#include "lookup/EmbeddedSites.h"
#include "options/Options.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace gpuinstr::cli {

namespace fs = std::filesystem;

std::string checkLines(const std::vector<Check> &checks) {
  static constexpr const char *Names[] = {"ok  ", "note", "BAD "};
  std::string out;
  for (const Check &check : checks) {
    out += std::string(Names[int(check.state)]) + "  " + padRight(check.name, 12) + " " +
           printable(check.text, 300) + "\n";
    if (!check.advice.empty())
      out += std::string(19, ' ') + "-> " + check.advice + "\n";
  }
  return out;
}

namespace {

using State = Check::State;

struct Output {
  int code = -1; ///< -1: it did not start or a signal ended it
  std::string text;
};

/// Standard output and error of a program.
Output outputOf(std::vector<std::string> command) {
  int ends[2];
  Output out;
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return out;
  std::vector<char *> arguments;
  for (std::string &word : command)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], 1), ::dup2(ends[1], 2);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  char buffer[4096];
  for (ssize_t n; child > 0 && (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    out.text.append(buffer, std::size_t(n));
  ::close(ends[0]);
  int status = 0;
  if (child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status))
    out.code = WEXITSTATUS(status);
  return out;
}

std::string firstLine(const std::string &text) { return text.substr(0, text.find('\n')); }

/// Exit code of `body` in a child, so that what it loads does not stay here.
template <class F> int inChild(F body) {
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(body());
  int status = 0;
  bool ended = child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status);
  return ended ? WEXITSTATUS(status) : -1;
}

Check runtimeCheck() {
  const char *chosen = std::getenv("GPUINSTR_RUNTIME");
  std::string path = chosen && *chosen ? chosen : runtimeLibrary();
  if (path.empty())
    return {State::Bad, "runtime", "libgpuinstr_rt.so is not beside this program",
            "install it, or set GPUINSTR_RUNTIME to its path"};
  int answer = inChild([&] {
    void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return 2;
    auto connect =
        reinterpret_cast<gpuinstr_connect_fn *>(::dlsym(library, GPUINSTR_CONNECT_SYMBOL));
    ::setenv("GPUINSTR_OPTIONS", "enabled=0", 1);
    return connect && connect(GPUINSTR_ABI_VERSION, sizeof(gpuinstr_table), 0) ? 0 : 3;
  });
  std::string abi = "ABI " + std::to_string(GPUINSTR_ABI_VERSION);
  if (answer == 0)
    return {State::Good, "runtime", path + " (" + abi + ")", ""};
  if (answer == 3)
    return {State::Bad, "runtime", path + " is of another version than " + abi,
            "use plugin, runtime and gpuinstr of one build"};
  return {State::Bad, "runtime", path + " cannot be loaded",
          "LD_PRELOAD=" + path + " true says why"};
}

/// The clang++ that a plugin lib/libgpuinstr-22.so was built for.
std::string compilerOf(const std::string &major) {
  std::string path = onPath("clang++-" + major), beside = "/usr/lib/llvm-" + major + "/bin/clang++";
  return path.empty() && ::access(beside.c_str(), X_OK) == 0 ? beside : path;
}

Check pluginCheck() {
  std::string plugin = pluginLibrary();
  if (plugin.empty())
    return {State::Note, "plugin", "libgpuinstr.so is not beside this program",
            "needed only where programs are compiled"};
  std::error_code error;
  std::string real = fs::canonical(plugin, error).filename().string();
  std::size_t dash = real.rfind('-');
  std::string major =
      dash == std::string::npos ? "" : real.substr(dash + 1, real.rfind('.') - dash - 1);
  if (major.empty()) // a copy under another name
    return {State::Note, "plugin", plugin + ": its name does not say which clang it is for",
            "keep it under its own name: libgpuinstr-MAJOR.so"};
  std::string compiler = compilerOf(major);
  if (compiler.empty())
    return {State::Note, "plugin", plugin + " is for clang " + major + ", which is not on PATH",
            "install clang-" + major + ", or put it on PATH"};
  Output out =
      outputOf({compiler, "-fplugin=" + plugin, "-x", "c++", "-fsyntax-only", "/dev/null"});
  if (out.code != 0)
    return {State::Bad, "plugin", compiler + ": " + firstLine(out.text),
            "build the plugin with -DLLVM_DIR of that clang"};
  std::string version = firstLine(outputOf({compiler, "--version"}).text);
  return {State::Good, "plugin", plugin + ", loaded by " + compiler + " (" + version + ")", ""};
}

Check optionsCheck() {
  const char *text = std::getenv("GPUINSTR_OPTIONS");
  if (!text || !*text)
    return {State::Good, "options", "GPUINSTR_OPTIONS is not set", ""};
  options::OptionSet set;
  set.apply(text, options::Layer::Environment, "GPUINSTR_OPTIONS");
  if (!set.problems().empty())
    return {State::Bad, "options", set.problems()[0],
            "docs/Options.md, or GPUINSTR_OPTIONS=help=1"};
  if (!set.values().enabled)
    return {State::Bad, "options", "enabled=0: programs run as if not instrumented",
            "take enabled=0 out of GPUINSTR_OPTIONS"};
  return {State::Good, "options", std::string("GPUINSTR_OPTIONS=") + text, ""};
}

/// What the driver says in a child: 0 and the count of devices, or where it failed.
struct Driver {
  int version = 0, result = -1, devices = 0;
  bool loaded = false, simulated = false;
};

Driver askDriver() {
  Driver answer;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return answer;
  inChild([&] {
    Driver found;
    void *library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    found.loaded = library != nullptr;
    using Init = int(unsigned);
    using Get = int(int *);
    if (library) {
      found.simulated = ::dlsym(library, "gpuinstr_simulator_version") != nullptr;
      auto version = reinterpret_cast<Get *>(::dlsym(library, "cuDriverGetVersion"));
      auto init = reinterpret_cast<Init *>(::dlsym(library, "cuInit"));
      auto count = reinterpret_cast<Get *>(::dlsym(library, "cuDeviceGetCount"));
      if (version)
        version(&found.version);
      found.result = init ? init(0) : -1;
      if (found.result == 0 && count)
        count(&found.devices);
    }
    return ::write(ends[1], &found, sizeof found) == ssize_t(sizeof found) ? 0 : 1;
  });
  ::close(ends[1]);
  if (::read(ends[0], &answer, sizeof answer) != ssize_t(sizeof answer))
    answer = Driver();
  ::close(ends[0]);
  return answer;
}

Check driverCheck() {
  Driver driver = askDriver();
  if (!driver.loaded)
    return {State::Note, "driver", "libcuda.so.1 cannot be loaded: no NVIDIA driver here",
            "gpuinstr run --simulate needs none"};
  std::string version =
      std::to_string(driver.version / 1000) + "." + std::to_string(driver.version % 1000 / 10);
  if (driver.simulated)
    return {State::Note, "driver", "the simulated device (CUDA " + version + ")",
            "take lib/simulator out of LD_LIBRARY_PATH to use a GPU"};
  if (driver.result != 0) {
    bool locked =
        ::access("/dev/nvidiactl", F_OK) == 0 && ::access("/dev/nvidiactl", R_OK | W_OK) != 0;
    return {State::Bad, "driver", "cuInit fails with error " + std::to_string(driver.result),
            locked ? "this user may not open /dev/nvidiactl: ask for the group that may"
                   : "nvidia-smi says more; in a container, start it with --gpus"};
  }
  return {driver.devices ? State::Good : State::Bad, "driver",
          "CUDA " + version + ", " + plural(uint64_t(driver.devices), "device", "devices"),
          driver.devices ? "" : "CUDA_VISIBLE_DEVICES may hide them"};
}

/// Tools that load themselves into CUDA programs, and so hold what only one of them can have.
void injectionChecks(std::vector<Check> &checks) {
  static constexpr const char *Names[] = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH",
                                          "CUPTI_INJECTION64_PATH", "LD_PRELOAD"};
  bool any = false;
  for (const char *name : Names) {
    const char *value = std::getenv(name);
    if (!value || !*value)
      continue;
    any = true;
    bool cupti = std::strcmp(name, "CUDA_INJECTION64_PATH") == 0;
    checks.push_back({State::Note, "injection", std::string(name) + "=" + value,
                      cupti ? "that tool holds the CUPTI slot; gpuinstr's report does not need it"
                            : "that library is loaded into every program"});
  }
  if (!any)
    checks.push_back({State::Good, "injection",
                      "no injection variable is set; nobody holds the CUPTI slot", ""});
}

void programChecks(std::vector<Check> &checks, const std::string &program) {
  std::string path = onPath(program);
  if (path.empty())
    throw Failure(program + ": not found on PATH");
  std::vector<EmbeddedModule> modules;
  std::string file = readText(path); // its failures name the file
  try {
    modules = embeddedModules(file);
  } catch (const Failure &failure) {
    throw Failure(path + ": " + failure.what());
  }
  if (modules.empty()) {
    checks.push_back(
        {State::Note, "program", path + ": nothing in it was compiled with the plugin",
         "fine if its libraries were (gpuinstr sites LIBRARY); else -fplugin= is missing, or "
         "gpuinstr run --attach watches it as it is"});
    return;
  }
  std::size_t sites = 0;
  for (const EmbeddedModule &module : modules) {
    sites += std::size_t(std::count_if(module.sites.begin(), module.sites.end(), isCall));
    if (module.abi != GPUINSTR_ABI_VERSION) {
      checks.push_back({State::Bad, "program",
                        module.source + ": compiled for ABI " + std::to_string(module.abi),
                        "compile it again with this gpuinstr's plugin"});
      return;
    }
  }
  checks.push_back({State::Good, "program",
                    path + ": " + plural(modules.size(), "unit", "units") + ", " +
                        plural(sites, "site", "sites"),
                    ""});
  if (hasStaticCudart(path))
    checks.push_back(
        {State::Note, "cudart", path + " holds CUDA's runtime itself",
         "it cannot run on the simulator: link with -cudart shared (clang: -lcudart; CMake: "
         "-DGPUINSTR_SIMULATE=ON)"});
}

} // namespace

std::vector<Check> examine(const std::string &program) {
  std::vector<Check> checks{runtimeCheck(), pluginCheck(), optionsCheck(), driverCheck()};
  std::string simulator = simulatorFolder();
  checks.push_back({simulator.empty() ? State::Note : State::Good, "simulator",
                    simulator.empty() ? "not built" : simulator, ""});
  bool attaches = !attachLibrary().empty();
  checks.push_back({attaches ? State::Good : State::Note, "attach",
                    attaches ? "Python and programs that the plugin cannot compile: gpuinstr run "
                               "--attach"
                             : "libgpuinstr_attach.so is missing",
                    ""});
  injectionChecks(checks);
  if (!program.empty())
    programChecks(checks, program);
  return checks;
}

} // namespace gpuinstr::cli
