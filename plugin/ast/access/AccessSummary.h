// How a device function treats the memory that its parameters lead to.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_ACCESSSUMMARY_H
#define GPUINSTR_PLUGIN_AST_ACCESS_ACCESSSUMMARY_H

#include "gpuinstr/abi.h"
#include <array>
#include <cstdint>

namespace clang {
class FunctionDecl;
class QualType;
} // namespace clang

namespace gpuinstr {

/// The bits gpuinstr_access of abi.h.
namespace access {
constexpr uint8_t Read = GPUINSTR_ACCESS_READ, Write = GPUINSTR_ACCESS_WRITE,
                  Escape = GPUINSTR_ACCESS_ESCAPE, Unknown = GPUINSTR_ACCESS_UNKNOWN,
                  Follow = GPUINSTR_ACCESS_FOLLOW, Before = GPUINSTR_ACCESS_BEFORE;
/// Memory may decide where, or whether, it is written. In summaries alone: what is not marked as
/// such there is GPUINSTR_ACCESS_REGULAR.
constexpr uint8_t Anywhere = 128;
/// Of all global variables, in summaries alone: addresses are made of what are no pointers, so
/// whatever memory holds may be one.
constexpr uint8_t Forged = 16;
} // namespace access

/// A set of roots. Parameter i has two: bit 2i is the memory that it points to (a pointer, a
/// reference, the pointers inside an aggregate by value), bit 2i+1 is what pointers loaded from
/// that memory lead to. The own object of a method comes after the parameters. The last two bits
/// stand for all global variables: their memory, and what pointers in them lead to.
using Roots = uint64_t;
constexpr unsigned MaxRootedParameters = 31; ///< the object included

/// The root of parameter I, or of the own object behind the last one: that number. Of a function
/// with more parameters than there are roots only those that may hold pointers have one; no call
/// knows of its summary.
unsigned rootOf(const clang::FunctionDecl &F, unsigned I);
/// More parameters than roots.
bool hasFewRoots(const clang::FunctionDecl &F);

constexpr Roots memoryOf(unsigned Parameter) { return Roots(1) << (2 * Parameter); }
constexpr Roots behind(unsigned Parameter) { return Roots(1) << (2 * Parameter + 1); }

constexpr unsigned GlobalsIndex = MaxRootedParameters; ///< of all global variables, as a parameter
constexpr Roots Globals = memoryOf(GlobalsIndex), BehindGlobals = behind(GlobalsIndex);

struct AccessSummary {
  std::array<uint8_t, 64> Access = {}; ///< gpuinstr_access by root
  std::array<Roots, 32> Stored = {};   ///< pointers stored into the memory of parameter i
  /// Memory of parameters that is used as numbers, though pointers may be in it. What is written so
  /// may be pointers that were read as numbers from elsewhere.
  Roots Punned = 0;
  /// Of Punned, and of what lies behind: where a cast takes numbers for pointers, or pointers for
  /// numbers.
  Roots Retyped = 0;
  /// Memory of parameters that is looked at as numbers: pointers in it are known as such from then
  /// on.
  Roots Exposed = 0;
  Roots Returned = 0; ///< what a returned pointer, reference or aggregate leads to
  /// Somebody may know the address of an object that it makes, which may be the one it returns.
  bool MakesKept = false;

  /// ... of what parameter I refers to.
  bool keeps(unsigned I) const;
  /// ... and nobody gets it back.
  bool keepsNoAddress(unsigned I) const;

  bool operator==(const AccessSummary &O) const {
    return Access == O.Access && Stored == O.Stored && Punned == O.Punned && Retyped == O.Retyped &&
           Exposed == O.Exposed && Returned == O.Returned && MakesKept == O.MakesKept;
  }
};

/// True for pointers, references and what contains them.
bool mayHoldPointers(clang::QualType T);
/// Where no four-byte boundary is: members of packed classes.
bool holdsUnalignedPointers(clang::QualType T);

} // namespace gpuinstr

#endif
