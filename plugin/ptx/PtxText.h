// Reads the text of inline PTX: statements without control flow.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_PTX_PTXTEXT_H
#define GPUINSTR_PLUGIN_PTX_PTXTEXT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <string>

namespace gpuinstr {

/// `@!p add.cc.u32 a, b, c` is guard "p", negated, parts {add cc u32}, operands {a b c}.
struct PtxStatement {
  std::string Text;
  std::string Guard;
  bool Negated = false;
  bool Pair = false; ///< the first two operands were written `d|p`
  llvm::SmallVector<std::string, 6> Parts;
  llvm::SmallVector<std::string, 6> Operands; ///< "$0", "r1", "[$1+4]", "{a,b}", "%laneid"

  llvm::StringRef name() const { return Parts[0]; }
  /// The last part: "u32".
  llvm::StringRef type() const { return Parts.back(); }
  bool has(llvm::StringRef Part) const;
};

/// Braces of blocks and .reg declarations are left out. Comments too.
llvm::SmallVector<PtxStatement, 4> readPtx(llvm::StringRef Text);

/// The names that .reg declares; of `r<4>`, r0 to r3.
llvm::StringSet<> ptxRegisters(llvm::StringRef Text);

/// "{a,b}" is a and b, "a" is itself.
llvm::SmallVector<std::string, 6> ptxParts(llvm::StringRef Operand);

/// At commas outside of brackets.
llvm::SmallVector<std::string, 6> splitPtxOperands(llvm::StringRef Text);

} // namespace gpuinstr

#endif
