// What a random program tells the simulated device's oracle (docs/Simulator.md); without one,
// nothing. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <stddef.h>

namespace oracle {

using Description = void (*)(const unsigned *grid, const unsigned *block, void **arguments);

template <class Function> Function entry(const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

/// The calls of this thread stand in that line from now on; 0: in none that is judged.
inline void mark(unsigned line) {
  static auto mark = entry<void (*)(unsigned)>("gpuinstr_simulator_mark");
  if (mark)
    mark(line);
}
inline void made(const void *address, unsigned line) {
  static auto made = entry<void (*)(const void *, unsigned)>("gpuinstr_simulator_made");
  if (made)
    made(address, line);
}
inline void reads(const void *address, size_t bytes) {
  static auto reads = entry<void (*)(const void *, size_t)>("gpuinstr_simulator_reads");
  if (reads && bytes)
    reads(address, bytes);
}
inline void writes(const void *address, size_t bytes) {
  static auto writes = entry<void (*)(const void *, size_t)>("gpuinstr_simulator_writes");
  if (writes && bytes)
    writes(address, bytes);
}
inline void describe(const void *kernel, Description description) {
  static auto describe =
      entry<void (*)(const void *, Description)>("gpuinstr_simulator_describe_kernel");
  if (describe)
    describe(kernel, description);
}

} // namespace oracle
