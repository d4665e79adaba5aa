// Marks the code and the data that frequent calls go through.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_HOTCODE_H
#define GPUINSTR_BASE_HOTCODE_H

/// Of a function's definition. The linker puts such functions side by side: between two calls the
/// driver evicts code and its address translations, so a call should touch few pages.
/// tools/bench/footprint counts them.
#ifdef GPUINSTR_HOT_CODE_SECTION // of a library that has them begin with a page
#define GPUINSTR_HOT __attribute__((hot, section(GPUINSTR_HOT_CODE_SECTION)))
#else
#define GPUINSTR_HOT __attribute__((hot))
#endif

#define LIKELY(x) __builtin_expect(!!(x), true)
#define UNLIKELY(x) __builtin_expect(!!(x), false)
/// Of a function that every path through its caller takes.
#define ALWAYS_INLINE inline __attribute__((always_inline))

/// Of a variable's definition that is not constant: these lie side by side as well.
#define GPUINSTR_HOT_DATA __attribute__((section("gpuinstr_hot")))

#endif
