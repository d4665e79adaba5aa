// How to get from a function's stack frame to its caller's, from the tables that exceptions use.
// SPDX-License-Identifier: Apache-2.0
//
// A rule is worked out once for each address. Then a frame costs a look into a cache and one or two
// reads of the stack, a fiftieth of what _Unwind_Backtrace takes to read the same tables anew.
#ifndef GPUINSTR_ATTACH_NATIVE_FRAMERULES_H
#define GPUINSTR_ATTACH_NATIVE_FRAMERULES_H

#include <cstdint>
#include <cstring>

namespace gpuinstr::attach {

/// On x86-64. The return address lies right below the caller's frame.
struct FrameRule {
  enum Kind : uint8_t {
    Unknown, ///< not as simple as this: the unwinder of the compiler knows
    Steps,
    Ends ///< the outermost function, or one without tables
  };
  Kind kind = Unknown;
  bool fromBase = false;  ///< the caller's frame begins `up` above rbp, else above rsp
  bool savesBase = false; ///< the caller's rbp stands at `base` from there
  /// A function that aligned its stack anew: where the caller's frame begins stands `up` above rbp,
  /// the caller's rbp at rbp.
  bool isAligned = false;
  int32_t up = 0, base = 0;
};

/// The rule at an instruction.
FrameRule frameRuleAt(uint64_t address);

#if defined(__x86_64__)
#define GPUINSTR_HAS_FRAME_RULES 1
/// The function that says this becomes the position.
#define GPUINSTR_STACK_HERE(position)                                                              \
  asm volatile("leaq 0f(%%rip), %0\n0:\tmovq %%rsp, %1\n\tmovq %%rbp, %2"                          \
               : "=&r"((position).at), "=&r"((position).stack), "=&r"((position).base))
#else
#define GPUINSTR_STACK_HERE(position) (void)(position)
#endif

/// What a word of the stack says: where the caller's frame begins, its rbp, where it goes on.
enum class StackWord : uint8_t { Frame, Base, Return };

/// A function of the stack, from the inside outwards.
struct StackPosition {
  uint64_t at = 0; ///< an address inside the call that is in progress, 0: the stack ends
  uint64_t stack = 0, base = 0;

  /// Goes on to the caller. False: the rule does not say where that is, or it is not below `high`,
  /// the end of the thread's stack. `read` is asked for each word of the stack that is needed, and
  /// why.
  template <class Read> bool step(const FrameRule &rule, uint64_t high, Read &&read) {
    if (rule.kind != FrameRule::Steps)
      return false;
    uint64_t place = (rule.fromBase ? base : stack) + uint64_t(int64_t(rule.up)), caller = place;
    if (rule.isAligned) {
      if (place < stack || place >= high || place % 8)
        return false;
      caller = read(place, StackWord::Frame);
    }
    if (caller <= stack || caller > high || caller % 8)
      return false;
    if (rule.savesBase || rule.isAligned) {
      place = rule.isAligned ? base : caller + uint64_t(int64_t(rule.base));
      if (place < stack || place >= caller || place % 8)
        return false;
      base = read(place, StackWord::Base);
    }
    uint64_t returns = read(caller - 8, StackWord::Return);
    at = returns ? returns - 1 : 0;
    stack = caller;
    return true;
  }

  bool step(const FrameRule &rule, uint64_t high) {
    return step(rule, high, [](uint64_t place, StackWord) { return wordAt(place); });
  }

  static uint64_t wordAt(uint64_t address) {
    uint64_t word;
    std::memcpy(&word, reinterpret_cast<const void *>(address), sizeof word);
    return word;
  }
};

} // namespace gpuinstr::attach

#endif
