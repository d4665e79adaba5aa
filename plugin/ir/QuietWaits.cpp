// Finds synchronisations behind which the host does nothing that could need them.
// SPDX-License-Identifier: Apache-2.0
#include "ir/QuietWaits.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr unsigned MaxDepth = 4;    ///< of calls into functions of this module
constexpr unsigned MaxCalls = 2000; ///< looked at for one synchronisation

/// Where the way through a piece of code leads.
struct Ways {
  bool ToLaunch = false;
  bool ToReturn = false;
};

/// Of C's library, all but what waits for others or tells the time; and streams for text.
bool isHarmless(const Function &F, const TargetLibraryInfo &Library) {
  StringRef Name = F.getName();
  if (Name == "cudaGetErrorString" || Name == "cudaGetErrorName")
    return true;
  if (Name.starts_with("_ZNSo") || Name.starts_with("_ZStls") ||
      Name.starts_with("_ZSt16__ostream_insert") || Name.starts_with("_ZSt4endl"))
    return true;
  static constexpr StringLiteral Waiting[] = {
      "gettimeofday", "times",   "read", "pread", "fread",  "fgets",  "fgetc",
      "getc",         "getchar", "gets", "scanf", "fscanf", "system", "popen"};
  if (is_contained(Waiting, Name))
    return false;
  LibFunc Known;
  return Library.getLibFunc(F, Known);
}

bool asksForError(const ApiMatch &Api) {
  return Api.Op == GPUINSTR_OP_GET_ERROR || Api.Op == GPUINSTR_OP_PEEK_ERROR;
}

/// Of nvcc: clang knows none, and only declares the function.
bool hasManagedVariables(const Module &M) {
  const Function *Register = M.getFunction("__cudaRegisterManagedVar");
  return Register && !Register->use_empty();
}

class Walk {
public:
  explicit Walk(ModuleView &View, const Module &M)
      : View(View), LibraryImpl(Triple(M.getTargetTriple())), Library(LibraryImpl) {}

  Ways from(const Instruction *Start, unsigned Depth);

private:
  enum class Next { GoOn, Launch, Stop };
  Next through(const CallBase &Call, unsigned Depth);

  ModuleView &View;
  TargetLibraryInfoImpl LibraryImpl;
  TargetLibraryInfo Library;
  unsigned Calls = 0;
};

Walk::Next Walk::through(const CallBase &Call, unsigned Depth) {
  if (isa<IntrinsicInst>(Call))
    return Next::GoOn;
  const Function *Callee = Call.isInlineAsm() ? nullptr : ModuleView::callee(Call);
  if (!Callee || ++Calls > MaxCalls || Call.doesNotReturn())
    return Next::Stop;
  if (Callee->getName().starts_with("__cudaPushCallConfiguration"))
    return Next::Launch;
  if (const std::optional<ApiMatch> &Api = View.api(*Callee))
    return asksForError(*Api) ? Next::GoOn : Next::Stop;
  if (isHarmless(*Callee, Library))
    return Next::GoOn;
  if (Callee->isDeclaration() || Depth == MaxDepth)
    return Next::Stop;
  Ways Inside = from(&Callee->getEntryBlock().front(), Depth + 1);
  return Inside.ToLaunch ? Next::Launch : Inside.ToReturn ? Next::GoOn : Next::Stop;
}

Ways Walk::from(const Instruction *Start, unsigned Depth) {
  Ways Found;
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const Instruction *, 16> Work{Start};
  while (!Work.empty() && !Found.ToLaunch) {
    const Instruction *I = Work.pop_back_val();
    Next Here = Next::GoOn;
    for (; I; I = I->getNextNode()) {
      if (const auto *Call = dyn_cast<CallBase>(I))
        Here = through(*Call, Depth);
      else if (I->isAtomic() || I->isVolatile()) // another thread may wait for it
        Here = Next::Stop;
      if (Here != Next::GoOn || I->isTerminator())
        break;
    }
    Found.ToLaunch |= Here == Next::Launch;
    if (Here != Next::GoOn || !I)
      continue;
    Found.ToReturn |= isa<ReturnInst>(I);
    auto *Invoke = dyn_cast<InvokeInst>(I);
    for (const BasicBlock *B : successors(I))
      if (!(Invoke && B == Invoke->getUnwindDest()) && Seen.insert(B).second)
        Work.push_back(&B->front());
  }
  return Found;
}

} // namespace

bool leadsQuietlyToLaunch(const CallBase &Sync, ModuleView &View) {
  if (hasManagedVariables(*Sync.getModule()))
    return false;
  Walk Behind(View, *Sync.getModule());
  if (const auto *Invoke = dyn_cast<InvokeInst>(&Sync))
    return Behind.from(&Invoke->getNormalDest()->front(), 0).ToLaunch;
  return Behind.from(Sync.getNextNode(), 0).ToLaunch;
}

} // namespace gpuinstr
