// A call's operands, decoded from its frame.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CUDA_OPERANDS_CALLOPERANDS_H
#define GPUINSTR_CUDA_OPERANDS_CALLOPERANDS_H

#include "cuda/operands/DeviceWorkKind.h"
#include "cuda/operands/LaunchConfig.h"
#include "gpuinstr/abi.h"
#include <cstddef>

namespace gpuinstr::cuda {

/// Memory that a call reads or writes: `slices` of `rows` of `width` bytes.
struct Region {
  uint64_t address = 0; ///< 0: none, or not linear memory
  uint64_t array = 0;   ///< a cudaArray in place of an address
  uint64_t width = 0;
  uint64_t rows = 1, pitch = 0;        ///< bytes from row to row
  uint64_t slices = 1, slicePitch = 0; ///< bytes from slice to slice
  uint64_t place = 0; ///< where in the array, mixed to one number, of calls that say it in a struct

  /// Bytes from the first to behind the last one touched; UINT64_MAX when that overflows.
  uint64_t span() const { return rows == 1 && slices == 1 ? width : spanOfRows(); }

private:
  uint64_t spanOfRows() const;
};

/// What a call was given: slots of its frame, and the structs that they point to. Everything is as
/// passed; nobody asks the driver for it.
struct CallOperands {
  unsigned op = 0, resource = 0, detail = 0;
  uint32_t flags = 0;
  const gpuinstr_frame *frame = nullptr;
  Region dst, src;
  uint64_t bytes = 0; ///< moved, set or allocated; 0 for handles
  /// As passed, also in a launch configuration; the per-thread default stream is 2.
  uint64_t stream = 0;
  uint64_t pool = 0; ///< ALLOC from a pool
  /// Of copies, as the call spells it; Unknown where the pointers decide.
  CopyDirection direction = CopyDirection::Unknown;
  LaunchConfig launch; ///< of a LAUNCH

  uint64_t slot(unsigned i) const { return frame->site->slots >> i & 1 ? frame->slot[i] : 0; }
};

/// Reads operands and the structs they point to, as valid before the call. The pointer that an
/// allocation or creation returns is read by resultOf(). Of calls in progress, operandsOf() has
/// the result (calls/threads/DecodedOperands.h).
void decode(const gpuinstr_frame &frame, CallOperands &operands);
inline CallOperands decode(const gpuinstr_frame &frame) {
  CallOperands operands;
  decode(frame, operands);
  return operands;
}

/// Of a linear or pitched copy, by its site and what its frame has in the slot KIND.
CopyDirection directionOf(const gpuinstr_site &site, uint64_t kind);

/// What an element takes of the array that an ALLOC makes; 0 unknown.
uint64_t elementBytes(const CallOperands &operands);

/// What an ALLOC or CREATE made, after it succeeded. Of pitched memory the size follows from the
/// pitch, which comes with it.
struct Made {
  uint64_t address = 0; ///< or the handle; 0 none
  uint64_t bytes = 0, pitch = 0;
};
Made resultOf(const CallOperands &operands);

/// Operands of one copy of a COPY_BATCH; `index` below batchCount().
uint64_t batchCount(const CallOperands &operands);
bool batchItem(const CallOperands &operands, uint64_t index, CallOperands &item);

/// Of a GRAPH_NODE that adds a copy: that copy, as if it were a call's. False: another node.
bool nodeCopy(const CallOperands &operands, CallOperands &copy);
/// What it adds: its detail, or what the struct says that it was given.
unsigned nodeDetail(const CallOperands &operands);
/// Of a NodeOfGraph, by nodeDetail(): the graph that the node gets a copy of. 0: not known.
uint64_t nodeGraph(const CallOperands &operands);

} // namespace gpuinstr::cuda

#endif
