// gpuinstr run: starts an instrumented program with options, on the device or the simulator.
// SPDX-License-Identifier: Apache-2.0
#include "launch/RunEnvironment.h"
#include "io/Failure.h"
#include "io/InstalledParts.h"
#include "launch/Compare.h"
#include "options/Options.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <unistd.h>

namespace gpuinstr::cli {

namespace {

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// key=value as GPUINSTR_OPTIONS wants it; its quotes know no escape.
std::string setting(const std::string &key, const std::string &value) {
  if (value.find('\'') != std::string::npos)
    throw Failure(key + ": a value cannot hold a single quote: " + value);
  bool plain = value.find_first_of(": \t\n") == std::string::npos;
  return key + "=" + (plain ? value : "'" + value + "'");
}

/// The driver loads what this names into the program. Somebody else's tool goes first.
void addInjection(Environment &out) {
  std::string library = attachLibrary(), other = variable("CUDA_INJECTION64_PATH");
  if (library.empty())
    throw Failure("--attach: libgpuinstr_attach.so is missing beside libgpuinstr_rt.so");
  if (other.empty() || other == library)
    out.emplace_back("CUDA_INJECTION64_PATH", library);
  else
    std::cerr << "gpuinstr: not attached: CUDA_INJECTION64_PATH names " + other +
                     "; the program runs as it is\n";
  bool attaches = !out.empty() && out.back().second == library;
  if (attaches && variable("NVTX_INJECTION64_PATH").empty()) // the program's ranges, for PHASES
    out.emplace_back("NVTX_INJECTION64_PATH", library);
}

} // namespace

std::string optionsText(const RunOptions &options, const std::string &before) {
  std::vector<std::string> own;
  auto add = [&](const char *key, const std::string &value) {
    if (!value.empty())
      own.push_back(setting(key, value));
  };
  add("json", options.json);
  add("trace", options.trace);
  add("report", options.report);
  add("fail_on", options.failOn);
  add("suppressions", options.suppressions);
  add("only", options.only);
  add("report_top", options.top ? std::to_string(options.top) : "");
  add("verbose", options.verbose ? "1" : "");
  for (const std::string &given : options.settings) {
    std::size_t sign = given.find('=');
    own.push_back(
        sign == std::string::npos ? given : setting(given.substr(0, sign), given.substr(sign + 1)));
  }
  if (!own.empty() && std::count(before.begin(), before.end(), '\'') % 2)
    throw Failure("GPUINSTR_OPTIONS: a single quote is not closed: " + before);
  std::string text = before;
  for (const std::string &one : own) {
    options::OptionSet check; // here it is a mistake; in the program it would be one line of many
    check.apply(one, options::Layer::Environment, "run");
    if (!check.problems().empty())
      throw Failure(check.problems()[0]);
    if (const std::string &file = check.values().suppressions;
        !file.empty() && ::access(file.c_str(), R_OK) != 0)
      throw Failure("suppressions='" + file + "': " + std::strerror(errno));
    text += (text.empty() ? "" : ":") + one;
  }
  return text;
}

bool mustWatch(const RunOptions &options) {
  options::OptionSet all;
  all.apply(optionsText(options, variable("GPUINSTR_OPTIONS")), options::Layer::Environment, "run");
  return !all.values().fail_on.empty();
}

Environment environmentOf(const RunOptions &options) {
  Environment out;
  std::string text = optionsText(options, variable("GPUINSTR_OPTIONS"));
  if (!text.empty())
    out.emplace_back("GPUINSTR_OPTIONS", text);
  // The runtime that belongs to this program, unless somebody chose another.
  std::string runtime = options.runtime;
  if (runtime.empty() && variable("GPUINSTR_RUNTIME").empty())
    runtime = runtimeLibrary();
  if (!options.runtime.empty() && ::access(runtime.c_str(), R_OK) != 0)
    throw Failure("--runtime " + runtime + ": " + std::strerror(errno));
  if (!runtime.empty())
    out.emplace_back("GPUINSTR_RUNTIME", runtime);
  if (options.simulate) {
    std::string folder = simulatorFolder(), paths = variable("LD_LIBRARY_PATH");
    if (folder.empty())
      throw Failure("--simulate: this gpuinstr was built without the simulator");
    if (options.attach)
      folder += "/cupti:" + folder;
    out.emplace_back("LD_LIBRARY_PATH", paths.empty() ? folder : folder + ":" + paths);
  }
  if (options.attach)
    addInjection(out);
  return out;
}

} // namespace gpuinstr::cli
