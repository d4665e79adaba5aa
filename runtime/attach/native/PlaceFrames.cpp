// What is told of an address of compiled code: its line and function, and those around.
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/PlaceFrames.h"
#include "attach/native/CudaNames.h"

namespace gpuinstr::attach {

namespace {

using Frames = std::vector<SourceFrame>;

/// CUDA's, or what it makes of a kernel; `inner`: what was inlined into it, nullptr nothing.
bool isPassed(const SourceFrame &frame, const SourceFrame *inner, const KernelStubs &stubs) {
  if (isCudaWrapper(frame.function) || stubs.has(frame.function))
    return true;
  if (!inner)
    return false;
  KernelStubs inlined;
  inlined.add(kernelOfStub(inner->function));
  return inlined.has(frame.function);
}

/// How many of them from `at` on, from the inside outwards, are passed over.
size_t passedFrom(size_t at, const Frames &frames, const KernelStubs &stubs) {
  size_t count = 0;
  for (; at < frames.size(); ++at, ++count)
    if (!isPassed(frames[at], at ? &frames[at - 1] : nullptr, stubs))
      break;
  return count;
}

/// At least one. The outermost has the name that the table of symbols has for it; that has names of
/// clones (hold.part.0), which debug information has not.
Frames framesOf(const Address &what, uint64_t address) {
  Frames frames = framesAt(what.module, address - what.base);
  if (frames.empty())
    frames.push_back({});
  std::string &outermost = frames.back().function;
  bool isClone = what.symbol.find('.') != std::string::npos;
  if (!what.symbol.empty() && (outermost.empty() || !isClone))
    outermost = what.symbol;
  return frames;
}

} // namespace

bool arePassed(const std::vector<SourceFrame> &frames, const KernelStubs &stubs) {
  return passedFrom(0, frames, stubs) == frames.size();
}

PlaceFrames placeFramesOf(const std::vector<SourceFrame> &frames, const KernelStubs &stubs) {
  PlaceFrames found;
  if (frames.empty())
    return found;
  size_t at = std::min(passedFrom(0, frames, stubs), frames.size() - 1);
  found.place = frames[at];
  size_t around = at + 1 + passedFrom(at + 1, frames, stubs);
  found.hasAround = around < frames.size();
  if (found.hasAround)
    found.around = frames[around];
  return found;
}

bool isPassed(const Address &what, uint64_t address) {
  if (what.symbol == "_start") // no place of the program's own: it calls main
    return true;
  const KernelStubs &stubs = kernelStubsOf(what.module);
  bool isCudas = isCudaSymbol(what.symbol), isMangled = what.symbol.rfind("_Z", 0) == 0;
  // Into templates of CUDA's the program's own code may be inlined.
  if (isCudas ? isMangled : stubs.any())
    return arePassed(framesOf(what, address), stubs);
  return isCudas;
}

const PlaceFrames &placeFrames(const Address &what, uint64_t address) {
  if (const PlaceFrames *known = what.frames.load(std::memory_order_acquire))
    return *known;
  auto *fresh = new PlaceFrames(placeFramesOf(framesOf(what, address), kernelStubsOf(what.module)));
  const PlaceFrames *before = nullptr;
  if (what.frames.compare_exchange_strong(before, fresh, std::memory_order_acq_rel))
    return *fresh;
  delete fresh;
  return *before;
}

} // namespace gpuinstr::attach
