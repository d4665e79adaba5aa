// A place in the program: what tells it from others, and what is told of it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_SOURCE_PLACEKEY_H
#define GPUINSTR_ATTACH_SOURCE_PLACEKEY_H

#include <cstdint>
#include <string>

struct gpuinstr_site;

namespace gpuinstr::attach {

/// What is told of a place, once in its life.
struct PlaceText {
  std::string file, function;
  uint32_t line = 0, column = 0; ///< 0 unknown; the column of compiled code alone
  std::string via;               ///< the library function that the place called, "" none
  std::string source;            ///< the line's text, "" not readable
};

/// A place by a number that tells it from all others: a code object and an instruction, or an
/// address. 0: none.
struct PlaceKey {
  uint64_t value = 0;
  bool python = false;
};

/// The site of a function at a place, and its caller's.
struct KeptSites {
  const gpuinstr_site *site = nullptr, *caller = nullptr; ///< no site: none is kept
  const char *variable = nullptr; ///< of device code, that the call is about
};

struct Places {
  PlaceKey place, caller;
  const char *pool = nullptr; ///< the allocator that asks, "CuPy's pool"; nullptr none
  KeptSites *kept = nullptr;  ///< of this thread, where the function's sites there are kept
  bool ofLibrary = false;     ///< the place stands for all of its library, see libraryOf()
};

} // namespace gpuinstr::attach

#endif
