// A macro that is another one on the device.
// SPDX-License-Identifier: Apache-2.0
#ifdef __CUDA_ARCH__
#define ON_DEVICE(code) code
#else
#define ON_DEVICE(code)
#endif
#define TWICE(x) ((x) + (x))
