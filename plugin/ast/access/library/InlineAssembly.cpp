// What inline PTX does, where it can be read.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/library/InlineAssembly.h"

#include "ast/access/AccessSummary.h"
#include "compat/ClangCompat.h"
#include "ptx/PtxText.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
using namespace access;

namespace {

/// Of PTX ISA 9.0. Those of threads of a warp or a block wait for nobody else.
bool isOfRegisters(StringRef Name) {
  static const llvm::StringSet<> Names = {
      // numbers
      "abs", "add", "addc", "bfe", "bfi", "bfind", "bmsk", "brev", "clz", "copysign", "cos", "cvt",
      "div", "dp2a", "dp4a", "ex2", "fma", "fns", "lg2", "mad", "mad24", "madc", "max", "min",
      "mul", "mul24", "neg", "popc", "rcp", "rem", "rsqrt", "sad", "sin", "sqrt", "sub", "subc",
      "szext", "tanh", "testp", "vabsdiff", "vabsdiff2", "vabsdiff4", "vadd", "vadd2", "vadd4",
      "vavrg2", "vavrg4", "vmad", "vmax", "vmax2", "vmax4", "vmin", "vmin2", "vmin4", "vset",
      "vset2", "vset4", "vshl", "vshr", "vsub", "vsub2", "vsub4",
      // bits, comparisons, moves
      "and", "cnot", "cvta", "isspacep", "lop3", "mov", "not", "or", "prmt", "selp", "set", "setp",
      "shf", "shl", "shr", "slct", "xor",
      // with other threads, and of its own
      "activemask", "bar", "barrier", "fence", "match", "membar", "mma", "nanosleep", "redux",
      "shfl", "vote", "prefetch", "prefetchu"};
  return Names.contains(Name);
}

/// `%0` as $0, `%%laneid` as %laneid. Null for what else a % may stand for, and for registers whose
/// names are like ours.
std::optional<std::string> numbered(StringRef Text) {
  std::string Out;
  while (!Text.empty()) {
    const char C = Text.front();
    Text = Text.drop_front();
    if (C == '$')
      return std::nullopt;
    if (C != '%') {
      Out += C;
      continue;
    }
    unsigned Number = 0;
    if (Text.consume_front("%")) {
      Out += '%';
    } else if (!Text.consumeInteger(10, Number)) {
      Out += "$" + std::to_string(Number);
    } else {
      return std::nullopt;
    }
  }
  return Out;
}

/// `[$3+16]` is operand 3.
std::optional<unsigned> addressed(StringRef Operand) {
  unsigned Number = 0;
  if (!Operand.consume_front("[") || !Operand.consume_back("]"))
    return std::nullopt;
  Operand = Operand.trim();
  if (!Operand.consume_front("$") || Operand.consumeInteger(10, Number))
    return std::nullopt;
  Operand = Operand.trim();
  int Offset = 0;
  if (Operand.consume_front("+"))
    Operand = Operand.trim();
  if (!Operand.empty() && Operand.getAsInteger(0, Offset))
    return std::nullopt;
  return Number;
}

/// `st.u32[%0]` has no blank before its operands.
bool touchesBracket(StringRef Part) { return Part.contains('[') || Part.contains('{'); }

/// What an instruction does through the addresses among its operands, in their order.
std::optional<llvm::SmallVector<uint8_t, 2>> through(const PtxStatement &S) {
  const StringRef Name = S.name();
  if (isOfRegisters(Name))
    return llvm::SmallVector<uint8_t, 2>{0}; // prefetch has one
  if (Name == "ld" || Name == "ldu" || Name == "ldmatrix")
    return llvm::SmallVector<uint8_t, 2>{Read};
  if (Name == "st" || Name == "stmatrix")
    return llvm::SmallVector<uint8_t, 2>{Write};
  if (Name == "atom" || Name == "red")
    return llvm::SmallVector<uint8_t, 2>{Read | Write};
  const bool IsCopy = Name == "cp" && S.Parts.size() > 2 && S.Parts[1] == "async";
  if (IsCopy && (S.Parts[2] == "ca" || S.Parts[2] == "cg"))
    return llvm::SmallVector<uint8_t, 2>{Write, Read};
  if (IsCopy &&
      (S.Parts[2] == "commit_group" || S.Parts[2] == "wait_group" || S.Parts[2] == "wait_all"))
    return llvm::SmallVector<uint8_t, 2>{};
  return std::nullopt;
}

/// A variable or a function, whose address it is. What else has a name is a register.
bool namesSymbol(StringRef Operand, const llvm::StringSet<> &Registers) {
  if (Operand.contains('['))
    return false;
  return llvm::any_of(ptxParts(Operand), [&](StringRef Part) {
    Part.consume_front("!");
    Part = Part.trim().split('.').first; // an element of a vector
    return !Part.empty() && (llvm::isAlpha(Part.front()) || Part.front() == '_') && Part != "_" &&
           !Registers.contains(Part);
  });
}

} // namespace

/// `$1`, `{$1, $2}`: what an operand has as numbers goes anywhere.
static void noteNumbers(StringRef Operand, AssemblyAccess &Access) {
  while (!Operand.empty()) {
    Operand = Operand.drop_until([](char C) { return C == '$'; });
    unsigned Number = 0;
    if (Operand.consume_front("$") && !Operand.consumeInteger(10, Number) && Number < Access.size())
      Access[Number] |= Escape;
  }
}

/// In the text it has brackets of its own, which an input may be written by.
static bool isInMemory(StringRef Constraint) {
  return Constraint.find_first_of("mopgVX<>") != StringRef::npos;
}

bool waitsForOtherBlocks(const AsmStmt &S) {
  const auto *Assembly = dyn_cast<GCCAsmStmt>(&S);
  const std::optional<std::string> Text =
      Assembly ? numbered(compat::assemblyOf(*Assembly)) : std::nullopt;
  return !Text || llvm::any_of(readPtx(*Text), [](const PtxStatement &Statement) {
    return Statement.name() == "barrier" && StringRef(Statement.Text).contains("cluster");
  });
}

std::optional<AssemblyAccess> readAssembly(const AsmStmt &S) {
  const auto *Assembly = dyn_cast<GCCAsmStmt>(&S);
  if (!Assembly || Assembly->getNumLabels())
    return std::nullopt;
  const std::optional<std::string> Text = numbered(compat::assemblyOf(*Assembly));
  if (!Text)
    return std::nullopt;
  for (unsigned I = 0; I < S.getNumInputs(); ++I)
    if (isInMemory(S.getInputConstraint(I)))
      return std::nullopt;
  const llvm::StringSet<> Registers = ptxRegisters(*Text);
  AssemblyAccess Access(S.getNumOutputs() + S.getNumInputs(), 0);
  for (const PtxStatement &Statement : readPtx(*Text)) {
    const auto Does = through(Statement);
    if (!Does || llvm::any_of(Statement.Parts, touchesBracket) ||
        llvm::any_of(Statement.Operands,
                     [&](StringRef Operand) { return namesSymbol(Operand, Registers); }))
      return std::nullopt;
    unsigned Addresses = 0;
    for (StringRef Operand : Statement.Operands) {
      if (!Operand.contains('[')) {
        noteNumbers(Operand, Access);
        continue;
      }
      const std::optional<unsigned> Number = addressed(Operand);
      if (!Number || *Number >= Access.size() || Addresses >= Does->size())
        return std::nullopt;
      Access[*Number] |= (*Does)[Addresses++];
    }
  }
  return Access;
}

} // namespace gpuinstr
