// What is told of an address of compiled code: its line and function, and those around.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_NATIVE_PLACEFRAMES_H
#define GPUINSTR_ATTACH_NATIVE_PLACEFRAMES_H

#include "attach/native/Addresses.h"
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
/// The same of frames from the innermost to the outermost.
PlaceFrames placeFramesOf(std::vector<SourceFrame> frames);

/// As a report shows it: `ns::Buffer<int>::resize`, without arguments and what it returns.
std::string functionName(const std::string &name);

} // namespace gpuinstr::attach

#endif
