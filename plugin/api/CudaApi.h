// Look-up in the table of CUDA entry points, and lowering of their operands to IR arguments.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_API_CUDAAPI_H
#define GPUINSTR_PLUGIN_API_CUDAAPI_H

#include "gpuinstr/abi.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace llvm {
class CallBase;
class Function;
class Value;
} // namespace llvm

namespace gpuinstr {

/// One operand of an entry point: AST parameter Param goes into frame slot Slot.
struct ApiOperand {
  enum Form : uint8_t {
    Plain,  ///< one parameter, one slot
    Dim3,   ///< a dim3 by value: Slot and Slot + 1
    Triple, ///< three unsigned parameters: Slot and Slot + 1
  };
  uint8_t Slot;
  uint8_t Param;
  Form Shape;
};

constexpr unsigned MaxApiOperands = 8;

/// Detail of an OTHER of which nobody knows what it does.
constexpr uint16_t DoesAnything = 2;

struct ApiEntry {
  llvm::StringLiteral Name;
  int Parameters; ///< -1 any
  uint16_t Op, Resource;
  uint32_t Flags; ///< gpuinstr_site_flags
  uint16_t Detail;
  ApiOperand Operands[MaxApiOperands];
  unsigned NumOperands;

  llvm::ArrayRef<ApiOperand> operands() const { return {Operands, NumOperands}; }
  /// AST parameter that fills Slot, or -1.
  int parameterOf(unsigned Slot) const;
};

/// A CUDA entry point, found in the table or by its prefix.
struct ApiMatch {
  const ApiEntry *Entry = nullptr; ///< null: known by prefix alone
  uint16_t Op = 0, Resource = 0, Detail = 0;
  uint32_t Flags = 0;
  bool ByPrefix = false;
  /// A vendor library's: its kernels touch what pointers it is given, in this call or before.
  bool TouchesGiven = false;
  /// ... and where a parameter points to const, they read what it leads to, in this call alone.
  bool ReadsConst = false;
};

/// Symbol without _ptds/_ptsz and _v2/_v3. PerThread says whether the former was there.
llvm::StringRef plainApiName(llvm::StringRef Symbol, bool &PerThread);

/// The row for a symbol. Parameters is the number of AST parameters, -1 when unknown: then the
/// first row of that name is taken.
const ApiEntry *findApiEntry(llvm::StringRef Symbol, int Parameters = -1);

/// The row or prefix for a symbol; nothing when it is no CUDA entry point by name.
std::optional<ApiMatch> matchApiName(llvm::StringRef Symbol, int Parameters = -1);

/// The same for a declared function, with the number of parameters and the result taken from its
/// type. A prefix counts only for functions that return a status.
std::optional<ApiMatch> matchApiFunction(const llvm::Function &F);

/// Number of the IR arguments before which AST parameter Param of Entry stands in Call; dim3 takes
/// two where the target splits it, a hidden result pointer takes one.
struct OperandPlace {
  unsigned Index; ///< first IR argument
  unsigned Count; ///< IR arguments that hold it
};
std::optional<OperandPlace> placeOf(const llvm::CallBase &Call, const ApiEntry &Entry,
                                    unsigned Param);

/// A copy or set that only takes its place in a stream, and the host goes on: asynchronous ones,
/// sets of the device's memory, copies within the device. Sets of managed or pinned memory block.
bool isQueuedTransfer(const llvm::CallBase &Call, const ApiMatch &Api);

} // namespace gpuinstr

#endif
