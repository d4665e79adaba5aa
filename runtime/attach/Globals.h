// Variables of device code, by the names that programs ask the driver for.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_GLOBALS_H
#define GPUINSTR_ATTACH_GLOBALS_H

#include <atomic>
#include <cstdint>

namespace gpuinstr::attach {

/// The driver said where `name` lies. Libraries ask again and again: what is known costs a look.
void addGlobal(uint64_t address, uint64_t bytes, const char *name);
/// Whether that is known.
bool isGlobal(uint64_t address, const char *name);
/// Asks the driver, by the function that the program asked for the place alone, as cudart does:
/// cuModuleGetGlobal or cuLibraryGetGlobal. 0: it does not say.
uint64_t bytesOfGlobal(const char *function, void *owner, const char *name);
/// Memory that is allocated now: its module was unloaded, if a variable lay there.
void dropGlobals(uint64_t address, uint64_t bytes);
/// The variable that the address lies in; kept for good. nullptr: none.
const char *variableAt(uint64_t address);
extern std::atomic<bool> AnyGlobals;
inline const char *globalAt(uint64_t address) {
  return __builtin_expect(AnyGlobals.load(std::memory_order_relaxed), false) ? variableAt(address)
                                                                             : nullptr;
}

} // namespace gpuinstr::attach

#endif
