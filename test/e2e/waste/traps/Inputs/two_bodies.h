// Kernels that two units make of one template: CLEARS gives one of them another body.
// SPDX-License-Identifier: Apache-2.0
#include "../../../Inputs/kernel.h"

template <class T> __host__ __device__ inline void addAt(unsigned i, const T *in, T *out, T limit) {
#ifdef CLEARS
  if (in[i] > limit)
    const_cast<T *>(in)[i] = 0;
#endif
  if (in[i] <= limit)
    out[i] += in[i];
}
template <class T> __global__ void add(const T *in, T *out, T limit) { addAt(globalThread(), in, out, limit); }

template <class T> __host__ __device__ inline void scaleAt(unsigned i, const T *in, T *out) { out[i] += 2 * in[i]; }
template <class T> __global__ void scale(const T *in, T *out) { scaleAt(globalThread(), in, out); }

constexpr auto addFloats = add<float>;
constexpr auto scaleFloats = scale<float>;
SIMULATED(addFloats, addAt<float>)
SIMULATED(scaleFloats, scaleAt<float>)
