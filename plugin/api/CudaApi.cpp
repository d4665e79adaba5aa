// The table of CUDA entry points, looked up by symbol.
// SPDX-License-Identifier: Apache-2.0
#include "api/CudaApi.h"
#include "api/CudaApiFlags.h"
#include "api/CudaApiSlots.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include <initializer_list>

using namespace llvm;

namespace gpuinstr {
namespace {

using namespace apiflags;

struct Row : ApiEntry {
  Row(StringLiteral Name, int Parameters, uint16_t Op, uint16_t Resource, uint32_t Flags,
      uint16_t Detail, std::initializer_list<ApiOperand> List)
      : ApiEntry{Name, Parameters, Op, Resource, Flags, Detail, {}, 0} {
    for (const ApiOperand &O : List) {
      assert(NumOperands < MaxApiOperands && "raise MaxApiOperands");
      Operands[NumOperands++] = O;
    }
  }
};

struct Prefix {
  StringLiteral Name;
  uint16_t Op;
  uint32_t Flags;
};

#define SLOT_PLAIN(slot, n) ApiOperand{GPUINSTR_SLOT_##slot, n, ApiOperand::Plain},
#define GRID(n) ApiOperand{GPUINSTR_SLOT_GRID_XY, n, ApiOperand::Dim3},
#define BLOCK(n) ApiOperand{GPUINSTR_SLOT_BLOCK_XY, n, ApiOperand::Dim3},
#define GRID3(n) ApiOperand{GPUINSTR_SLOT_GRID_XY, n, ApiOperand::Triple},
#define BLOCK3(n) ApiOperand{GPUINSTR_SLOT_BLOCK_XY, n, ApiOperand::Triple},

const Row Rows[] = {
#define CUDA_API(name, op, resource, flags, detail, operands)                                      \
  Row(#name, -1, GPUINSTR_OP_##op, GPUINSTR_RES_##resource, flags, detail, {operands}),
#define CUDA_API_N(name, parameters, op, resource, flags, detail, operands)                        \
  Row(#name, parameters, GPUINSTR_OP_##op, GPUINSTR_RES_##resource, flags, detail, {operands}),
#include "api/CudaApi.def"
};

constexpr Prefix Prefixes[] = {
#define CUDA_API(...)
#define CUDA_API_N(...)
#define CUDA_PREFIX(prefix, op, flags) {#prefix, GPUINSTR_OP_##op, flags},
#include "api/CudaApi.def"
};

const StringMap<SmallVector<const Row *, 2>> &rowsByName() {
  static const auto *Map = [] {
    auto *M = new StringMap<SmallVector<const Row *, 2>>;
    for (const Row &R : Rows)
      (*M)[R.Name].push_back(&R);
    return M;
  }();
  return *Map;
}

/// A driver or vendor function is the prefix and then an upper-case letter: cuda_foo and cudart
/// are the program's own.
const Prefix *findPrefix(StringRef Name) {
  const Prefix *Best = nullptr;
  for (const Prefix &P : Prefixes)
    if (Name.size() > P.Name.size() && Name.starts_with(P.Name) && isUpper(Name[P.Name.size()]) &&
        (!Best || Best->Name.size() < P.Name.size()))
      Best = &P;
  return Best;
}

/// cublasIsamax and its like of cublas.h, whose result is an index; those of cublas_v2.h end by
/// _v2.
bool isLegacyIndex(StringRef Symbol) {
  return Symbol.consume_front("cublasI") && Symbol.size() == 5 &&
         (Symbol.ends_with("amax") || Symbol.ends_with("amin"));
}

/// A StridedBatched takes the first of its matrices, a Batched a table of addresses.
bool touchesGiven(StringRef Name) {
  static constexpr StringLiteral Hidden[] = {
#define CUDA_API(...)
#define CUDA_API_N(...)
#define CUDA_NOT_GIVEN(word) #word,
#include "api/CudaApi.def"
  };
  static constexpr StringLiteral Given[] = {
#define CUDA_API(...)
#define CUDA_API_N(...)
#define CUDA_GIVEN(prefix) #prefix,
#include "api/CudaApi.def"
  };
  const Prefix *P = findPrefix(Name);
  if (!P || P->Op != GPUINSTR_OP_LIBRARY || !is_contained(Given, P->Name))
    return false;
  const bool IsStrided = Name.contains("StridedBatched");
  return none_of(Hidden, [&](StringRef Word) {
    return Name.contains(Word) && !(IsStrided && Word == "Batched");
  });
}

/// Among those that touch what they are given.
bool followsAddresses(StringRef Name) {
  static constexpr StringLiteral Following[] = {
#define CUDA_API(...)
#define CUDA_API_N(...)
#define CUDA_FOLLOWS(word) #word,
#include "api/CudaApi.def"
  };
  return any_of(Following, [&](StringRef Word) { return Name.contains(Word); });
}

/// Among those that touch what they are given and follow no addresses.
bool readsConst(StringRef Name) {
  static constexpr StringLiteral Reading[] = {
#define CUDA_API(...)
#define CUDA_API_N(...)
#define CUDA_READS(prefix) #prefix,
#include "api/CudaApi.def"
  };
  static constexpr StringLiteral Keeping[] = {
#define CUDA_API(...)
#define CUDA_API_N(...)
#define CUDA_KEEPS(word) #word,
#include "api/CudaApi.def"
  };
  const Prefix *P = findPrefix(Name);
  return P && is_contained(Reading, P->Name) &&
         none_of(Keeping, [&](StringRef Word) { return Name.contains(Word); });
}

/// Details of a LIBRARY without a handle.
constexpr uint16_t IsSearched = 4, FollowsAddresses = 6;

/// Of a function of CUDA's own without a row: Rest follows the prefix.
bool isHarmless(StringRef Rest) {
  static constexpr StringLiteral Questions[] = {
#define CUDA_API(...)
#define CUDA_API_N(...)
#define CUDA_ASKS(word) #word,
#include "api/CudaApi.def"
  };
  static constexpr StringLiteral Beginnings[] = {
#define CUDA_API(...)
#define CUDA_API_N(...)
#define CUDA_HARMLESS(beginning) #beginning,
#include "api/CudaApi.def"
  };
  return any_of(Questions, [&](StringRef Word) { return Rest.contains(Word); }) ||
         any_of(Beginnings, [&](StringRef Beginning) { return Rest.starts_with(Beginning); });
}

bool takesTwoArguments(const CallBase &Call, unsigned Index) {
  return Index + 1 < Call.arg_size() && Call.getArgOperand(Index)->getType()->isIntegerTy(64) &&
         Call.getArgOperand(Index + 1)->getType()->isIntegerTy(32);
}

/// AST parameters of F if it were a call of R: each split dim3 counts once.
unsigned parametersOf(const FunctionType &Type, bool HiddenResult, const Row &R) {
  unsigned Count = Type.getNumParams() - (HiddenResult ? 1 : 0);
  for (const ApiOperand &O : R.operands()) {
    if (O.Shape != ApiOperand::Dim3)
      continue;
    unsigned First = O.Param + (O.Slot == GPUINSTR_SLOT_BLOCK_XY ? 1 : 0);
    if (First < Type.getNumParams() && Type.getParamType(First)->isIntegerTy(64))
      --Count;
  }
  return Count;
}

ApiMatch matchOf(const ApiEntry &Entry, bool PerThread) {
  ApiMatch M;
  M.Entry = &Entry;
  M.Op = Entry.Op;
  M.Resource = Entry.Resource;
  M.Detail = Entry.Detail;
  M.Flags = Entry.Flags | (PerThread ? GPUINSTR_SITE_PER_THREAD : 0);
  M.TouchesGiven =
      (Entry.Op == GPUINSTR_OP_LIBRARY && Entry.Detail >= IsSearched) || touchesGiven(Entry.Name);
  return M;
}

} // namespace

int ApiEntry::parameterOf(unsigned Slot) const {
  for (const ApiOperand &O : operands())
    if (O.Slot == Slot)
      return O.Param;
  return -1;
}

StringRef plainApiName(StringRef Symbol, bool &PerThread) {
  Symbol.consume_front("\01");
  PerThread = Symbol.consume_back("_ptsz") || Symbol.consume_back("_ptds");
  if (Symbol.size() > 3 && Symbol[Symbol.size() - 3] == '_' && Symbol[Symbol.size() - 2] == 'v' &&
      isDigit(Symbol.back()))
    Symbol = Symbol.drop_back(3);
  return Symbol;
}

const ApiEntry *findApiEntry(StringRef Symbol, int Parameters) {
  bool PerThread;
  auto It = rowsByName().find(plainApiName(Symbol, PerThread));
  if (It == rowsByName().end())
    return nullptr;
  for (const Row *R : It->second)
    if (Parameters < 0 || R->Parameters < 0 || R->Parameters == Parameters)
      return R;
  return nullptr;
}

std::optional<ApiMatch> matchApiName(StringRef Symbol, int Parameters) {
  bool PerThread;
  StringRef Name = plainApiName(Symbol, PerThread);
  if (const ApiEntry *Entry = findApiEntry(Symbol, Parameters))
    return matchOf(*Entry, PerThread);
  const Prefix *P = findPrefix(Name);
  if (!P)
    return std::nullopt;
  ApiMatch M;
  M.Op = P->Op;
  M.Flags = P->Flags | (PerThread ? GPUINSTR_SITE_PER_THREAD : 0);
  if (Name.ends_with("Async"))
    M.Flags |= GPUINSTR_SITE_ASYNC;
  M.ByPrefix = true;
  M.TouchesGiven = touchesGiven(Name);
  if (M.TouchesGiven && followsAddresses(Name))
    M.Detail = FollowsAddresses;
  else
    M.ReadsConst = M.TouchesGiven && readsConst(Name);
  if (P->Op == GPUINSTR_OP_OTHER && !isHarmless(Name.drop_front(P->Name.size())))
    M.Detail = DoesAnything;
  return M;
}

std::optional<ApiMatch> matchApiFunction(const Function &F) {
  StringRef Symbol = F.getName();
  bool PerThread;
  auto It = rowsByName().find(plainApiName(Symbol, PerThread));
  if (It != rowsByName().end()) {
    bool HiddenResult = F.hasStructRetAttr();
    for (const Row *R : It->second)
      if (R->Parameters < 0 || parametersOf(*F.getFunctionType(), HiddenResult, *R) ==
                                   static_cast<unsigned>(R->Parameters))
        return matchOf(*R, PerThread);
  }
  std::optional<ApiMatch> Match = matchApiName(Symbol, /*Parameters=*/0x7fff);
  const Type &Result = *F.getReturnType();
  if (!Match || (Result.isIntegerTy(32) && !isLegacyIndex(Symbol)))
    return Match;
  // cuBLAS's interface of cublas.h gives values, or nothing. Other getters, of names and versions,
  // are nothing to time.
  if (Match->Op != GPUINSTR_OP_LIBRARY || Result.isPointerTy() || Result.isIntegerTy(64))
    return std::nullopt;
  Match->Flags &= ~GPUINSTR_SITE_STATUS;
  return Match;
}

std::optional<OperandPlace> placeOf(const CallBase &Call, const ApiEntry &Entry, unsigned Param) {
  unsigned Index = Call.hasStructRetAttr() ? 1 : 0;
  for (unsigned P = 0;; ++P) {
    if (Index >= Call.arg_size())
      return std::nullopt;
    bool IsDim3 = false;
    for (const ApiOperand &O : Entry.operands())
      IsDim3 |= O.Shape == ApiOperand::Dim3 && O.Param == P;
    unsigned Count = IsDim3 && takesTwoArguments(Call, Index) ? 2 : 1;
    if (P == Param)
      return OperandPlace{Index, Count};
    Index += Count;
  }
}

/// cudaMemcpyDeviceToDevice, where the call itself says so.
static bool isWithinDevice(const CallBase &Call, const ApiMatch &Api) {
  constexpr uint64_t DeviceToDevice = 3;
  const int Param = Api.Entry ? Api.Entry->parameterOf(GPUINSTR_SLOT_KIND) : -1;
  const auto Place = Param < 0 ? std::nullopt : placeOf(Call, *Api.Entry, unsigned(Param));
  const auto *Kind = Place ? dyn_cast<ConstantInt>(Call.getArgOperand(Place->Index)) : nullptr;
  return Kind && Kind->getZExtValue() == DeviceToDevice;
}

bool isQueuedTransfer(const CallBase &Call, const ApiMatch &Api) {
  constexpr uint32_t InDevice = GPUINSTR_SITE_DEVICE_DST | GPUINSTR_SITE_DEVICE_SRC;
  switch (Api.Op) {
  case GPUINSTR_OP_SET:
  case GPUINSTR_OP_SET_2D:
    return true;
  case GPUINSTR_OP_COPY:
  case GPUINSTR_OP_COPY_2D:
  case GPUINSTR_OP_COPY_SYMBOL:
    return Api.Flags & GPUINSTR_SITE_ASYNC || (Api.Flags & InDevice) == InDevice ||
           isWithinDevice(Call, Api);
  default:
    return false;
  }
}

} // namespace gpuinstr
