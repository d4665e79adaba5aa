// A library that uses CUDA and is not instrumented: loaded by tests, never called.
// SPDX-License-Identifier: Apache-2.0
extern "C" int cudaDeviceSynchronize();
extern "C" int useCuda() { return cudaDeviceSynchronize(); }
