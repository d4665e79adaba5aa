// The modules that the dynamic linker has loaded.
// SPDX-License-Identifier: Apache-2.0
//
// It holds a lock while it lists them, and knows nothing of exceptions: one that passed through
// would leave that lock taken for good, or end the program. Nor may a visit ask the linker for
// anything, a symbol or a library: whoever loads one in another thread has the lock that this
// takes, and waits for the list's.
#ifndef GPUINSTR_BASE_SYSTEM_LOADEDMODULES_H
#define GPUINSTR_BASE_SYSTEM_LOADEDMODULES_H

#include <exception>
#include <link.h>

namespace gpuinstr {

/// Visits each, the program itself first, until `visit` returns false. What it throws comes out
/// here, once the list is let go of.
template <class Visit> void eachLoadedModule(Visit visit) {
  struct State {
    Visit &visit;
    std::exception_ptr thrown;
  } state{visit, nullptr};
  dl_iterate_phdr(
      [](dl_phdr_info *module, size_t, void *data) noexcept {
        State &state = *static_cast<State *>(data);
        try {
          return state.visit(*module) ? 0 : 1;
        } catch (...) {
          state.thrown = std::current_exception();
          return 1;
        }
      },
      &state);
  if (state.thrown)
    std::rethrow_exception(state.thrown);
}

} // namespace gpuinstr

#endif
