// Parses GPUINSTR_SIM.
// SPDX-License-Identifier: Apache-2.0
#include "common/SimulatorOptions.h"

#include "common/Failures.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace gpuinstr::sim {

namespace {

bool parseInteger(const std::string &text, long low, long high, long &value) {
  char *end = nullptr;
  errno = 0;
  long parsed = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end || errno || parsed < low || parsed > high)
    return false;
  value = parsed;
  return true;
}

/// Sets \p flag for the second of two words; false when \p value is neither.
bool choose(const std::string &value, const char *no, const char *yes, bool &flag) {
  if (value != no && value != yes)
    return false;
  flag = value == yes;
  return true;
}

/// Applies one key; returns false when the key is unknown or the value is bad.
bool apply(Options &opts, const std::string &key, const std::string &value) {
  long number = 0;
  if (key == "memory") {
    size_t bytes = 0;
    if (!parseBytes(value.c_str(), bytes) || bytes == 0)
      return false;
    opts.memory = bytes;
    return true;
  }
  if (key == "devices") {
    if (!parseInteger(value, 0, 64, number))
      return false;
    opts.devices = static_cast<int>(number);
    return true;
  }
  if (key == "threads") {
    if (!parseInteger(value, 1, 1024, number))
      return false;
    opts.threads = static_cast<int>(number);
    return true;
  }
  if (key == "kernels")
    return choose(value, "refuse", "skip", opts.skipKernels);
  if (key == "check")
    return choose(value, "off", "pages", opts.guardPages);
  if (key == "host") {
    opts.tellsHostArguments = value == "told";
    opts.reachesHost = value == "reached";
    return value == "open" || opts.tellsHostArguments || opts.reachesHost;
  }
  if (key == "fail") {
    opts.fail = value;
    return areFailures(value);
  }
  if (key == "oracle") {
    opts.oracle = value;
    return !value.empty();
  }
  if (key == "power") // libnvidia-ml.so.1 reads it
    return !value.empty() && value[0] >= '0' && value[0] <= '9';
  if (key == "log" || key == "help") {
    if (!parseInteger(value, 0, 1, number))
      return false;
    (key == "log" ? opts.log : opts.help) = number != 0;
    return true;
  }
  return false;
}

void printHelp() {
  std::fputs(
      "gpuinstr simulator: GPUINSTR_SIM=key=value:key=value\n"
      "  memory=BYTES  memory of each device, suffix K, M, G or T (default 16G)\n"
      "  devices=N     number of devices, 0 to 64 (default 1)\n"
      "  threads=N     system threads that run kernels, 1 to 1024 (default: all cores)\n"
      "  kernels=refuse|skip  kernels that carry no code: their launch fails, or counts as\n"
      "                done and writes nothing (default refuse)\n"
      "  check=off|pages  a page behind each allocation that stops kernels (default pages)\n"
      "  host=open|told|reached  kernels use the host's own memory: nothing is said, a line for\n"
      "                each that gets such an address, or the device says that it can (default "
      "open)\n"
      "  fail=NAME@WHEN=CODE,...  calls that fail: WHEN is the n-th call, N+ from then on, P% of\n"
      "                all; NAME may hold * (default none)\n"
      "  power=WATTS[,reasons=HEX][,mig][,vgpu][,start=MS]  what libnvidia-ml.so.1 says of the\n"
      "                devices; without it there is none (default)\n"
      "  log=0|1       one line on stderr for each call (default 0)\n"
      "  oracle=FILE   at exit, what was true of each line's copies; %p: process (default none)\n"
      "  help=0|1      print this list (default 0)\n",
      stderr);
}

} // namespace

bool parseBytes(const char *text, size_t &bytes) {
  if (!text || *text < '0' || *text > '9')
    return false;
  char *end = nullptr;
  errno = 0;
  unsigned long long number = std::strtoull(text, &end, 10);
  if (errno)
    return false;
  static const char suffixes[] = "KMGT";
  unsigned shift = 0;
  if (*end) {
    const char *suffix = std::strchr(suffixes, *end & ~0x20);
    if (!suffix || end[1])
      return false;
    shift = 10 * (1 + static_cast<unsigned>(suffix - suffixes));
  }
  if (number > (UINT64_MAX >> shift))
    return false;
  bytes = static_cast<size_t>(number << shift);
  return true;
}

Options parseOptions(const char *text) {
  Options opts;
  std::string rest = text ? text : "";
  while (!rest.empty()) {
    size_t colon = rest.find(':');
    std::string item = rest.substr(0, colon);
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
    if (item.empty())
      continue;
    size_t equal = item.find('=');
    std::string value = equal == std::string::npos ? "" : item.substr(equal + 1);
    if (!apply(opts, item.substr(0, equal), value))
      std::fprintf(stderr,
                   "gpuinstr simulator: GPUINSTR_SIM: '%s' is not understood, the default is used "
                   "(help=1 lists the keys)\n",
                   item.c_str());
  }
  return opts;
}

const Options &options() {
  // Leaked, because calls may come from destructors that run after ours.
  static const Options *opts = [] {
    auto *parsed = new Options(parseOptions(std::getenv("GPUINSTR_SIM")));
    if (parsed->help)
      printHelp();
    return parsed;
  }();
  return *opts;
}

int simulatorThreads() {
  static const int count = [] {
    int cores = static_cast<int>(std::thread::hardware_concurrency());
    return options().threads ? options().threads : cores > 0 ? cores : 1;
  }();
  return count;
}

} // namespace gpuinstr::sim
