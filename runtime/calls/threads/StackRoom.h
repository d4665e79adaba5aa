// Whether a call stands on a stack that has room for what the runtime does.
// SPDX-License-Identifier: Apache-2.0
//
// A handler on a small alternate stack, or a thread with the least stack that the system allows,
// may have room for its CUDA call and for no more. Such calls are not looked at.
#ifndef GPUINSTR_CALLS_THREADS_STACKROOM_H
#define GPUINSTR_CALLS_THREADS_STACKROOM_H

#include "base/system/ThreadStack.h"
#include <cstdint>

namespace gpuinstr {

class StackRoom {
public:
  /// One comparison while the thread stays on the stack of its last call.
  bool suffices(uintptr_t stackPointer) {
    return __builtin_expect(stackPointer - Low < Span, true) || look(stackPointer);
  }

private:
  bool look(uintptr_t stackPointer);
  bool judge(uintptr_t stackPointer, uintptr_t begin, uintptr_t end);

  uintptr_t Low = 0, Span = 0; ///< known to have room
  ThreadStack Own;
  bool Asked = false;
};

/// Calls that were passed over for want of room.
uint64_t callsWithoutRoom();
void forgetCallsWithoutRoom();

} // namespace gpuinstr

#endif
