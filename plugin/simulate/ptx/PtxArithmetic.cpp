// Translates inline PTX: arithmetic, comparison, conversion.
// SPDX-License-Identifier: Apache-2.0
#include "simulate/ptx/InlinePtx.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

using namespace llvm;

namespace gpuinstr {

/// mov.b64 d, {a,b}; mov.b64 {a,b}, d; mov.T d, a.
bool PtxTranslator::move(const PtxStatement &S) {
  Type *T = typeOf(S.type());
  if (!T || S.Operands.size() != 2)
    return false;
  StringRef To = S.Operands[0], From = S.Operands[1];
  const unsigned Bits = T->getPrimitiveSizeInBits();
  auto Part = [&](StringRef Operands) { return B.getIntNTy(Bits / ptxParts(Operands).size()); };
  Value *V = From.starts_with("{") ? readParts(From, Part(From)) : read(From, T);
  if (!V || !To.starts_with("{"))
    return V && write(To, V);
  return writeParts(To, V, Part(To));
}

Value *PtxTranslator::add(Value *A, Value *C, Value *CarryIn, bool SetCarry) {
  const unsigned Bits = A->getType()->getIntegerBitWidth();
  Type *Wide = B.getIntNTy(Bits + 1);
  Value *Sum = B.CreateAdd(B.CreateZExt(A, Wide), B.CreateZExt(C, Wide));
  if (CarryIn)
    Sum = B.CreateAdd(Sum, B.CreateZExt(CarryIn, Wide));
  if (SetCarry)
    Carry = B.CreateTrunc(B.CreateLShr(Sum, Bits), B.getInt1Ty());
  return B.CreateTrunc(Sum, A->getType());
}

Value *PtxTranslator::subtract(Value *A, Value *C, bool Borrows, bool SetCarry) {
  const unsigned Bits = A->getType()->getIntegerBitWidth();
  Type *Wide = B.getIntNTy(Bits + 1);
  Value *Difference = B.CreateSub(B.CreateZExt(A, Wide), B.CreateZExt(C, Wide));
  if (Borrows && Carry)
    Difference = B.CreateSub(Difference, B.CreateZExt(Carry, Wide));
  if (SetCarry)
    Carry = B.CreateTrunc(B.CreateLShr(Difference, Bits), B.getInt1Ty());
  return B.CreateTrunc(Difference, A->getType());
}

/// Of floats. LLVM leaves open which of 0 and -0 is less; for PTX it is -0.
Value *PtxTranslator::extreme(Value *A, Value *C, bool Least) {
  Type *T = A->getType(), *Bits = B.getIntNTy(T->getPrimitiveSizeInBits());
  Value *X = as(A, Bits), *Y = as(C, Bits);
  Value *Same = as(Least ? B.CreateOr(X, Y) : B.CreateAnd(X, Y), T);
  return B.CreateSelect(B.CreateFCmpOEQ(A, C), Same,
                        Least ? B.CreateMinNum(A, C) : B.CreateMaxNum(A, C));
}

bool PtxTranslator::arithmetic(const PtxStatement &S) {
  Type *T = typeOf(S.type());
  const StringRef Name = S.name();
  const bool Float = T && T->isFPOrFPVectorTy(), Signed = S.type()[0] == 's';
  if (!T || S.Operands.size() < 2 || (Float && (S.Parts.size() > 2 && !S.has("rn"))) ||
      S.has("ftz") || S.has("sat"))
    return false;
  Value *A = read(S.Operands[1], T);
  if (!A)
    return false;
  if (Name == "not" || Name == "neg") {
    if (Float)
      return write(S.Operands[0], B.CreateFNeg(A));
    return write(S.Operands[0], Name == "not" ? B.CreateNot(A) : B.CreateNeg(A));
  }
  Value *C = S.Operands.size() == 3 ? read(S.Operands[2], T) : nullptr;
  if (!C)
    return false;
  if (Float) {
    if (Name == "min" || Name == "max")
      return S.Parts.size() == 2 && write(S.Operands[0], extreme(A, C, Name == "min"));
    if (Name != "add" && Name != "sub")
      return false;
    return write(S.Operands[0], Name == "add" ? B.CreateFAdd(A, C) : B.CreateFSub(A, C));
  }
  const bool Sets = S.has("cc");
  Value *V = nullptr;
  if (Name == "add" || Name == "addc")
    V = add(A, C, Name == "addc" ? Carry : nullptr, Sets);
  else if (Name == "sub" || Name == "subc")
    V = subtract(A, C, Name == "subc", Sets);
  else if (Name == "and")
    V = B.CreateAnd(A, C);
  else if (Name == "or")
    V = B.CreateOr(A, C);
  else if (Name == "xor")
    V = B.CreateXor(A, C);
  else {
    const bool Less = Name == "min";
    const CmpInst::Predicate P = Signed ? (Less ? CmpInst::ICMP_SLT : CmpInst::ICMP_SGT)
                                        : (Less ? CmpInst::ICMP_ULT : CmpInst::ICMP_UGT);
    V = B.CreateSelect(B.CreateICmp(P, A, C), A, C);
  }
  return write(S.Operands[0], V);
}

/// mul and fma of floats, to nearest.
bool PtxTranslator::multiplyFloats(const PtxStatement &S, Type *T) {
  const bool Fused = S.name() == "fma";
  if (S.has("ftz") || S.has("sat") || S.has("relu") || (S.Parts.size() > 2 && !S.has("rn")) ||
      (S.name() != "mul" && !Fused) || S.Operands.size() != (Fused ? 4 : 3))
    return false;
  Value *A = read(S.Operands[1], T), *C = read(S.Operands[2], T);
  if (!A || !C)
    return false;
  if (!Fused)
    return write(S.Operands[0], B.CreateFMul(A, C));
  Value *D = read(S.Operands[3], T);
  return D && write(S.Operands[0], B.CreateIntrinsic(Intrinsic::fma, {T}, {A, C, D}));
}

/// mul and mad of integers: lo, hi, wide; carries in and out.
bool PtxTranslator::multiply(const PtxStatement &S) {
  Type *T = typeOf(S.type());
  if (T && T->isFPOrFPVectorTy())
    return multiplyFloats(S, T);
  if (!T || !T->isIntegerTy() || S.Operands.size() < 3 || S.has("sat"))
    return false;
  const bool Signed = S.type()[0] == 's';
  const unsigned Bits = T->getIntegerBitWidth();
  Type *Double = B.getIntNTy(2 * Bits);
  Value *A = read(S.Operands[1], T), *C = read(S.Operands[2], T);
  if (!A || !C)
    return false;
  Value *Product = B.CreateMul(as(A, Double, Signed), as(C, Double, Signed));
  Type *Result = S.has("wide") ? Double : T;
  if (S.has("hi"))
    Product = B.CreateTrunc(B.CreateLShr(Product, Bits), T);
  else if (!S.has("wide"))
    Product = B.CreateTrunc(Product, T);
  if (S.name() == "mul")
    return write(S.Operands[0], Product);
  Value *Addend = S.Operands.size() == 4 ? read(S.Operands[3], Result) : nullptr;
  if (!Addend)
    return false;
  return write(S.Operands[0],
               add(Product, Addend, S.name() == "madc" ? Carry : nullptr, S.has("cc")));
}

/// Integers.
bool PtxTranslator::compare(const PtxStatement &S) {
  Type *T = typeOf(S.type());
  if (!T || !T->isIntegerTy() || S.Parts.size() != 3 || S.Operands.size() != 3)
    return false;
  Value *A = read(S.Operands[1], T), *C = read(S.Operands[2], T);
  const StringRef How = S.Parts[1];
  CmpInst::Predicate P = CmpInst::BAD_ICMP_PREDICATE;
  if (S.type()[0] == 's')
    P = StringSwitch<CmpInst::Predicate>(How)
            .Case("lt", CmpInst::ICMP_SLT)
            .Case("le", CmpInst::ICMP_SLE)
            .Case("gt", CmpInst::ICMP_SGT)
            .Case("ge", CmpInst::ICMP_SGE)
            .Default(P);
  else
    P = StringSwitch<CmpInst::Predicate>(How)
            .Case("lt", CmpInst::ICMP_ULT)
            .Case("lo", CmpInst::ICMP_ULT)
            .Case("le", CmpInst::ICMP_ULE)
            .Case("ls", CmpInst::ICMP_ULE)
            .Case("gt", CmpInst::ICMP_UGT)
            .Case("hi", CmpInst::ICMP_UGT)
            .Case("ge", CmpInst::ICMP_UGE)
            .Case("hs", CmpInst::ICMP_UGE)
            .Default(P);
  if (How == "eq" || How == "ne")
    P = How == "eq" ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE;
  if (!A || !C || P == CmpInst::BAD_ICMP_PREDICATE)
    return false;
  return write(S.Operands[0], B.CreateCmp(P, A, C));
}

bool PtxTranslator::select(const PtxStatement &S) {
  Type *T = typeOf(S.type());
  if (!T || S.Operands.size() != 4)
    return false;
  Value *A = read(S.Operands[1], T), *C = read(S.Operands[2], T);
  Value *P = read(S.Operands[3], B.getInt1Ty());
  return A && C && P && write(S.Operands[0], B.CreateSelect(P, A, C));
}

/// Between integers and, exactly or to nearest, between wide floats; cvta is nothing on flat
/// memory.
bool PtxTranslator::convert(const PtxStatement &S) {
  if (S.Operands.size() != 2)
    return false;
  Type *To = typeOf(S.type());
  if (S.name() == "cvta") {
    Value *V = read(S.Operands[1], To);
    if (V && S.has("shared") && !S.has("to"))
      V = as(ofShared(as(V, B.getInt32Ty())), To);
    return write(S.Operands[0], V);
  }
  Type *From = typeOf(S.type());
  To = S.Parts.size() < 3 ? nullptr : typeOf(S.Parts[S.Parts.size() - 2]);
  // To a narrower float to nearest, to a wider one exactly.
  const bool Nearest = S.Parts.size() == 4 && S.Parts[1] == "rn";
  auto Wide = [](Type *T) { return T && (T->isFloatTy() || T->isDoubleTy()); };
  if (Wide(From) && Wide(To) && (Nearest || S.Parts.size() == 3)) {
    Value *V = read(S.Operands[1], From);
    return V && write(S.Operands[0], B.CreateFPCast(V, To));
  }
  const bool Saturates = S.Parts.size() == 4 && S.Parts[1] == "sat";
  if (!From || !To || !From->isIntegerTy() || !To->isIntegerTy() ||
      (S.Parts.size() != 3 && !Saturates))
    return false;
  const bool Signed = S.Parts[S.Parts.size() - 2][0] == 's', FromSigned = S.type()[0] == 's';
  Value *V = read(S.Operands[1], From);
  V = Saturates ? saturated(V, FromSigned, To, Signed) : as(V, To, FromSigned);
  // Narrow values sit in wider registers.
  return write(S.Operands[0],
               V && Signed && To->getIntegerBitWidth() < 32 ? B.CreateSExt(V, B.getInt32Ty()) : V);
}

/// The nearest that an integer of that type holds.
Value *PtxTranslator::saturated(Value *V, bool FromSigned, Type *To, bool Signed) {
  if (!V)
    return nullptr;
  const unsigned Bits = To->getIntegerBitWidth();
  const unsigned Enough = std::max(Bits, V->getType()->getIntegerBitWidth()) + 1; // signed
  Type *Wide = B.getIntNTy(Enough);
  V = as(V, Wide, FromSigned);
  const APInt Least = Signed ? APInt::getSignedMinValue(Bits).sext(Enough) : APInt(Enough, 0);
  const APInt Most =
      Signed ? APInt::getSignedMaxValue(Bits).sext(Enough) : APInt::getMaxValue(Bits).zext(Enough);
  V = B.CreateBinaryIntrinsic(Intrinsic::smax, V, ConstantInt::get(Wide, Least));
  V = B.CreateBinaryIntrinsic(Intrinsic::smin, V, ConstantInt::get(Wide, Most));
  return B.CreateTrunc(V, To);
}

/// Amounts beyond the width shift all out, as PTX has it.
bool PtxTranslator::shift(const PtxStatement &S) {
  Type *T = typeOf(S.type());
  if (!T || !T->isIntegerTy() || S.Operands.size() != 3)
    return false;
  Value *A = read(S.Operands[1], T), *N = read(S.Operands[2], B.getInt32Ty());
  if (!A || !N)
    return false;
  const unsigned Bits = T->getIntegerBitWidth();
  const bool Arithmetic = S.name() == "shr" && S.type()[0] == 's';
  Value *Most = B.getInt32(Bits - 1);
  Value *Fits = B.CreateICmpULE(N, Most);
  Value *By = as(B.CreateSelect(Fits, N, Arithmetic ? Most : B.getInt32(0)), T);
  Value *V = S.name() == "shl" ? B.CreateShl(A, By)
             : Arithmetic      ? B.CreateAShr(A, By)
                               : B.CreateLShr(A, By);
  if (!Arithmetic)
    V = B.CreateSelect(Fits, V, ConstantInt::get(T, 0));
  return write(S.Operands[0], V);
}

} // namespace gpuinstr
