// Calls that fail because option fail= says so.
// SPDX-License-Identifier: Apache-2.0
#include "common/Failures.h"

#include "common/SimulatorOptions.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fnmatch.h>
#include <memory>
#include <vector>

namespace gpuinstr::sim {

namespace {

struct Failure {
  std::string name;
  enum { Once, FromThenOn, Share } when = Once;
  uint64_t number = 0; ///< of the call, from 1, or so many of a hundred
  int code = 0;
  std::atomic<uint64_t> calls{0};

  bool meets(const char *call) {
    if (::fnmatch(name.c_str(), call, 0) != 0)
      return false;
    uint64_t n = calls.fetch_add(1) + 1;
    if (when != Share)
      return n == number || (when == FromThenOn && n > number);
    return (n * 0x9e3779b97f4a7c15u >> 32) % 100 < number; // the same in each run
  }
};

using Failures = std::vector<std::unique_ptr<Failure>>;

bool parseOne(const std::string &text, Failure &out) {
  size_t at = text.find('@'), equal = text.find('=', at == std::string::npos ? 0 : at);
  if (at == 0 || at == std::string::npos || equal == std::string::npos)
    return false;
  char *end = nullptr;
  const std::string when = text.substr(at + 1, equal - at - 1), code = text.substr(equal + 1);
  out.name = text.substr(0, at);
  out.number = std::strtoull(when.c_str(), &end, 10);
  std::string rest = end;
  out.when = rest == "+" ? Failure::FromThenOn : rest == "%" ? Failure::Share : Failure::Once;
  bool good = end != when.c_str() && (rest.empty() || rest == "+" || rest == "%") && out.number;
  out.code = int(std::strtol(code.c_str(), &end, 10));
  return good && !code.empty() && !*end && out.code > 0;
}

bool parse(std::string text, Failures &out) {
  while (!text.empty()) {
    size_t comma = text.find(',');
    out.push_back(std::make_unique<Failure>());
    if (!parseOne(text.substr(0, comma), *out.back()))
      return false;
    text = comma == std::string::npos ? "" : text.substr(comma + 1);
  }
  return !out.empty();
}

} // namespace

bool areFailures(const std::string &text) {
  Failures parsed;
  return parse(text, parsed);
}

int chosenFailure(const char *name) {
  // Leaked, because calls may come from destructors that run after ours.
  static Failures *all = [] {
    auto *parsed = new Failures;
    if (!options().fail.empty() && !parse(options().fail, *parsed))
      parsed->clear();
    return parsed;
  }();
  int code = 0;
  for (const std::unique_ptr<Failure> &one : *all)
    if (one->meets(name) && !code)
      code = one->code;
  return code;
}

bool isSticky(int code) {
  constexpr int Ecc = 214, IllegalAddress = 700, Timeout = 702, Assert = 710, StackError = 714,
                LaunchFailure = 719;
  return code == Ecc || code == IllegalAddress || code == Timeout || code == Assert ||
         (code >= StackError && code <= LaunchFailure);
}

} // namespace gpuinstr::sim
