// Translates inline PTX: operands and registers.
// SPDX-License-Identifier: Apache-2.0
#include "simulate/ptx/InlinePtx.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include <algorithm>

using namespace llvm;

namespace gpuinstr {

static bool oneOf(StringRef Name, std::initializer_list<StringRef> Names) {
  return is_contained(Names, Name);
}

PtxTranslator::PtxTranslator(CallInst &Asm, const StringSet<> &Library, unsigned &Sites)
    : Asm(Asm), Library(Library), Sites(Sites), B(&Asm) {}

/// $0... are the outputs, then the inputs. An input tied to an output is its first value.
void PtxTranslator::bindOperands() {
  const auto *Text = cast<InlineAsm>(Asm.getCalledOperand());
  unsigned Argument = 0, Number = 0;
  for (const InlineAsm::ConstraintInfo &C : Text->ParseConstraints()) {
    if (C.Type == InlineAsm::isOutput) {
      ++Outputs;
      ++Number;
    } else if (C.Type == InlineAsm::isInput) {
      Value *V = Asm.getArgOperand(Argument++);
      Registers["$" + std::to_string(Number++)] = V;
      if (C.hasMatchingInput() || (!C.Codes.empty() && isDigit(C.Codes[0][0])))
        Registers["$" + C.Codes[0]] = V;
    }
  }
}

bool PtxTranslator::run() {
  const auto *Text = cast<InlineAsm>(Asm.getCalledOperand());
  bindOperands();
  for (const PtxStatement &S : readPtx(Text->getAsmString()))
    if (!translate(S)) {
      Problem = S.Text;
      return false;
    }
  if (!Asm.getType()->isVoidTy()) {
    auto *Several = dyn_cast<StructType>(Asm.getType());
    Value *Result = PoisonValue::get(Asm.getType());
    for (unsigned I = 0; I < Outputs; ++I) {
      Value *V = Registers.lookup("$" + std::to_string(I));
      if (!V) {
        Problem = Text->getAsmString();
        return false;
      }
      if (Several)
        Result = B.CreateInsertValue(Result, as(V, Several->getElementType(I)), I);
      else
        Result = as(V, Asm.getType());
    }
    Asm.replaceAllUsesWith(Result);
  }
  Asm.eraseFromParent();
  return true;
}

bool PtxTranslator::translate(const PtxStatement &S) {
  Guard = nullptr;
  if (!S.Guard.empty()) {
    Guard = read(S.Guard, B.getInt1Ty());
    if (!Guard)
      return false;
    if (S.Negated)
      Guard = B.CreateNot(Guard);
  }
  const StringRef Name = S.name();
  const bool Acts =
      oneOf(Name, {"ld",   "st",    "atom",   "red",   "bar",        "barrier",   "shfl",
                   "vote", "match", "redux",  "elect", "activemask", "nanosleep", "trap",
                   "exit", "ret",   "membar", "fence", "mbarrier",   "cp"});
  if (Acts && Guard)
    return false;
  if (Name == "mov")
    return move(S);
  if (narrowArithmetic(S))
    return true;
  if (oneOf(Name, {"add", "addc", "sub", "subc", "and", "or", "xor", "not", "neg", "min", "max"}))
    return arithmetic(S) || byLibrary(S);
  if (Name == "mul" || Name == "mad" || Name == "madc" || Name == "fma")
    return multiply(S) || byLibrary(S);
  if (Name == "setp" || Name == "set")
    return compareFloats(S) || (Name == "setp" && compare(S));
  if (Name == "selp")
    return select(S);
  if (Name == "cvt" && S.type() == "sat") { // ptxas takes it there, too
    PtxStatement Usual = S;
    std::rotate(Usual.Parts.begin() + 1, Usual.Parts.end() - 1, Usual.Parts.end());
    return convert(Usual) || convertFloats(Usual);
  }
  if (Name == "cvt" || Name == "cvta")
    return convert(S) || convertFloats(S);
  if (Name == "shl" || Name == "shr")
    return shift(S);
  if (Name == "membar" || Name == "fence")
    return fence(S);
  if (Name == "ld" || Name == "ldu")
    return load(S);
  if (Name == "st")
    return store(S);
  if (Name == "atom" || Name == "red")
    return atomic(S, Name == "atom");
  if (oneOf(Name, {"prefetch", "prefetchu", "discard", "applypriority", "createpolicy",
                   "griddepcontrol"}))
    return hint(S);
  if (Name == "mbarrier")
    return mbarrier(S);
  if (Name == "cp")
    return copyAsync(S);
  if (Name == "isspacep")
    return isInSpace(S);
  return warp(S) || collective(S) || byLibrary(S);
}

Type *PtxTranslator::typeOf(StringRef Name) {
  if (oneOf(Name, {"f32", "f64"}))
    return Name == "f32" ? B.getFloatTy() : B.getDoubleTy();
  if (Name == "f16")
    return B.getHalfTy();
  if (Name == "f16x2")
    return FixedVectorType::get(B.getHalfTy(), 2);
  if (Name == "pred")
    return B.getInt1Ty();
  unsigned Bits = 0;
  if (!oneOf(Name.take_front(1), {"u", "s", "b"}) || Name.drop_front().getAsInteger(10, Bits) ||
      (Bits != 8 && Bits != 16 && Bits != 32 && Bits != 64 && Name != "b128"))
    return nullptr;
  return B.getIntNTy(Bits);
}

/// Same bits: narrower integers are cut, wider ones extended.
Value *PtxTranslator::as(Value *V, Type *T, bool Signed) {
  if (!V || V->getType() == T)
    return V;
  if (V->getType()->isPointerTy())
    V = B.CreatePtrToInt(V, B.getInt64Ty());
  if (V->getType()->isFPOrFPVectorTy())
    V = B.CreateBitCast(V, B.getIntNTy(V->getType()->getPrimitiveSizeInBits()));
  if (T->isPointerTy())
    return B.CreateIntToPtr(as(V, B.getInt64Ty()), T);
  if (T->isFPOrFPVectorTy())
    return B.CreateBitCast(as(V, B.getIntNTy(T->getPrimitiveSizeInBits())), T);
  if (!V->getType()->isIntegerTy() || !T->isIntegerTy())
    return nullptr;
  return Signed ? B.CreateSExtOrTrunc(V, T) : B.CreateZExtOrTrunc(V, T);
}

Value *PtxTranslator::special(StringRef Name) {
  if (Name.starts_with("reserved_smem_offset_"))
    return reserved();
  std::string Function = ("__gpuinstr_nvvm_read_ptx_sreg_" + Name).str();
  for (char &C : Function)
    if (C == '.')
      C = '_';
  const std::string Own = "__gpuinstr_ptx_sreg_" + Function.substr(Function.rfind("sreg_") + 5);
  if (Library.contains(Own))
    return call(Own, B.getInt64Ty(), {});
  const bool Wide = Name == "clock64" || Name == "globaltimer";
  if (!Library.contains(Function))
    return nullptr;
  return call(Function, Wide ? B.getInt64Ty() : B.getInt32Ty(), {});
}

Value *PtxTranslator::readNamed(StringRef Operand) {
  auto Known = Registers.find(Operand);
  if (Known != Registers.end())
    return Known->second;
  StringRef Name = Operand;
  if (Name == "WARP_SZ")
    return B.getInt32(32);
  return Name.consume_front("%") ? special(Name) : nullptr;
}

Value *PtxTranslator::read(StringRef Operand, Type *T) {
  if (!T)
    return nullptr;
  // A predicate may be negated where it is used.
  if (T->isIntegerTy(1) && Operand.consume_front("!")) {
    Value *V = read(Operand, T);
    return V ? B.CreateNot(V) : nullptr;
  }
  if (Value *V = readNamed(Operand))
    return as(V, T);
  uint64_t Bits = 0;
  StringRef Text = Operand;
  if (Text.consume_front("0f") || Text.consume_front("0F"))
    return Text.getAsInteger(16, Bits) ? nullptr : as(B.getInt32(Bits), T);
  if (Text.consume_front("0d") || Text.consume_front("0D"))
    return Text.getAsInteger(16, Bits) ? nullptr : as(B.getInt64(Bits), T);
  const bool Negative = Text.consume_front("-");
  Text.consume_back("U");
  if (!T->isIntegerTy() || Text.empty() || Text.getAsInteger(0, Bits))
    return nullptr;
  return ConstantInt::get(T, Negative ? -Bits : Bits, true);
}

bool PtxTranslator::write(StringRef Operand, Value *V) {
  if (!V)
    return false;
  if (Operand == "_")
    return true;
  Value *&Register = Registers[Operand];
  if (Guard && Register)
    V = B.CreateSelect(Guard, V, as(Register, V->getType()));
  else if (Guard)
    V = B.CreateSelect(Guard, V, Constant::getNullValue(V->getType()));
  Register = V;
  return true;
}

/// The operands of "{a,b}", each of type T, as one integer; the first is lowest.
Value *PtxTranslator::readParts(StringRef Operands, Type *T) {
  const auto Parts = ptxParts(Operands);
  const unsigned Bits = T->getPrimitiveSizeInBits();
  Type *Whole = B.getIntNTy(Bits * Parts.size());
  Value *V = nullptr;
  for (unsigned I = 0; I < Parts.size(); ++I) {
    Value *Part = as(read(Parts[I], T), B.getIntNTy(Bits));
    if (!Part)
      return nullptr;
    Part = B.CreateShl(B.CreateZExt(Part, Whole), I * Bits);
    V = V ? B.CreateOr(V, Part) : Part;
  }
  return V;
}

/// The opposite. Narrow values sit in wider registers.
bool PtxTranslator::writeParts(StringRef Operands, Value *V, Type *T, bool Signed) {
  const auto Parts = ptxParts(Operands);
  const unsigned Bits = T->getPrimitiveSizeInBits();
  V = as(V, B.getIntNTy(Bits * Parts.size()));
  for (unsigned I = 0; I < Parts.size(); ++I) {
    Value *Part = B.CreateTrunc(B.CreateLShr(V, I * Bits), B.getIntNTy(Bits));
    Part = Signed && Bits < 32 ? B.CreateSExt(Part, B.getInt32Ty()) : as(Part, T);
    if (!write(Parts[I], Part))
      return false;
  }
  return true;
}

Value *PtxTranslator::call(StringRef Name, Type *Returned, ArrayRef<Value *> Arguments) {
  SmallVector<Value *, 6> All{Asm.getFunction()->getArg(0)};
  All.append(Arguments.begin(), Arguments.end());
  SmallVector<Type *, 6> Types;
  for (Value *V : All)
    Types.push_back(V->getType());
  FunctionCallee F =
      Asm.getModule()->getOrInsertFunction(Name, FunctionType::get(Returned, Types, false));
  CallInst *Call = B.CreateCall(F, All);
  for (unsigned I = 0; I < Types.size(); ++I)
    if (Types[I]->isIntegerTy(1))
      Call->addParamAttr(I, Attribute::ZExt);
  if (Returned->isIntegerTy(1))
    Call->addRetAttr(Attribute::ZExt);
  return Call;
}

/// Instructions that are one function of their operands, all of the type that comes last.
bool PtxTranslator::byLibrary(const PtxStatement &S) {
  std::string Name = "__gpuinstr_ptx";
  for (StringRef Part : S.Parts)
    Name += ("_" + Part).str();
  Type *T = nullptr;
  for (StringRef Part : reverse(S.Parts))
    if ((T = typeOf(Part)))
      break;
  if (!Library.contains(Name) || !T || S.Operands.empty())
    return false;
  SmallVector<Value *, 4> Arguments;
  for (StringRef Operand : drop_begin(S.Operands)) {
    Arguments.push_back(read(Operand, T));
    if (!Arguments.back())
      return false;
  }
  return write(S.Operands[0], call(Name, T, Arguments));
}

} // namespace gpuinstr
