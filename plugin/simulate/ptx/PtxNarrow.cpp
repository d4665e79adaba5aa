// Translates inline PTX: floats of 16 and 8 bits, conversions of floats with a rounding mode.
// SPDX-License-Identifier: Apache-2.0
//
// They are integers here, and the library computes with their bits: the host's compiler may have
// neither type, and rounds some of their operations twice.
#include "simulate/library/NarrowFloats.h"
#include "simulate/ptx/InlinePtx.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr unsigned NoFormat = ~0u;

struct NarrowType {
  unsigned Format = NoFormat;
  unsigned Bits = 16;
  bool Pair = false;
  explicit operator bool() const { return Format != NoFormat; }
};

NarrowType narrowType(StringRef Name) {
  return StringSwitch<NarrowType>(Name)
      .Case("f16", {GPUINSTR_F16, 16, false})
      .Case("f16x2", {GPUINSTR_F16, 16, true})
      .Case("bf16", {GPUINSTR_BF16, 16, false})
      .Case("bf16x2", {GPUINSTR_BF16, 16, true})
      .Case("e4m3x2", {GPUINSTR_E4M3, 8, true})
      .Case("e5m2x2", {GPUINSTR_E5M2, 8, true})
      .Default({});
}

constexpr unsigned Unknown = ~0u;
constexpr unsigned ToIntegral = 256; ///< rni and the like

/// Unknown where one of the parts is not listed.
unsigned modifiers(ArrayRef<std::string> Parts) {
  unsigned How = 0;
  for (const std::string &Part : Parts) {
    const unsigned One = StringSwitch<unsigned>(Part)
                             .Case("rn", GPUINSTR_NEAREST)
                             .Case("rz", GPUINSTR_TO_ZERO)
                             .Case("rm", GPUINSTR_DOWN)
                             .Case("rp", GPUINSTR_UP)
                             .Case("rni", ToIntegral | GPUINSTR_NEAREST)
                             .Case("rzi", ToIntegral | GPUINSTR_TO_ZERO)
                             .Case("rmi", ToIntegral | GPUINSTR_DOWN)
                             .Case("rpi", ToIntegral | GPUINSTR_UP)
                             .Case("sat", GPUINSTR_SATURATE)
                             .Case("satfinite", GPUINSTR_FINITE)
                             .Case("relu", GPUINSTR_RELU)
                             .Case("NaN", GPUINSTR_NAN)
                             .Default(Unknown);
    if (One == Unknown)
      return Unknown;
    How |= One;
  }
  return How;
}

ArrayRef<std::string> between(const PtxStatement &S, unsigned First, unsigned Last) {
  const ArrayRef<std::string> All(S.Parts);
  return All.size() < First + Last ? ArrayRef<std::string>() : All.slice(First).drop_back(Last);
}

} // namespace

CmpInst::Predicate floatComparison(StringRef How) {
  return StringSwitch<CmpInst::Predicate>(How)
      .Case("eq", CmpInst::FCMP_OEQ)
      .Case("ne", CmpInst::FCMP_ONE)
      .Case("lt", CmpInst::FCMP_OLT)
      .Case("le", CmpInst::FCMP_OLE)
      .Case("gt", CmpInst::FCMP_OGT)
      .Case("ge", CmpInst::FCMP_OGE)
      .Case("equ", CmpInst::FCMP_UEQ)
      .Case("neu", CmpInst::FCMP_UNE)
      .Case("ltu", CmpInst::FCMP_ULT)
      .Case("leu", CmpInst::FCMP_ULE)
      .Case("gtu", CmpInst::FCMP_UGT)
      .Case("geu", CmpInst::FCMP_UGE)
      .Case("num", CmpInst::FCMP_ORD)
      .Case("nan", CmpInst::FCMP_UNO)
      .Default(CmpInst::BAD_FCMP_PREDICATE);
}

/// The one or two numbers of an operand, each as the low bits of 32.
PtxTranslator::Lanes PtxTranslator::readLanes(StringRef Operand, unsigned Bits, bool Pair) {
  Lanes Out;
  Type *Whole = B.getIntNTy(Pair ? 2 * Bits : Bits);
  Value *V = as(read(Operand, Whole), B.getInt32Ty());
  if (!V)
    return Out;
  Out.push_back(Pair ? B.CreateAnd(V, (1u << Bits) - 1) : V);
  if (Pair)
    Out.push_back(B.CreateLShr(V, Bits));
  return Out;
}

bool PtxTranslator::writeLanes(StringRef Operand, const Lanes &L, unsigned Bits) {
  Value *V = L[0];
  if (L.size() > 1)
    V = B.CreateOr(V, B.CreateShl(L[1], Bits));
  return write(Operand, as(V, B.getIntNTy(Bits * L.size())));
}

/// add.rn.f16x2 and the like, and atom.add.
bool PtxTranslator::narrowArithmetic(const PtxStatement &S) {
  const NarrowType N = narrowType(S.type());
  const StringRef Name = S.name();
  const unsigned Count = StringSwitch<unsigned>(Name)
                             .Case("neg", 1)
                             .Case("abs", 1)
                             .Case("tanh", 1)
                             .Case("ex2", 1)
                             .Case("add", 2)
                             .Case("sub", 2)
                             .Case("mul", 2)
                             .Case("min", 2)
                             .Case("max", 2)
                             .Case("fma", 3)
                             .Default(0);
  if (!N || N.Bits != 16 || !Count || S.Operands.size() != Count + 1)
    return false;
  const bool Approximate = Name == "tanh" || Name == "ex2";
  if (Approximate && (S.Parts.size() != 3 || S.Parts[1] != "approx"))
    return false;
  const unsigned How = Approximate ? 0 : modifiers(between(S, 1, 1));
  if (How == Unknown || How & ToIntegral || (Count == 1 && How))
    return false;
  SmallVector<Lanes, 3> Operands;
  for (unsigned I = 1; I <= Count; ++I) {
    Operands.push_back(readLanes(S.Operands[I], N.Bits, N.Pair));
    if (Operands.back().empty())
      return false;
  }
  Lanes Result;
  for (unsigned Lane = 0; Lane < Operands[0].size(); ++Lane) {
    SmallVector<Value *, 5> Arguments;
    for (const Lanes &Operand : Operands)
      Arguments.push_back(Operand[Lane]);
    Arguments.push_back(B.getInt32(N.Format));
    if (Count > 1)
      Arguments.push_back(B.getInt32(How));
    Result.push_back(call(("__gpuinstr_narrow_" + Name).str(), B.getInt32Ty(), Arguments));
  }
  return writeLanes(S.Operands[0], Result, N.Bits);
}

bool PtxTranslator::narrowAtomic(const PtxStatement &S, Value *At, StringRef Operand, Value *&Old) {
  const NarrowType N = narrowType(S.type());
  if (!N || N.Bits != 16 || !S.has("add"))
    return false;
  Type *Whole = B.getIntNTy(N.Pair ? 32 : 16);
  Value *V = as(read(Operand, Whole), B.getInt32Ty());
  if (!V)
    return false;
  Old = as(call(N.Pair ? "__gpuinstr_narrow_atomic_add_pair" : "__gpuinstr_narrow_atomic_add",
                B.getInt32Ty(), {At, V, B.getInt32(N.Format)}),
           Whole);
  return true;
}

/// set and setp of floats: set.eq.f16x2.f16x2, set.gtu.u32.bf16x2, setp.nan.f32.
bool PtxTranslator::compareFloats(const PtxStatement &S) {
  const bool Predicate = S.name() == "setp";
  const NarrowType N = narrowType(S.type());
  Type *T = N ? nullptr : typeOf(S.type());
  if (S.Parts.size() != (Predicate ? 3 : 4) || S.Operands.size() != 3 || (N && N.Bits != 16) ||
      (!N && (!T || !T->isFloatingPointTy())) || (Predicate && N.Pair))
    return false;
  const CmpInst::Predicate P = floatComparison(S.Parts[1]);
  if (P == CmpInst::BAD_FCMP_PREDICATE)
    return false;
  Lanes Sides[2];
  for (unsigned I = 0; I < 2; ++I) {
    Sides[I] = N ? readLanes(S.Operands[I + 1], N.Bits, N.Pair) : Lanes{read(S.Operands[I + 1], T)};
    if (Sides[I].empty() || !Sides[I][0])
      return false;
    for (Value *&V : Sides[I])
      if (N)
        V = narrowValue(V, N.Format);
  }
  Lanes Result;
  for (unsigned Lane = 0; Lane < Sides[0].size(); ++Lane)
    Result.push_back(B.CreateFCmp(P, Sides[0][Lane], Sides[1][Lane]));
  if (Predicate)
    return write(S.Operands[0], Result[0]);
  const StringRef As = S.Parts[2];
  const NarrowType Answer = narrowType(As);
  if (Answer ? Answer.Bits != 16 || Answer.Pair != N.Pair
             : As != "u32" && As != "s32" && As != "f32")
    return false;
  if (!Answer && !N.Pair)
    return write(S.Operands[0], As == "f32" ? B.CreateUIToFP(Result[0], B.getFloatTy())
                                            : B.CreateSExt(Result[0], B.getInt32Ty()));
  if (!Answer && As == "f32")
    return false;
  const unsigned True = !Answer ? 0xffff : Answer.Format == GPUINSTR_F16 ? 0x3c00 : 0x3f80;
  for (Value *&V : Result)
    V = B.CreateSelect(V, B.getInt32(True), B.getInt32(0));
  return writeLanes(S.Operands[0], Result, 16);
}

Value *PtxTranslator::narrowValue(Value *V, unsigned Format) {
  return call("__gpuinstr_narrow_value", B.getDoubleTy(), {V, B.getInt32(Format)});
}

Value *PtxTranslator::rounded(Value *V, unsigned Format, unsigned How) {
  return call("__gpuinstr_narrow_round", B.getInt32Ty(), {V, B.getInt32(Format), B.getInt32(How)});
}

/// The numbers that a conversion starts from, as doubles: exact, or of wide integers rounded to
/// odd. Two operands are the high and the low one of a pair.
PtxTranslator::Lanes PtxTranslator::convertedFrom(const PtxStatement &S, StringRef From) {
  Lanes Out;
  const NarrowType N = narrowType(From);
  Type *T = N ? nullptr : typeOf(From);
  if (!N && !T)
    return {};
  for (StringRef Operand : reverse(drop_begin(S.Operands))) {
    if (N) {
      for (Value *V : readLanes(Operand, N.Bits, N.Pair))
        Out.push_back(narrowValue(V, N.Format));
      continue;
    }
    Value *V = read(Operand, T);
    if (!V)
      return {};
    if (T->isIntegerTy()) {
      const bool Signed = From[0] == 's';
      V = call("__gpuinstr_narrow_from_integer", B.getDoubleTy(),
               {as(V, B.getInt64Ty(), Signed), B.getInt1(Signed)});
    } else {
      V = B.CreateFPExt(V, B.getDoubleTy());
    }
    Out.push_back(V);
  }
  return Out;
}

/// cvt with a float on either side.
bool PtxTranslator::convertFloats(const PtxStatement &S) {
  if (S.Parts.size() < 3 || S.Operands.size() < 2 || S.Operands.size() > 3)
    return false;
  const StringRef From = S.type(), To = S.Parts[S.Parts.size() - 2];
  unsigned How = modifiers(between(S, 1, 2));
  const NarrowType N = narrowType(To);
  Type *T = N ? nullptr : typeOf(To);
  if (How == Unknown || How & GPUINSTR_NAN || (!N && (!T || T->isVectorTy())))
    return false;
  if (Type *Integer = typeOf(From); To == "f64" && Integer && Integer->isIntegerTy()) {
    Value *V = How == GPUINSTR_NEAREST ? read(S.Operands[1], Integer) : nullptr;
    return V && write(S.Operands[0], From[0] == 's' ? B.CreateSIToFP(V, T) : B.CreateUIToFP(V, T));
  }
  Lanes Numbers = convertedFrom(S, From);
  if (Numbers.size() != (N && N.Pair ? 2 : 1) || (S.Operands.size() == 3 && From != "f32"))
    return false;
  const bool Whole = How & ToIntegral;
  const unsigned Mode = How & GPUINSTR_MODES;
  if (T && T->isIntegerTy()) {
    const unsigned Bits = T->getIntegerBitWidth();
    const bool Signed = To[0] == 's', Wide = Bits == 64 || From == "f64";
    if (!Whole || (How & ~GPUINSTR_SATURATE) != (ToIntegral | Mode))
      return false;
    Value *V =
        call("__gpuinstr_narrow_to_integer", B.getInt64Ty(),
             {Numbers[0], B.getInt32(Mode), B.getInt32(Bits), B.getInt1(Signed), B.getInt1(Wide)});
    // Narrow values sit in wider registers.
    return write(S.Operands[0], Bits < 32 ? B.CreateTrunc(V, B.getInt32Ty()) : as(V, T));
  }
  if (Whole) {
    How &= ~(ToIntegral | GPUINSTR_MODES);
    for (Value *&V : Numbers)
      V = call("__gpuinstr_narrow_integral", B.getDoubleTy(), {V, B.getInt32(Mode)});
  }
  if (To == "f64")
    return !How && write(S.Operands[0], Numbers[0]);
  if (From == "bf16" && To == "f32" && !How && !Whole) { // the upper half: keeps what a NaN holds
    Value *Bits = as(read(S.Operands[1], B.getInt16Ty()), B.getInt32Ty());
    return Bits && write(S.Operands[0], as(B.CreateShl(Bits, 16), T));
  }
  for (Value *&V : Numbers)
    V = rounded(V, N ? N.Format : unsigned(GPUINSTR_F32), How);
  return N ? writeLanes(S.Operands[0], Numbers, N.Bits)
           : write(S.Operands[0], as(Numbers[0], B.getFloatTy()));
}

} // namespace gpuinstr
