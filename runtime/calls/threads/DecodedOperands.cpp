// Operands of the calls in progress, decoded when somebody first asks.
// SPDX-License-Identifier: Apache-2.0
#include "calls/threads/DecodedOperands.h"
#include "base/HotCode.h"
#include <algorithm>

namespace gpuinstr {

namespace {

/// Depths that share the first place; of the others by so many bits more. The deeper call takes it.
constexpr uint64_t sharingFirst() {
  uint64_t depths = 0;
  for (uint32_t depth = 0; depth < ThreadState::MaxDepth; depth += ThreadState::OperandPlaces)
    depths |= uint64_t(1) << depth;
  return depths;
}
constexpr uint64_t SharingFirst = sharingFirst();
static_assert(ThreadState::MaxDepth == 64, "a bit of `decoded` each");

/// The innermost call, or the one that was inside it until now.
uint32_t depthOf(ThreadState &thread, const gpuinstr_frame &frame) {
  uint32_t depth = thread.depth;
  if (depth && thread.frames[depth - 1].frame == &frame)
    return depth - 1;
  uint32_t left = std::min(depth, ThreadState::MaxDepth - 1);
  if (thread.frames[left].frame != &frame)
    forgetOperandsAt(thread, left); // of no call that we know
  return left;
}

} // namespace

GPUINSTR_HOT const cuda::CallOperands &operandsOf(ThreadState &thread,
                                                  const gpuinstr_frame &frame) {
  uint32_t depth = depthOf(thread, frame), place = depth % ThreadState::OperandPlaces;
  cuda::CallOperands &operands = thread.operands[place];
  uint64_t bit = uint64_t(1) << depth;
  if (!(thread.decoded & bit)) {
    thread.decoded = (thread.decoded & ~(SharingFirst << place)) | bit;
    cuda::decode(frame, operands);
    ++thread.decodings;
  }
  return operands;
}

} // namespace gpuinstr
