// What is told of an address of compiled code: its line and function, and those around.
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/PlaceFrames.h"
#include "attach/native/CudaNames.h"
#include "base/text/Demangled.h"
#include <cstring>

namespace gpuinstr::attach {

namespace {

bool endsWith(const std::string &text, const char *end) {
  size_t length = std::strlen(end);
  return text.size() >= length && text.compare(text.size() - length, length, end) == 0;
}

/// Where the arguments of a demangled name begin; its size where it has none.
size_t argumentsOf(const std::string &name) {
  size_t close = name.rfind(')');
  int open = 0;
  for (size_t at = close; at != std::string::npos && at > 0; --at) {
    open += (name[at] == ')') - (name[at] == '(');
    if (!open)
      return at;
  }
  return name.size();
}

/// Where the name itself begins, behind what a template returns.
size_t beginOf(const std::string &name) {
  size_t end = name.find("operator"), begin = 0;
  int open = 0;
  for (size_t at = 0; at < std::min(end, name.size()); ++at) {
    if (std::strchr("<({[", name[at]))
      ++open;
    else if (std::strchr(">)}]", name[at]))
      --open;
    else if (name[at] == ' ' && !open)
      begin = at + 1;
  }
  return begin;
}

} // namespace

std::string functionName(const std::string &mangled) {
  std::string name = demangled(mangled.c_str());
  if (name == mangled)
    return name;
  if (size_t clone = name.find(" [clone "); clone != std::string::npos && clone > 0)
    name.resize(clone);
  for (const char *qualifier : {" const", " volatile", " &", " &&"})
    if (endsWith(name, qualifier))
      name.resize(name.size() - std::strlen(qualifier));
  if (!endsWith(name, ")"))
    return name;
  size_t end = argumentsOf(name);
  name.resize(end ? end : name.size());
  return name.substr(beginOf(name));
}

PlaceFrames placeFramesOf(std::vector<SourceFrame> frames) {
  PlaceFrames found;
  if (frames.empty())
    return found;
  size_t at = 0;
  while (at + 1 < frames.size() && isCudaWrapper(frames[at].function))
    ++at;
  found.place = frames[at];
  do
    ++at;
  while (at < frames.size() && isCudaWrapper(frames[at].function));
  found.hasAround = at < frames.size();
  if (found.hasAround)
    found.around = frames[at];
  return found;
}

const PlaceFrames &placeFrames(const Address &what, uint64_t address) {
  if (const PlaceFrames *known = what.frames.load(std::memory_order_acquire))
    return *known;
  std::vector<SourceFrame> frames = framesAt(what.module, address - what.base);
  if (frames.empty())
    frames.push_back({});
  // The debug information has no names of clones (hold.part.0), a table of symbols only those.
  std::string &outermost = frames.back().function;
  bool isClone = what.symbol.find('.') != std::string::npos;
  if (!what.symbol.empty() && (outermost.empty() || !isClone))
    outermost = what.symbol;
  auto *fresh = new PlaceFrames(placeFramesOf(std::move(frames)));
  const PlaceFrames *before = nullptr;
  if (what.frames.compare_exchange_strong(before, fresh, std::memory_order_acq_rel))
    return *fresh;
  delete fresh;
  return *before;
}

} // namespace gpuinstr::attach
