// The hash kernels' machine code, as built into the runtime.
// SPDX-License-Identifier: Apache-2.0
#include "audit/hash/DeviceCode.h"

// GPUINSTR_DEVICE_CODE is the file's path, from CMake.
asm(".pushsection .rodata\n"
    ".balign 16\n"
    ".hidden gpuinstr_device_code\n"
    ".globl gpuinstr_device_code\n"
    "gpuinstr_device_code:\n"
    ".incbin \"" GPUINSTR_DEVICE_CODE "\"\n"
    ".hidden gpuinstr_device_code_end\n"
    ".globl gpuinstr_device_code_end\n"
    "gpuinstr_device_code_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" __attribute__((visibility("hidden"))) const char gpuinstr_device_code[];
extern "C" __attribute__((visibility("hidden"))) const char gpuinstr_device_code_end[];

namespace gpuinstr::audit {

const void *deviceCode() { return gpuinstr_device_code; }
size_t deviceCodeBytes() { return size_t(gpuinstr_device_code_end - gpuinstr_device_code); }

} // namespace gpuinstr::audit
