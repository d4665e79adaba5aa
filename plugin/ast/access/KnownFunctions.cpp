// CUDA's device functions whose bodies cannot be seen, and what is known of them all the same.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/KnownFunctions.h"

#include "ast/access/KernelAccess.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
namespace {

/// Those of <math.h>, in double; float's end in f.
constexpr llvm::StringLiteral MathFunctions[] = {
    "acos",         "acosh",     "asin",      "asinh",    "atan",       "atan2",   "atanh",
    "cbrt",         "ceil",      "copysign",  "cos",      "cosh",       "cospi",   "erf",
    "erfc",         "erfcinv",   "erfcx",     "erfinv",   "exp",        "exp10",   "exp2",
    "expm1",        "fabs",      "fdim",      "floor",    "fma",        "fmax",    "fmin",
    "fmod",         "hypot",     "ilogb",     "isfinite", "isinf",      "isnan",   "j0",
    "j1",           "ldexp",     "lgamma",    "llrint",   "llround",    "log",     "log10",
    "log1p",        "log2",      "logb",      "lrint",    "lround",     "max",     "min",
    "nan",          "nearbyint", "nextafter", "normcdf",  "normcdfinv", "pow",     "powi",
    "rcbrt",        "remainder", "rhypot",    "rint",     "round",      "rsqrt",   "scalbln",
    "scalbn",       "signbit",   "sin",       "sinh",     "sinpi",      "sqrt",    "tan",
    "tanh",         "tgamma",    "trunc",     "y0",       "y1",         "abs",     "labs",
    "llabs",        "fdivide",   "saturate",  "umin",     "umax",       "llmin",   "llmax",
    "ullmin",       "ullmax",    "norm3d",    "norm4d",   "rnorm3d",    "rnorm4d", "cyl_bessel_i0",
    "cyl_bessel_i1"};

/// Integer and conversion intrinsics, by how their names begin.
constexpr llvm::StringLiteral PureBeginnings[] = {"__popc",
                                                  "__fns",
                                                  "__clz",
                                                  "__ffs",
                                                  "__brev",
                                                  "__byte_perm",
                                                  "__funnelshift",
                                                  "__mul24",
                                                  "__umul24",
                                                  "__mulhi",
                                                  "__umulhi",
                                                  "__mul64hi",
                                                  "__umul64hi",
                                                  "__sad",
                                                  "__usad",
                                                  "__hadd",
                                                  "__rhadd",
                                                  "__uhadd",
                                                  "__urhadd",
                                                  "__int2",
                                                  "__uint2",
                                                  "__ll2",
                                                  "__ull2",
                                                  "__float2",
                                                  "__double2",
                                                  "__int_as",
                                                  "__uint_as",
                                                  "__float_as",
                                                  "__double_as",
                                                  "__longlong_as",
                                                  "__ulonglong_as",
                                                  "__hiloint2double",
                                                  "__half2",
                                                  "__low2",
                                                  "__high2",
                                                  "__dp4a",
                                                  "__dp2a",
                                                  "__saturate",
                                                  "__fetch_builtin_",
                                                  "__nv_is_extended",
                                                  "__half_as",
                                                  "__short_as",
                                                  "__ushort_as",
                                                  "__float22",
                                                  "__floats2",
                                                  "__halves2",
                                                  "__vabs",
                                                  "__vadd",
                                                  "__vavg",
                                                  "__vcmp",
                                                  "__vhadd",
                                                  "__viadd",
                                                  "__vimax",
                                                  "__vimin",
                                                  "__vmax",
                                                  "__vmin",
                                                  "__vneg",
                                                  "__vsad",
                                                  "__vset",
                                                  "__vsub"};

/// `__fadd_rn`, `__dsqrt_ru`, `__expf`, `__fdividef`.
bool isArithmeticIntrinsic(StringRef Name) {
  if (!Name.consume_front("__"))
    return false;
  static const llvm::StringSet<> Fast = {"expf",  "exp10f",  "logf",         "log2f",    "log10f",
                                         "sinf",  "cosf",    "tanf",         "fdividef", "powf",
                                         "tanhf", "fdivide", "fmaf_ieee_rn", "frsqrt_rn"};
  if (Fast.contains(Name))
    return true;
  if (Name.size() < 4 || (Name[0] != 'f' && Name[0] != 'd'))
    return false;
  StringRef Rounding = Name.take_back(3);
  static const llvm::StringSet<> Operations = {"add", "sub", "mul", "div",
                                               "ma",  "maf", "rcp", "sqrt"};
  return (Rounding == "_rn" || Rounding == "_rz" || Rounding == "_ru" || Rounding == "_rd") &&
         Operations.contains(Name.drop_front().drop_back(3));
}

/// What does not wait, or only for threads of its own warp or block.
constexpr llvm::StringLiteral EndingFunctions[] = {"__syncthreads",
                                                   "__syncthreads_count",
                                                   "__syncthreads_and",
                                                   "__syncthreads_or",
                                                   "__syncwarp",
                                                   "__threadfence",
                                                   "__threadfence_block",
                                                   "__threadfence_system",
                                                   "__activemask",
                                                   "__all_sync",
                                                   "__any_sync",
                                                   "__ballot_sync",
                                                   "__shfl_sync",
                                                   "__shfl_up_sync",
                                                   "__shfl_down_sync",
                                                   "__shfl_xor_sync",
                                                   "__match_any_sync",
                                                   "__match_all_sync",
                                                   "__reduce_add_sync",
                                                   "__reduce_min_sync",
                                                   "__reduce_max_sync",
                                                   "__reduce_and_sync",
                                                   "__reduce_or_sync",
                                                   "__reduce_xor_sync",
                                                   "__ldg",
                                                   "__ldca",
                                                   "__ldcg",
                                                   "__ldcs",
                                                   "__ldcv",
                                                   "__ldlu",
                                                   "__stcg",
                                                   "__stcs",
                                                   "__stwb",
                                                   "__stwt",
                                                   "sincos",
                                                   "sincosf",
                                                   "sincospi",
                                                   "sincospif",
                                                   "__sincosf",
                                                   "modf",
                                                   "norm",
                                                   "normf",
                                                   "rnorm",
                                                   "rnormf",
                                                   "modff",
                                                   "frexp",
                                                   "frexpf",
                                                   "remquo",
                                                   "remquof",
                                                   "printf",
                                                   "vprintf",
                                                   "__assert_fail",
                                                   "__assertfail",
                                                   "__trap",
                                                   "__nanosleep",
                                                   "clock",
                                                   "clock64",
                                                   "memcpy",
                                                   "memmove",
                                                   "memset",
                                                   "__pipeline_memcpy_async",
                                                   "__pipeline_commit",
                                                   "__pipeline_wait_prior",
                                                   "__cvta_generic_to_shared",
                                                   "__isGlobal",
                                                   "__isShared",
                                                   "__builtin_assume_aligned",
                                                   "__builtin_assume",
                                                   "__builtin_expect",
                                                   "__builtin_unreachable",
                                                   "__builtin_trap",
                                                   "__builtin_is_constant_evaluated",
                                                   "__builtin_addressof",
                                                   "atomicAdd",
                                                   "atomicSub",
                                                   "atomicExch",
                                                   "atomicMin",
                                                   "atomicMax",
                                                   "atomicInc",
                                                   "atomicDec",
                                                   "atomicCAS",
                                                   "atomicAnd",
                                                   "atomicOr",
                                                   "atomicXor"};

bool isMathFunction(StringRef Name) {
  if (llvm::is_contained(MathFunctions, Name))
    return true;
  return Name.consume_back("f") && llvm::is_contained(MathFunctions, Name);
}

} // namespace

StringRef systemFunctionName(const FunctionDecl &F, KernelAccess &Whole) {
  const IdentifierInfo *Name = F.getIdentifier();
  if (!Name || isa<CXXMethodDecl>(F))
    return "";
  const DeclContext *Scope = F.getDeclContext()->getRedeclContext();
  if (!Scope->isTranslationUnit() && !Scope->isExternCContext() && !F.isInStdNamespace())
    return "";
  const FunctionDecl *Definition = nullptr;
  // A program may declare `printf` for itself; what it defines is another matter.
  if (F.hasBody(Definition) && !Whole.isSystem(Definition->getLocation()))
    return "";
  const bool Declared = llvm::any_of(F.redecls(), [&](const FunctionDecl *D) {
    return D->isImplicit() || D->getBuiltinID() || D->getLocation().isInvalid() ||
           Whole.isSystem(D->getLocation());
  });
  return Declared ? Name->getName() : "";
}

/// Of <cuComplex.h> and <vector_functions.h>.
static bool makesNumbers(StringRef Name) {
  static const llvm::StringSet<> Complex = {"real", "imag", "abs", "add", "sub",
                                            "mul",  "div",  "fma", "onj"};
  static const llvm::StringSet<> Elements = {"char",     "uchar",     "short", "ushort",
                                             "int",      "uint",      "long",  "ulong",
                                             "longlong", "ulonglong", "float", "double"};
  if (Name == "cuComplexFloatToDouble" || Name == "cuComplexDoubleToFloat")
    return true;
  if (Name.consume_front("cuC")) {
    Name.consume_back("f");
    return Complex.contains(Name);
  }
  if (!Name.consume_front("make_"))
    return false;
  return Name == "cuFloatComplex" || Name == "cuDoubleComplex" || Name == "cuComplex" ||
         (Name.size() > 1 && Name.back() >= '1' && Name.back() <= '4' &&
          Elements.contains(Name.drop_back()));
}

bool isPureFunction(StringRef Name) {
  if (makesNumbers(Name))
    return true;
  Name.consume_front("__builtin_");
  if (Name.consume_front("__nv_")) // libdevice
    return isMathFunction(Name);
  return isMathFunction(Name) || isArithmeticIntrinsic(Name) ||
         llvm::any_of(PureBeginnings, [&](StringRef Begin) { return Name.starts_with(Begin); });
}

bool isNumberBuiltin(const FunctionDecl &F) {
  auto IsNumber = [](QualType T) { return T->isArithmeticType(); };
  const unsigned ID = F.getBuiltinID();
  return ID && F.getASTContext().BuiltinInfo.isConst(ID) && !F.isVariadic() &&
         IsNumber(F.getReturnType()) &&
         llvm::all_of(F.parameters(), [&](auto *P) { return IsNumber(P->getType()); });
}

bool isTextureFunction(StringRef Name) {
  static const llvm::StringSet<> Functions = {"tex1Dfetch",
                                              "tex1D",
                                              "tex2D",
                                              "tex3D",
                                              "texCubemap",
                                              "tex1DLayered",
                                              "tex2DLayered",
                                              "texCubemapLayered",
                                              "tex2Dgather",
                                              "tex1DLod",
                                              "tex2DLod",
                                              "tex3DLod",
                                              "texCubemapLod",
                                              "tex1DLayeredLod",
                                              "tex2DLayeredLod",
                                              "texCubemapLayeredLod",
                                              "tex1DGrad",
                                              "tex2DGrad",
                                              "tex3DGrad",
                                              "tex1DLayeredGrad",
                                              "tex2DLayeredGrad",
                                              "texCubemapGrad",
                                              "texCubemapLayeredGrad"};
  return Functions.contains(Name);
}

bool isSurfaceFunction(StringRef Name) {
  static const llvm::StringSet<> Shapes = {
      "1D", "2D", "3D", "1DLayered", "2DLayered", "Cubemap", "CubemapLayered"};
  return Name.consume_front("surf") && (Name.consume_back("read") || Name.consume_back("write")) &&
         Shapes.contains(Name);
}

bool isEndingFunction(StringRef Name) {
  if (isPureFunction(Name) || isTextureFunction(Name) || llvm::is_contained(EndingFunctions, Name))
    return true;
  if (Name.starts_with("__nv_")) // libdevice: arithmetic alone
    return true;
  if (Name.consume_front("__builtin_"))
    return llvm::is_contained(EndingFunctions, Name);
  if (!Name.starts_with("atomic"))
    return false;
  return (Name.consume_back("_system") || Name.consume_back("_block")) &&
         llvm::is_contained(EndingFunctions, Name);
}

} // namespace gpuinstr
