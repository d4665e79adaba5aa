// Debugging aid: prints the description of each call in a module, and calls that have none.
// SPDX-License-Identifier: Apache-2.0
#include "ast/AstDump.h"

#include "SiteTable.h"
#include "api/CudaApi.h"
#include "ast/source/CodeOrigin.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace gpuinstr {
namespace {

void printDescription(llvm::raw_ostream &OS, const CallDescription &D) {
  OS << D.File << ':' << D.Line << ':' << D.Column << ' ' << D.Function << " calls " << D.Callee
     << '(';
  for (std::size_t I = 0; I < D.Arguments.size(); ++I)
    OS << (I ? " | " : "") << D.Arguments[I];
  OS << ')';
  if (!D.Variable.empty())
    OS << " variable=" << D.Variable;
  if (!D.Type.empty())
    OS << " type=" << D.Type;
  if (D.IsLaunch)
    OS << " launch";
  if (D.Discarded)
    OS << " discarded";
  if (D.FromSystemHeader)
    OS << " header";
  if (D.Ordinal)
    OS << " ordinal=" << D.Ordinal;
  if (!D.Ignore.empty())
    OS << " ignore='" << D.Ignore << '\'';
  OS << '\n';
}

void printAccess(llvm::raw_ostream &OS, uint8_t Access) {
  const char *Names[] = {" read", " write", " escape", " unknown"};
  for (unsigned Bit = 0; Bit < 4; ++Bit)
    if (Access & 1u << Bit)
      OS << Names[Bit];
  if (Access & GPUINSTR_ACCESS_FOLLOW)
    OS << " follow";
  if (Access & GPUINSTR_ACCESS_BEFORE)
    OS << " before";
  constexpr unsigned Where =
      GPUINSTR_ACCESS_WRITE | GPUINSTR_ACCESS_UNKNOWN | GPUINSTR_ACCESS_REGULAR;
  if ((Access & Where) == GPUINSTR_ACCESS_WRITE)
    OS << " anywhere";
  OS << '\n';
}

void printKernel(llvm::raw_ostream &OS, const KernelDescription &K) {
  OS << "kernel " << K.Name << ' ' << K.File << ':' << K.Line << " stub=" << K.StubSymbol
     << (K.Flags & GPUINSTR_KERNEL_ENDS ? " ends" : "")
     << (K.Flags & GPUINSTR_KERNEL_KEEPS_GLOBALS ? " keeps-globals" : "") << '\n';
  for (const ParamDescription &P : K.Params) {
    OS << "  parameter " << (P.Name.empty() ? "(unnamed)" : P.Name) << " : " << P.Type << ' '
       << P.Bytes
       << (P.Pointer == PointerKind::Pointer     ? " pointer"
           : P.Pointer == PointerKind::Aggregate ? " aggregate"
                                                 : "");
    printAccess(OS, P.Access);
    for (const MemberDescription &M : P.Members) {
      OS << (M.IsNumber ? "    number at " : "    member at ") << M.Offset;
      printAccess(OS, M.Access);
    }
  }
}

/// Calls that must have a description: CUDA's entry points and the program's own functions.
bool mustJoin(const SiteTable &Table, llvm::StringRef Callee) {
  return CodeOrigin::isEntryPoint(Callee) || Table.origin(Callee.str()) == FunctionOrigin::User ||
         Callee.contains("__device_stub__");
}

bool isDestructor(llvm::StringRef Symbol) {
  return Symbol.starts_with("_Z") &&
         (Symbol.contains("D0Ev") || Symbol.contains("D1Ev") || Symbol.contains("D2Ev"));
}

} // namespace

llvm::PreservedAnalyses AstDumpPass::run(llvm::Module &M, llvm::ModuleAnalysisManager &) {
  SiteTable Table;
  Table.setSource(Source);
  llvm::raw_ostream &OS = llvm::outs();
  unsigned Joined = 0, Unjoined = 0;
  for (llvm::Function &F : M) {
    const std::string Symbol = F.getName().str();
    if (!F.isIntrinsic() && F.getName().starts_with("_Z") && Table.functionName(Symbol).empty() &&
        !CodeOrigin::ofSymbol(Symbol))
      OS << "undeclared " << Symbol << '\n';
    // Inside of headers, stubs and the compiler's own functions nothing is described.
    if (F.isDeclaration() || Table.origin(Symbol) != FunctionOrigin::User ||
        F.getName().contains("__device_stub__"))
      continue;
    for (llvm::BasicBlock &Block : F)
      for (llvm::Instruction &I : Block) {
        auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
        if (!Call || Call->isInlineAsm())
          continue;
        const llvm::Function *Callee = Call->getCalledFunction();
        if (Callee && Callee->isIntrinsic())
          continue;
        const llvm::DebugLoc &Loc = I.getDebugLoc();
        const unsigned Line = Loc ? Loc.getLine() : 0, Column = Loc ? Loc.getCol() : 0;
        const std::string Name = Callee ? Callee->getName().str() : "";
        if (const CallDescription *D = Table.take(Symbol, Line, Column, Name)) {
          ++Joined;
          printDescription(OS, *D);
        } else if (Callee ? mustJoin(Table, Name) && !isDestructor(Name) &&
                                Name != "__cudaPushCallConfiguration"
                          : false) {
          ++Unjoined;
          OS << "unjoined " << Line << ':' << Column << ' ' << Symbol << " calls " << Name << '\n';
        }
      }
  }
  for (const KernelDescription &K : Table.kernels())
    if (M.getFunction(K.StubSymbol))
      printKernel(OS, K);
  OS << "joined " << Joined << ", unjoined " << Unjoined << ", described " << Table.numDescribed()
     << '\n';
  OS.flush();
  return llvm::PreservedAnalyses::all();
}

} // namespace gpuinstr
