// Operands of the calls in progress, decoded when somebody first asks.
// SPDX-License-Identifier: Apache-2.0
#include "calls/threads/DecodedOperands.h"
#include <algorithm>

namespace gpuinstr {

namespace {

/// Depths that share a place: the deeper call takes it.
constexpr uint64_t sharing(uint32_t place) {
  uint64_t depths = 0;
  for (uint32_t depth = place; depth < ThreadState::MaxDepth; depth += ThreadState::OperandPlaces)
    depths |= uint64_t(1) << depth;
  return depths;
}
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

const cuda::CallOperands &operandsOf(ThreadState &thread, const gpuinstr_frame &frame) {
  uint32_t depth = depthOf(thread, frame), place = depth % ThreadState::OperandPlaces;
  cuda::CallOperands &operands = thread.operands[place];
  uint64_t bit = uint64_t(1) << depth;
  if (!(thread.decoded & bit)) {
    thread.decoded = (thread.decoded & ~sharing(place)) | bit;
    operands = cuda::decode(frame);
    ++thread.decodings;
  }
  return operands;
}

} // namespace gpuinstr
