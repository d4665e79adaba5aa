// Parses GPUINSTR_SIM.
// SPDX-License-Identifier: Apache-2.0
#include "common/SimulatorOptions.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace gpuinstr::sim {

namespace {

bool parseInteger(const std::string &Text, long Low, long High, long &Value) {
  char *End = nullptr;
  errno = 0;
  long Parsed = std::strtol(Text.c_str(), &End, 10);
  if (Text.empty() || *End || errno || Parsed < Low || Parsed > High)
    return false;
  Value = Parsed;
  return true;
}

/// Sets \p Flag for the second of two words; false when \p Value is neither.
bool choose(const std::string &Value, const char *No, const char *Yes, bool &Flag) {
  if (Value != No && Value != Yes)
    return false;
  Flag = Value == Yes;
  return true;
}

/// Applies one key; returns false when the key is unknown or the value is bad.
bool apply(Options &Opts, const std::string &Key, const std::string &Value) {
  long Number = 0;
  if (Key == "memory") {
    size_t Bytes = 0;
    if (!parseBytes(Value.c_str(), Bytes) || Bytes == 0)
      return false;
    Opts.Memory = Bytes;
    return true;
  }
  if (Key == "devices") {
    if (!parseInteger(Value, 0, 64, Number))
      return false;
    Opts.Devices = static_cast<int>(Number);
    return true;
  }
  if (Key == "threads") {
    if (!parseInteger(Value, 1, 1024, Number))
      return false;
    Opts.Threads = static_cast<int>(Number);
    return true;
  }
  if (Key == "kernels")
    return choose(Value, "refuse", "skip", Opts.SkipKernels);
  if (Key == "check")
    return choose(Value, "off", "pages", Opts.GuardPages);
  if (Key == "log" || Key == "help") {
    if (!parseInteger(Value, 0, 1, Number))
      return false;
    (Key == "log" ? Opts.Log : Opts.Help) = Number != 0;
    return true;
  }
  return false;
}

void printHelp() {
  std::fputs("gpuinstr simulator: GPUINSTR_SIM=key=value:key=value\n"
             "  memory=BYTES  memory of each device, suffix K, M, G or T (default 16G)\n"
             "  devices=N     number of devices, 0 to 64 (default 1)\n"
             "  threads=N     system threads that run kernels, 1 to 1024 (default: all cores)\n"
             "  kernels=refuse|skip  kernels that carry no code: their launch fails, or counts as\n"
             "                done and writes nothing (default refuse)\n"
             "  check=off|pages  a page behind each allocation that stops kernels (default pages)\n"
             "  log=0|1       one line on stderr for each call (default 0)\n"
             "  help=0|1      print this list (default 0)\n",
             stderr);
}

} // namespace

bool parseBytes(const char *Text, size_t &Bytes) {
  if (!Text || *Text < '0' || *Text > '9')
    return false;
  char *End = nullptr;
  errno = 0;
  unsigned long long Number = std::strtoull(Text, &End, 10);
  if (errno)
    return false;
  static const char Suffixes[] = "KMGT";
  unsigned Shift = 0;
  if (*End) {
    const char *Suffix = std::strchr(Suffixes, *End & ~0x20);
    if (!Suffix || End[1])
      return false;
    Shift = 10 * (1 + static_cast<unsigned>(Suffix - Suffixes));
  }
  if (Number > (UINT64_MAX >> Shift))
    return false;
  Bytes = static_cast<size_t>(Number << Shift);
  return true;
}

Options parseOptions(const char *Text) {
  Options Opts;
  std::string Rest = Text ? Text : "";
  while (!Rest.empty()) {
    size_t Colon = Rest.find(':');
    std::string Item = Rest.substr(0, Colon);
    Rest = Colon == std::string::npos ? "" : Rest.substr(Colon + 1);
    if (Item.empty())
      continue;
    size_t Equal = Item.find('=');
    std::string Value = Equal == std::string::npos ? "" : Item.substr(Equal + 1);
    if (!apply(Opts, Item.substr(0, Equal), Value))
      std::fprintf(stderr,
                   "gpuinstr simulator: GPUINSTR_SIM: '%s' is not understood, the default is used "
                   "(help=1 lists the keys)\n",
                   Item.c_str());
  }
  return Opts;
}

const Options &options() {
  // Leaked, because calls may come from destructors that run after ours.
  static const Options *Opts = [] {
    auto *Parsed = new Options(parseOptions(std::getenv("GPUINSTR_SIM")));
    if (Parsed->Help)
      printHelp();
    return Parsed;
  }();
  return *Opts;
}

int simulatorThreads() {
  static const int Count = [] {
    int Cores = static_cast<int>(std::thread::hardware_concurrency());
    return options().Threads ? options().Threads : Cores > 0 ? Cores : 1;
  }();
  return Count;
}

} // namespace gpuinstr::sim
