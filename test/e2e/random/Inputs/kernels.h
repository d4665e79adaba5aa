// The kernels of random programs: each by what its code shows, with a function that tells the
// oracle what a launch reads and writes. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../Inputs/kernel.h"
#include "oracle.h"

#ifdef __NVCC__
#define CARRIED 0 // nvcc's kernels have host versions, which know no device variables
#else
#define CARRIED 1
#endif

constexpr unsigned VariableInts = 256, TableEntries = 4;

struct View {
  int *data;
  unsigned n;
  __host__ __device__ int &at(unsigned i) const { return data[i]; }
};

template <class T> __host__ __device__ inline T scaled(const T *from, unsigned i) {
  return from[i] * 3 + 1;
}

// Reads one buffer, overwrites another.
__host__ __device__ inline void mapAt(unsigned i, const int *in, int *out, unsigned n) {
  if (i < n)
    out[i] = scaled(in, i);
}
__global__ void mapTo(const int *in, int *out, unsigned n) { mapAt(globalThread(), in, out, n); }
SIMULATED(mapTo, mapAt)

// The same by a stride, as one thread of many would.
__host__ __device__ inline void strideAt(unsigned i, const int *in, int *out, unsigned n,
                                         unsigned threads) {
  for (; i < n; i += threads)
    out[i] = in[i] ^ 0x55;
}
__global__ void stride(const int *in, int *out, unsigned n, unsigned threads) {
  strideAt(globalThread(), in, out, n, threads);
}
SIMULATED(stride, strideAt)

// Changes a buffer in place.
__host__ __device__ inline void inPlaceAt(unsigned i, int *x, unsigned n) {
  if (i < n)
    x[i] = x[i] * 5 + 1;
}
__global__ void inPlace(int *x, unsigned n) { inPlaceAt(globalThread(), x, n); }
SIMULATED(inPlace, inPlaceAt)

// Overwrites a buffer, whatever it holds.
__host__ __device__ inline void fillAt(unsigned i, int *x, int value, unsigned n) {
  if (i < n)
    x[i] = value + int(i);
}
__global__ void fill(int *x, int value, unsigned n) { fillAt(globalThread(), x, value, n); }
SIMULATED(fill, fillAt)

// Writes only where the data say so: mostly not at all.
__host__ __device__ inline void clampAt(unsigned i, int *x, int most, unsigned n) {
  if (i < n && x[i] > most)
    x[i] = most;
}
__global__ void clampTo(int *x, int most, unsigned n) { clampAt(globalThread(), x, most, n); }
SIMULATED(clampTo, clampAt)

// Writes through a pointer to const.
__host__ __device__ inline void dropAt(unsigned i, const int *x, int value, unsigned n) {
  if (i < n)
    const_cast<int *>(x)[i] = value;
}
__global__ void drop(const int *x, int value, unsigned n) { dropAt(globalThread(), x, value, n); }
SIMULATED(drop, dropAt)

// Adds through a table of pointers in device memory.
__host__ __device__ inline void eachAt(unsigned i, int *const *table, int by, unsigned n) {
  for (unsigned entry = 0; entry < TableEntries; ++entry)
    if (i < n && table[entry])
      table[entry][i] += by;
}
__global__ void each(int *const *table, int by, unsigned n) {
  eachAt(globalThread(), table, by, n);
}
SIMULATED(each, eachAt)

// Gets its buffer in a struct.
__host__ __device__ inline void viewAt(unsigned i, View view, int by) {
  if (i < view.n)
    view.at(i) += by;
}
__global__ void viewed(View view, int by) { viewAt(globalThread(), view, by); }
SIMULATED(viewed, viewAt)

// Gets its buffers in a struct, some of them in a struct in there.
struct Fields {
  const int *from;
  unsigned n;
  View to;
  int *spare;
};
__host__ __device__ inline void fieldsAt(unsigned i, Fields fields) {
  const View &to = fields.to;
  if (i < fields.n)
    to.at(i) = scaled(fields.from, i);
}
__global__ void mapFields(Fields fields) { fieldsAt(globalThread(), fields); }
SIMULATED(mapFields, fieldsAt)

// Gets them and leaves all but one alone.
__host__ __device__ inline void spareAt(unsigned i, Fields fields, int value) {
  if (i < fields.n)
    fields.to.data[i] = value + int(i);
}
__global__ void spareFields(Fields fields, int value) { spareAt(globalThread(), fields, value); }
SIMULATED(spareFields, spareAt)

// Puts another one in the place of the one that it writes.
__host__ __device__ inline void turnAt(unsigned i, Fields fields) {
  View &to = fields.to;
  to.data = fields.spare;
  if (i < fields.n)
    to.at(i) += 3;
}
__global__ void turnFields(Fields fields) { turnAt(globalThread(), fields); }
SIMULATED(turnFields, turnAt)

// Gets its buffer as a number.
__host__ __device__ inline void numberAt(unsigned i, unsigned long long address, int value,
                                         unsigned n) {
  if (i < n)
    reinterpret_cast<int *>(address)[i] = value;
}
__global__ void number(unsigned long long address, int value, unsigned n) {
  numberAt(globalThread(), address, value, n);
}
SIMULATED(number, numberAt)

// Gets a buffer and leaves it alone.
__host__ __device__ inline void ignoreAt(unsigned i, int *, int *out, unsigned n) {
  if (i < n)
    out[i] = int(i);
}
__global__ void ignore(int *x, int *out, unsigned n) { ignoreAt(globalThread(), x, out, n); }
SIMULATED(ignore, ignoreAt)

// Waits for a flag in pinned memory, then changes its buffer.
__host__ __device__ inline void awaitAt(unsigned i, const volatile int *flag, int *x, unsigned n) {
  while (!*flag)
    ;
  if (i < n)
    x[i] += 7;
}
__global__ void await(const volatile int *flag, int *x, unsigned n) {
  awaitAt(globalThread(), flag, x, n);
}
SIMULATED(await, awaitAt)

namespace describing {

template <class T> T argument(void **arguments, unsigned i) {
  return *static_cast<T *>(arguments[i]);
}
inline void both(void *address, size_t bytes) {
  oracle::reads(address, bytes);
  oracle::writes(address, bytes);
}

inline void fromTo(const unsigned *, const unsigned *, void **a) { // mapTo, stride
  size_t bytes = argument<unsigned>(a, 2) * 4;
  oracle::reads(argument<int *>(a, 0), bytes);
  oracle::writes(argument<int *>(a, 1), bytes);
}
inline void changes(const unsigned *, const unsigned *, void **a) { // inPlace
  both(argument<int *>(a, 0), argument<unsigned>(a, 1) * 4);
}
inline void overwrites(const unsigned *, const unsigned *, void **a) { // fill, drop, number
  oracle::writes(argument<int *>(a, 0), argument<unsigned>(a, 2) * 4);
}
inline void looks(const unsigned *, const unsigned *,
                  void **a) { // clampTo: who knows what it wrote
  oracle::reads(argument<int *>(a, 0), argument<unsigned>(a, 2) * 4);
}
inline void follows(const unsigned *, const unsigned *, void **a) { // each
  int *const *table = argument<int *const *>(a, 0);
  oracle::reads(table, TableEntries * sizeof *table);
  for (unsigned entry = 0; entry < TableEntries; ++entry)
    if (table[entry])
      both(table[entry], argument<unsigned>(a, 2) * 4);
}
inline void views(const unsigned *, const unsigned *, void **a) { // viewed
  View view = argument<View>(a, 0);
  both(view.data, view.n * 4);
}
inline void mapsFields(const unsigned *, const unsigned *, void **a) {
  Fields fields = argument<Fields>(a, 0);
  oracle::reads(fields.from, fields.n * 4);
  oracle::writes(fields.to.data, fields.n * 4);
}
inline void sparesFields(const unsigned *, const unsigned *, void **a) {
  Fields fields = argument<Fields>(a, 0);
  oracle::writes(fields.to.data, fields.n * 4);
}
inline void turnsFields(const unsigned *, const unsigned *, void **a) {
  Fields fields = argument<Fields>(a, 0);
  both(fields.spare, fields.n * 4);
}
inline void leaves(const unsigned *, const unsigned *, void **a) { // ignore
  oracle::writes(argument<int *>(a, 1), argument<unsigned>(a, 2) * 4);
}
inline void waits(const unsigned *, const unsigned *, void **a) { // await
  both(argument<int *>(a, 1), argument<unsigned>(a, 2) * 4);
}

} // namespace describing

#if CARRIED
__device__ int d_variable[VariableInts];
__constant__ int c_variable[VariableInts];
__device__ int *d_kept;

// Device and constant variables.
__global__ void setVariable(int value) { d_variable[globalThread()] = value + int(threadIdx.x); }
__global__ void getVariable(int *out) {
  out[globalThread()] = d_variable[globalThread()] + c_variable[globalThread()];
}
// Keeps an address in a variable; a later launch, which does not get it, writes there.
__global__ void keep(int *x) { d_kept = x; }
__global__ void writeKept(int value, unsigned n) {
  if (d_kept && globalThread() < n)
    d_kept[globalThread()] = value;
}

namespace describing {
inline void nothing(const unsigned *, const unsigned *, void **) {} // variables are not judged
inline void getsVariable(const unsigned *, const unsigned *, void **a) {
  oracle::writes(argument<int *>(a, 0), VariableInts * 4);
}
} // namespace describing
#endif

inline void describeKernels() {
  auto describe = [](auto *kernel, oracle::Description description) {
    oracle::describe(reinterpret_cast<const void *>(kernel), description);
  };
  describe(mapTo, describing::fromTo);
  describe(stride, describing::fromTo);
  describe(inPlace, describing::changes);
  describe(fill, describing::overwrites);
  describe(drop, describing::overwrites);
  describe(number, describing::overwrites);
  describe(clampTo, describing::looks);
  describe(each, describing::follows);
  describe(viewed, describing::views);
  describe(mapFields, describing::mapsFields);
  describe(spareFields, describing::sparesFields);
  describe(turnFields, describing::turnsFields);
  describe(ignore, describing::leaves);
  describe(await, describing::waits);
#if CARRIED
  describe(setVariable, describing::nothing);
  describe(getVariable, describing::getsVariable);
  describe(keep, describing::nothing);
  describe(writeKept, describing::nothing);
#endif
}
