// Device code under nvcc: the bodies that cudafe++ disabled, and what depends on the device there.
// SPDX-License-Identifier: Apache-2.0
#include "ast/nvcc/NvccCode.h"

#include "ast/conditions/CompilerFiles.h"
#include "ast/source/CodeOrigin.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
namespace {

/// The last line that the markers in cudafe++'s text lead to, 0 when they lead to another file.
unsigned lastLine(StringRef Text, unsigned First, StringRef File) {
  unsigned Line = First, Last = First;
  Text = Text.rtrim();
  while (!Text.empty()) {
    auto [Here, Rest] = Text.split('\n');
    Text = Rest;
    if (!Here.consume_front("# ")) {
      Last = std::max(Last, Line++);
      continue;
    }
    if (Here.consumeInteger(10, Line))
      return 0;
    Here = Here.trim();
    if (!Here.empty() && !(Here.consume_front("\"") && Here.consume_back("\"") && Here == File))
      return 0;
  }
  return Last;
}

/// The line of the program's file that the marker before an offset tells.
unsigned lineAt(StringRef Text, unsigned Offset) {
  const std::size_t Marker = Text.take_front(Offset).rfind("\n# ");
  if (Marker == StringRef::npos)
    return 0;
  StringRef Rest = Text.slice(Marker + 3, Offset);
  unsigned Line = 0;
  if (Rest.consumeInteger(10, Line))
    return 0;
  return Line + Rest.count('\n') - 1;
}

} // namespace

NvccCode::NvccCode(CompilerInstance &CI, CodeOrigin &Origins)
    : CI(CI), Origins(Origins), Bodies(CI), Conditionals(CI) {
  // The program's main file first: what it includes and defines counts everywhere. The first marker
  // names it.
  const SourceManager &SM = CI.getSourceManager();
  StringRef Marker =
      SM.getBufferData(SM.getMainFileID()).take_until([](char C) { return C == '\n'; });
  if (Marker.consume_front("# 1 \""))
    Conditionals.differ(Marker.take_until([](char C) { return C == '"'; }), 1, 1);
}

const FunctionDecl *NvccCode::definition(const FunctionDecl &F) {
  // CUDA's own are full of conditionals; those that matter are known by name.
  const FunctionOrigin Origin = Origins.of(F);
  if (Origin == FunctionOrigin::CudaHeader || Origin == FunctionOrigin::CudaLibrary)
    return nullptr;
  return Bodies.definition(F);
}

bool NvccCode::differs(const Decl &D) {
  if (D.isImplicit() || D.getLocation().isInvalid())
    return false;
  const SourceManager &SM = CI.getSourceManager();
  const FunctionOrigin Origin = Origins.ofLocation(D.getLocation());
  if (Origin == FunctionOrigin::CudaHeader || Origin == FunctionOrigin::CudaLibrary)
    return false;
  if (Origin == FunctionOrigin::System) { // or what `-isystem` names
    const PresumedLoc P = SM.getPresumedLoc(SM.getExpansionLoc(D.getLocation()));
    if (P.isInvalid() || isOfCompiler(P.getFilename()))
      return false;
  }
  const Decl *Written = &D;
  std::optional<DisabledText> Text;
  if (const auto *F = dyn_cast<FunctionDecl>(&D)) {
    if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern())
      Written = Pattern;
    Text = Bodies.textOf(*F);
  }
  const SourceLocation From = SM.getExpansionLoc(Written->getBeginLoc());
  const SourceLocation To = SM.getExpansionLoc(Written->getEndLoc());
  PresumedLoc Begin = SM.getPresumedLoc(From), End = SM.getPresumedLoc(To);
  if (Begin.isInvalid() || End.isInvalid() || SM.getFileID(From) != SM.getFileID(To) ||
      StringRef(Begin.getFilename()) != StringRef(End.getFilename()))
    return true;
  unsigned First = Begin.getLine(), Last = End.getLine();
  if (SM.getFileID(From) == SM.getMainFileID()) {
    // Markers in disabled text were not read.
    const StringRef File = SM.getBufferData(SM.getMainFileID());
    First = lineAt(File, SM.getFileOffset(From));
    Last = lineAt(File, SM.getFileOffset(To));
    if (Text)
      Last = lastLine(File.slice(Text->Begin, Text->End), First, Begin.getFilename());
    if (!First || !Last)
      return true;
  }
  return Conditionals.differ(Begin.getFilename(), First, Last);
}

} // namespace gpuinstr
