// Runs a test program in a scratch folder and gathers what it left.
// SPDX-License-Identifier: Apache-2.0
#include "Run.h"
#include "Text.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace gpuinstr::e2e {
namespace {

namespace fs = std::filesystem;

/// Launchers and settings around the checker must not reach the program.
bool isForeign(const std::string &variable) {
  static const char *const prefixes[] = {
      "GPUINSTR_", "OMPI_", "PMIX_",  "PMI_",  "MV2_COMM_", "FLUX_",
      "PALS_",     "RANK=", "SLURM_", "CUDA_", "NVTX_",     "LD_LIBRARY_PATH="};
  return std::any_of(std::begin(prefixes), std::end(prefixes), [&](const char *prefix) {
    return variable.compare(0, strlen(prefix), prefix) == 0;
  });
}

std::string expand(const std::string &text, const std::string &scratch, const Spec &spec) {
  size_t slash = spec.path.rfind('/');
  std::string folder = fs::absolute(slash == std::string::npos ? "." : spec.path.substr(0, slash));
  return replaceAll(replaceAll(text, "%t", scratch), "%S", folder);
}

std::vector<std::string> environmentFor(const RunRequest &request, const Spec &spec,
                                        const std::string &scratch, bool instrumented) {
  std::vector<std::string> result;
  std::string libraryPath = request.libraryPath;
  for (char **entry = environ; *entry; ++entry) {
    std::string variable = *entry;
    if (variable.compare(0, 16, "LD_LIBRARY_PATH=") == 0 && variable.size() > 16)
      libraryPath += (libraryPath.empty() ? "" : ":") + variable.substr(16);
    // Which GPU a machine offers is its own business.
    if (!isForeign(variable) || variable.compare(0, 21, "CUDA_VISIBLE_DEVICES=") == 0)
      result.push_back(variable);
  }
  if (!libraryPath.empty())
    result.push_back("LD_LIBRARY_PATH=" + libraryPath);
  if (!request.runtime.empty())
    result.push_back("GPUINSTR_RUNTIME=" + request.runtime);
  std::string options = spec.run.hasRawOptions ? spec.run.rawOptions
                                               : "json=%t/profile.json report=%t/report.txt " +
                                                     request.options + " " + spec.run.options;
  if (!instrumented) // a plain program has none; a twin is compared with itself
    options = request.plain == request.program ? "enabled=0" : "";
  if (!options.empty())
    result.push_back("GPUINSTR_OPTIONS=" + expand(options, scratch, spec));
  // Kernels of other builds count as done, and write nothing.
  result.push_back(spec.run.carried ? "GPUINSTR_SIM=kernels=refuse" : "GPUINSTR_SIM=kernels=skip");
  for (const std::string &variable : spec.run.environment) {
    // The last one of a name counts for getenv of no libc: take the earlier one out.
    std::string name = variable.substr(0, variable.find('=') + 1);
    result.erase(std::remove_if(result.begin(), result.end(),
                                [&](const std::string &v) { return v.rfind(name, 0) == 0; }),
                 result.end());
    result.push_back(expand(variable, scratch, spec));
  }
  return result;
}

/// In the child after fork: becomes the program. Only calls that are safe there.
[[noreturn]] void become(const std::vector<char *> &arguments, const std::vector<char *> &variables,
                         const std::string &folder, int out, int err) {
  int in = open("/dev/null", O_RDONLY);
  if (chdir(folder.c_str()) != 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
    _exit(126);
  setpgid(0, 0);
  execve(arguments[0], arguments.data(), variables.data());
  _exit(127);
}

/// Waits; after \p seconds kills the program and all that it started.
std::string waitFor(pid_t pid, unsigned seconds) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  bool late = false;
  int status = 0;
  while (waitpid(pid, &status, late ? 0 : WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      kill(-pid, SIGKILL);
      late = true;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  if (late)
    return "timeout";
  if (WIFSIGNALED(status))
    return "signal " + std::to_string(WTERMSIG(status));
  return std::to_string(WEXITSTATUS(status));
}

std::vector<char *> pointers(std::vector<std::string> &strings) {
  std::vector<char *> result;
  for (std::string &s : strings)
    result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

Outcome runOne(const std::string &program, const RunRequest &request, const Spec &spec,
               const std::string &scratch, bool instrumented, std::vector<std::string> &errors) {
  Outcome outcome;
  std::string outPath = scratch + ".stdout", errPath = scratch + ".stderr";
  int out = open(outPath.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  int err = open(errPath.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  std::vector<std::string> arguments = {fs::absolute(program)};
  for (const std::string &argument : spec.run.arguments)
    arguments.push_back(expand(argument, scratch, spec));
  std::vector<std::string> variables = environmentFor(request, spec, scratch, instrumented);
  std::vector<char *> argv = pointers(arguments), envp = pointers(variables);
  pid_t pid = fork();
  if (pid == 0)
    become(argv, envp, scratch, out, err);
  close(out);
  close(err);
  if (pid < 0) {
    errors.push_back(std::string("fork: ") + strerror(errno));
    return outcome;
  }
  outcome.pid = pid;
  outcome.ended = waitFor(pid, spec.run.timeoutSeconds);
  outcome.out = readFile(outPath).value_or("");
  outcome.err = readFile(errPath).value_or("");
  if (outcome.ended == "127" || outcome.ended == "126")
    errors.push_back(program + ": cannot be run (" + outcome.ended + ")\n" + outcome.err);
  return outcome;
}

void prepare(const std::string &scratch, const Spec &spec) {
  fs::remove_all(scratch);
  fs::create_directories(scratch);
  for (const std::string &name : spec.run.taken) {
    fs::path file = fs::path(scratch) / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "taken\n";
  }
}

/// Files that stood there before must hold what they held.
void checkTaken(const std::string &scratch, const Spec &spec, std::vector<std::string> &errors) {
  for (const std::string &name : spec.run.taken)
    if (readFile(scratch + "/" + name).value_or("") != "taken\n")
      errors.push_back(spec.path + ":0: the file '" + name + "' was overwritten");
}

void gather(const std::string &scratch, Observed &observed, std::vector<std::string> &errors) {
  for (const auto &entry : fs::recursive_directory_iterator(scratch)) {
    if (!entry.is_regular_file())
      continue;
    std::string relative = fs::relative(entry.path(), scratch);
    observed.files.push_back(relative);
    std::string text = readFile(entry.path()).value_or("");
    size_t start = text.find_first_not_of(" \n\t");
    if (start == std::string::npos || text[start] != '{')
      continue;
    ProfileFile file{relative, {}};
    if (readProfile(entry.path(), file.profile, errors))
      observed.profiles.push_back(file);
  }
  std::sort(observed.files.begin(), observed.files.end());
  observed.report = readFile(scratch + "/report.txt." + std::to_string(observed.run.pid));
  if (!observed.report)
    observed.report = readFile(scratch + "/report.txt");
}

} // namespace

bool readProfile(const std::string &path, nlohmann::json &profile,
                 std::vector<std::string> &errors) {
  try {
    profile = nlohmann::json::parse(readFile(path).value_or(""));
  } catch (const nlohmann::json::exception &e) {
    errors.push_back(path + ": " + e.what());
    return false;
  }
  if (!profile.is_object() || profile.value("schema", "") != "gpuinstr-profile" ||
      profile.value("version", 0) != 1) {
    errors.push_back(path + ": no gpuinstr-profile of version 1");
    return false;
  }
  return true;
}

Observed runPrograms(const RunRequest &request, const Spec &spec,
                     std::vector<std::string> &errors) {
  Observed observed;
  std::string scratch = fs::absolute(request.scratch);
  prepare(scratch, spec);
  observed.run = runOne(request.program, request, spec, scratch, true, errors);
  checkTaken(scratch, spec, errors);
  gather(scratch, observed, errors);
  if (!request.plain.empty()) {
    std::string plainScratch = scratch + ".plain";
    prepare(plainScratch, spec);
    observed.plain = runOne(request.plain, request, spec, plainScratch, false, errors);
  }
  return observed;
}

} // namespace gpuinstr::e2e
