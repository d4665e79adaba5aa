// Names that clang's preprocessor answers otherwise for the device.
// SPDX-License-Identifier: Apache-2.0
#include "ast/conditions/TargetNames.h"

#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

namespace gpuinstr {

/// What else clang defines otherwise for the device, seen with 22.1 and `-E -dM`: OpenMP and
/// sanitizers are of the host alone. And what a condition may ask with __has_feature,
/// __has_attribute and their like.
static bool differs(StringRef Name) {
  constexpr StringRef Names[] = {"__SIZEOF_LONG_DOUBLE__",
                                 "__BIGGEST_ALIGNMENT__",
                                 "__BITINT_MAXWIDTH__",
                                 "__NO_MATH_ERRNO__",
                                 "__cpp_threadsafe_static_init",
                                 "__GCC_HAVE_DWARF2_CFI_ASM",
                                 "_OPENMP",
                                 "__LLVM_INSTR_PROFILE_GENERATE",
                                 "__PIC__",
                                 "__PIE__",
                                 "__pic__",
                                 "__pie__",
                                 "tls",
                                 "cxx_thread_local",
                                 "c_thread_local",
                                 "force_align_arg_pointer",
                                 "function_return",
                                 "ifunc",
                                 "interrupt",
                                 "no_caller_saved_registers",
                                 "nocf_check",
                                 "nvptx_kernel",
                                 "patchable_function_entry",
                                 "preserve_none"};
  constexpr StringRef Beginnings[] = {"__LDBL_",         "__code_model_", "__SANITIZE_",
                                      "__SSP_",          "__is_target_",  "__nvvm_",
                                      "__builtin_ia32_", "__builtin_cpu_"};
  return llvm::is_contained(Names, Name) || Name == "__SSP__" || Name.ends_with("_sanitizer") ||
         llvm::any_of(Beginnings, [&](StringRef Begin) { return Name.starts_with(Begin); });
}

bool isOfTarget(StringRef Name) {
  return (Name.starts_with("__CUDA_ARCH") && Name != "__CUDA_ARCH_LIST__") ||
         Name.starts_with("__NVPTX") || Name == "__PTX__" || differs(Name);
}

} // namespace gpuinstr
