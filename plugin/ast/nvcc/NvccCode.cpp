// Device code under nvcc: the bodies that cudafe++ disabled, and what depends on the device there.
// SPDX-License-Identifier: Apache-2.0
#include "ast/nvcc/NvccCode.h"

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

} // namespace

NvccCode::NvccCode(CompilerInstance &CI, CodeOrigin &Origins)
    : CI(CI), Origins(Origins), Bodies(CI), Conditionals(CI) {
  // The main file first: what it includes and defines counts everywhere.
  const SourceManager &SM = CI.getSourceManager();
  PresumedLoc Main = SM.getPresumedLoc(SM.getLocForStartOfFile(SM.getMainFileID()));
  if (Main.isValid())
    Conditionals.differ(Main.getFilename(), 1, 1);
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
  if (Origins.ofLocation(D.getLocation()) != FunctionOrigin::User)
    return false;
  const SourceManager &SM = CI.getSourceManager();
  // What stands inside of a function goes with it: there the markers were not read.
  const Decl *Written = &D;
  for (const DeclContext *C = D.getDeclContext(); C; C = C->getParent())
    if (const auto *Around = dyn_cast<FunctionDecl>(C))
      Written = Around;
  std::optional<DisabledText> Text;
  if (const auto *F = dyn_cast<FunctionDecl>(Written)) {
    if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern())
      Written = Pattern;
    Text = Bodies.textOf(*F);
  }
  PresumedLoc Begin = SM.getPresumedLoc(SM.getExpansionLoc(Written->getBeginLoc()));
  PresumedLoc End = SM.getPresumedLoc(SM.getExpansionLoc(Written->getEndLoc()));
  if (Begin.isInvalid() || End.isInvalid() ||
      StringRef(Begin.getFilename()) != StringRef(End.getFilename()))
    return true;
  unsigned Last = End.getLine();
  if (Text) {
    const StringRef File = SM.getBufferData(SM.getMainFileID());
    Last = lastLine(File.slice(Text->Begin, Text->End), Begin.getLine(), Begin.getFilename());
    if (!Last)
      return true;
  }
  return Conditionals.differ(Begin.getFilename(), Begin.getLine(), Last);
}

} // namespace gpuinstr
