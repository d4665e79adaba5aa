// Inline assembly in device code.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/KernelAccess.h"
#include "ast/access/ends/LocalValues.h"
#include "ast/access/library/InlineAssembly.h"
#include "ast/access/walker/AccessWalker.h"
#include "compat/ClangCompat.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
using namespace access;

void AccessWalker::assembly(const AsmStmt *S) {
  const std::optional<AssemblyAccess> Through = readAssembly(*S);
  if (!Through)
    return unknownAssembly(S);
  for (unsigned I = 0; I < S->getNumOutputs(); ++I) {
    const Expr *Output = S->getOutputExpr(I);
    const Location L = place(Output);
    if (S->isOutputPlusConstraint(I))
      withoutDistance(load(L, Output->getType()), Output->getType());
    store(L, 0);
    // A pointer from a number, or an address that has been changed.
    if (mayHoldPointers(Output->getType()) || (*Through)[I] & ~Escape)
      forge();
  }
  for (unsigned I = 0; I < S->getNumInputs(); ++I)
    operand(*S->getInputExpr(I), (*Through)[S->getNumOutputs() + I]);
}

/// Through: what is done by its address, if it is one.
void AccessWalker::operand(const Expr &Input, uint8_t Through) {
  const QualType T = Input.getType();
  // Where the host's compile does not know PTX's constraints, Clang leaves the variable as it is.
  const Roots Value = Input.isGLValue() ? load(place(&Input), T) : value(withoutVoid(&Input));
  if (!(Through & ~Escape) || Through & Escape) {
    if (mayHoldPointers(T))
      flagUnseen(Value, Unknown | Escape);
    else
      lose(Value);
  }
  if (!(Through & ~Escape))
    return;
  flag(Value, Through);
  Summary.Punned |= Value;
  Summary.Exposed |= Through & Read ? Value : 0;
  const QualType To = Input.IgnoreParenImpCasts()->getType()->getPointeeType();
  const bool IntoPointers = Through & Write && !To.isNull() && mayHoldPointers(To);
  if (IntoPointers || passed(&Input).Number)
    forge();
}

/// It reaches memory by operands in brackets alone.
void AccessWalker::unknownAssembly(const AsmStmt *S) {
  flagUnseen(others(S));
  const auto *Known = dyn_cast<GCCAsmStmt>(S);
  const std::string Text = Known ? std::string(compat::assemblyOf(*Known)) : "[mov.b64";
  const bool Reaches = StringRef(Text).contains('[');
  const bool Packs = StringRef(Text).contains("mov.b64"); // of two halves, of a float
  for (unsigned I = 0; I < S->getNumOutputs(); ++I) {
    const Expr *Output = S->getOutputExpr(I);
    if (mayHoldPointers(Output->getType()) ||
        (Reaches && S->isOutputPlusConstraint(I) && carriesAddress(*Output, Whole.context())))
      forge();
  }
  for (unsigned I = 0; I < S->getNumInputs() && Reaches; ++I) {
    const Expr &Input = *S->getInputExpr(I);
    if (passed(&Input).Number ||
        (Packs && !mayHoldPointers(Input.getType()) && !isConstant(Input, Whole.context())))
      forge();
  }
}

} // namespace gpuinstr
