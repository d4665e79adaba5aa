// The place in the program that a driver call comes from, and the site that stands for it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_PLACE_H
#define GPUINSTR_ATTACH_PLACE_H

#include "attach/driver/DriverCalls.h"
#include <cstdint>
#include <string>

namespace gpuinstr::attach {

/// What is told of a place, once in its life.
struct PlaceText {
  std::string file, function;
  uint32_t line = 0;
  std::string via;    ///< the library function that the place called, "" none
  std::string source; ///< the line's text, "" not readable
};

/// A place by a number that tells it from all others: a code object and an instruction, or an
/// address. 0: none.
struct PlaceKey {
  uint64_t value = 0;
  bool python = false;
};

struct Places {
  PlaceKey place, caller;
  const char *pool = nullptr; ///< the allocator that asks, "CuPy's pool"; nullptr none
};

/// The place of the call in progress on this thread.
Places currentPlaces(const DriverCall &call);

/// The site of this function at this place, made at first use. Never freed. `pool`: the call sets
/// memory that this pool hands out again and again.
const gpuinstr_site *siteOf(const DriverCall &call, PlaceKey place, const char *pool);
/// The line that called the function with that site.
const gpuinstr_site *callerOf(PlaceKey caller, const gpuinstr_site &called);

/// Line `line` of a text file, "" not readable.
std::string lineOfFile(const std::string &file, uint32_t line);
/// What the result is put into: x_gpu of `x_gpu = cp.asarray(x)`; of C and C++, the first argument.
std::string variableIn(const std::string &source, bool python);
/// What the line assigns to, "" nothing: lost of `CUdeviceptr lost = hold(4096);`.
std::string assignedIn(const std::string &source);

} // namespace gpuinstr::attach

#endif
