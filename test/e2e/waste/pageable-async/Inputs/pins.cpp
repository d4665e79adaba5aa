// A library without instrumentation that pins its user's memory.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

extern "C" int pinFrame(void *frame, size_t bytes) { return cudaHostRegister(frame, bytes, 0); }
extern "C" int releaseFrame(void *frame) { return cudaHostUnregister(frame); }
