// What is told of an address of compiled code: its line and function, and those around.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_NATIVE_PLACEFRAMES_H
#define GPUINSTR_ATTACH_NATIVE_PLACEFRAMES_H

#include "attach/native/Addresses.h"
#include "attach/native/KernelStubs.h"
#include "attach/native/dwarf/SourceFrames.h"

namespace gpuinstr::attach {

/// Of the functions that are inlined one into the other at an address, the innermost that is not
/// CUDA's, and the next such one further out.
struct PlaceFrames {
  SourceFrame place, around;
  bool hasAround = false;
};

/// Looked up once for an address, never freed.
const PlaceFrames &placeFrames(const Address &what, uint64_t address);
/// Whether a walk goes on to the caller: all that is inlined there is CUDA's.
bool isPassed(const Address &what, uint64_t address);

/// The same of frames from the innermost to the outermost.
PlaceFrames placeFramesOf(const std::vector<SourceFrame> &frames, const KernelStubs &stubs);
bool arePassed(const std::vector<SourceFrame> &frames, const KernelStubs &stubs);

} // namespace gpuinstr::attach

#endif
