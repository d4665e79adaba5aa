// Macros alone: cudafe++ leaves no trace of this file.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#ifdef __CUDA_ARCH__
#define HEADER_STORE(p) p[0] = 1
#define HEADER_SIZE 4
#else
#define HEADER_STORE(p) (void)p
#define HEADER_SIZE 2
#endif
#define HEADER_PLAIN(p) p[0] = 1
