// What host code does in its calls, as far as that matters to one who waits for the device.
// SPDX-License-Identifier: Apache-2.0
#include "ir/waits/HostCalls.h"

using namespace llvm;

namespace gpuinstr {

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

bool isWait(const ApiMatch &Api) {
  return Api.Op == GPUINSTR_OP_SYNC_DEVICE || Api.Op == GPUINSTR_OP_SYNC_STREAM;
}

bool isPlainAllocation(const ApiMatch &Api) {
  return Api.Op == GPUINSTR_OP_ALLOC &&
         (Api.Resource == GPUINSTR_RES_DEVICE || Api.Resource == GPUINSTR_RES_PITCHED);
}

bool isSeenByAudit(const ApiMatch &Api) {
  switch (Api.Op) {
  case GPUINSTR_OP_COPY:
  case GPUINSTR_OP_COPY_2D:
  case GPUINSTR_OP_COPY_SYMBOL:
  case GPUINSTR_OP_SET:
  case GPUINSTR_OP_SET_2D:
  case GPUINSTR_OP_ALLOC:
  case GPUINSTR_OP_FREE:
  case GPUINSTR_OP_LAUNCH:
  case GPUINSTR_OP_RECORD_EVENT:
    return true;
  default:
    return isWait(Api);
  }
}

bool isWork(const ApiMatch &Api, StringRef Name) {
  static constexpr StringLiteral Others[] = {"Create", "Destroy", "Set",   "Get",  "Plan",
                                             "Init",   "Find",    "Query", "Size", "Version"};
  return Api.TouchesGiven && !Api.Resource &&
         none_of(Others, [&](StringRef Word) { return Name.contains(Word); });
}

bool computesNumber(const Function &F) {
  static constexpr StringLiteral Words[] = {"div",  "ceil", "round", "align",  "block",
                                            "grid", "pow2", "size",  "threads"};
  return F.getReturnType()->isIntegerTy() && F.arg_size() != 0 && !F.isVarArg() &&
         all_of(F.args(), [](const Argument &A) { return A.getType()->isIntegerTy(); }) &&
         any_of(Words, [&](StringRef Word) { return F.getName().contains_insensitive(Word); });
}

bool isOfTime(StringRef Name) {
  static constexpr StringLiteral Words[] = {"time",    "timing",    "clock", "prof",   "bench",
                                            "elapsed", "stopwatch", "tick",  "measure"};
  return any_of(Words, [&](StringRef Word) { return Name.contains_insensitive(Word); });
}

bool readsClock(const IntrinsicInst &Call) {
  StringRef Name = Call.getCalledFunction()->getName();
  return Name.contains("rdtsc") || Name.contains("rdpmc") || Name.contains("readcyclecounter") ||
         Name.contains("readsteadycounter");
}

bool isVirtual(const CallBase &Call) {
  const auto *Entry = dyn_cast<LoadInst>(Call.getCalledOperand());
  const Value *Place = Entry ? Entry->getPointerOperand()->stripInBoundsConstantOffsets() : nullptr;
  const auto *Table = dyn_cast_or_null<LoadInst>(Place);
  return Table && is_contained(Call.args(), Table->getPointerOperand());
}

bool countsReferences(const Function &F) {
  StringRef Name = F.getName();
  if (Name.consume_front("_ZN9__gnu_cxx"))
    return Name.contains("__exchange_and_add") || Name.contains("__atomic_add");
  return Name.starts_with("_ZNSt16_Sp_counted_base") &&
         (Name.contains("_M_release") || Name.contains("_M_add_ref_copy") ||
          Name.contains("_M_weak_release") || Name.contains("_M_weak_add_ref"));
}

static constexpr StringLiteral SharedPointer = "12__shared_ptrI"; // its arguments follow

bool isSharedPointer(const Function &F) {
  StringRef Name = F.getName();
  return (Name.consume_front("_ZNSt") || Name.consume_front("_ZNKSt")) &&
         Name.starts_with(SharedPointer);
}

bool sharesNumbers(const Function &F) {
  StringRef Element = F.getName().split(SharedPointer).second;
  Element.consume_front("A_"); // float[]
  // One letter for a built-in type, and the policy of locks behind it.
  return Element.size() > 1 && StringRef("abcdefhijlmstxy").contains(Element[0]) &&
         Element[1] == 'L';
}

bool readsCounts(const Module &M) {
  return any_of(M, [](const Function &F) {
    return F.getName().starts_with("_ZNKSt16_Sp_counted_base") &&
           F.getName().contains("_M_get_use_count");
  });
}

} // namespace gpuinstr
