/* Stands for a CUDA runtime that is linked into the program, where the device is simulated: one section with a
   hidden function of each name, in the order of the real one, that goes on to the shared library's.
   SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#define FUNCTIONS                                                                                                      \
  F(cudaGetExportTable)                                                                                                \
  F(__cudaRegisterFatBinary)                                                                                           \
  F(__cudaRegisterFatBinaryEnd)                                                                                        \
  F(__cudaUnregisterFatBinary)                                                                                         \
  F(__cudaRegisterVar)                                                                                                 \
  F(__cudaRegisterFunction)                                                                                            \
  F(__cudaPushCallConfiguration)                                                                                       \
  F(__cudaPopCallConfiguration)                                                                                        \
  F(__cudaGetKernel)                                                                                                   \
  F(__cudaInitModule)                                                                                                  \
  INSIDE                                                                                                               \
  F(cudaGetDeviceCount)                                                                                                \
  F(cudaGetDevice)                                                                                                     \
  F(cudaSetDevice)                                                                                                     \
  F(cudaGetLastError)                                                                                                  \
  F(cudaPeekAtLastError)                                                                                               \
  F(cudaGetErrorString)                                                                                                \
  F(cudaDeviceSynchronize)                                                                                             \
  F(cudaFuncGetAttributes)                                                                                             \
  F(cudaLaunchKernel)                                                                                                  \
  F(cudaMalloc)                                                                                                        \
  F(cudaFree)                                                                                                          \
  F(cudaMemcpy)                                                                                                        \
  F(cudaMemcpyAsync)                                                                                                   \
  F(cudaMemset)                                                                                                        \
  F(cudaMemsetAsync)                                                                                                   \
  F(cudaStreamSynchronize)                                                                                             \
  F(cudaProfilerStart)                                                                                                 \
  F(cudaProfilerStop)

/* Where each goes on to. */
#define F(name) static void *to_##name __attribute__((used));
#define INSIDE
FUNCTIONS
#undef F
#undef INSIDE

#define INSIDE_NAME "libcudart_static_0123456789abcdef0123456789abcdef01234567"
/* INSIDE: no function of the program's, and calls some, as the runtime's own do. */
#define F(name)                                                                                                        \
  ".globl " #name "\n.hidden " #name "\n.type " #name ",@function\n.p2align 4\n" #name ":\n.cfi_startproc\n"           \
  "jmp *to_" #name "(%rip)\n.cfi_endproc\n.size " #name ",.-" #name "\n"
#define INSIDE                                                                                                         \
  ".type " INSIDE_NAME ",@function\n.p2align 4\n" INSIDE_NAME ":\n.cfi_startproc\nsub $8,%rsp\ncall cudaFree\n"         \
  "add $8,%rsp\njmp cudaMalloc\n.cfi_endproc\n.size " INSIDE_NAME ",.-" INSIDE_NAME "\n"
__asm__(".text\n" FUNCTIONS);
#undef F
#undef INSIDE

static void open(void) __asm__("libcudart_static_76543210fedcba9876543210fedcba9876543210");
__attribute__((constructor(101))) static void open(void) {
  /* As the real one, which names the driver's. */
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL), *runtime = dlopen("libcudart.so.13", RTLD_NOW);
  if (!driver || !runtime)
    abort();
#define F(name) to_##name = dlsym(runtime, #name);
#define INSIDE
  FUNCTIONS
}
