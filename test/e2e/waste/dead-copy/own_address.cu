// Each step sends an object that no kernel gets to where its own address, inside it, says. Kernels
// that follow addresses find that one nowhere else. Silent: where a kernel gets the object, where a
// copy of it or another table names it, and once a kernel had it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: dead-copy line=@unread count>=7
// EXPECT-NO: dead-copy line=@read
// EXPECT-NO[twin]: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 10, Rounds = 8;

struct Table {
  Table *next; // whose number counts
  float *x;
  long number;
};

inline void nothing(unsigned, const Table *, int) {}
inline void nothingKept(unsigned, Table *, const Table *, int) {}
__global__ void addThere(const Table *table, int on) {
  if (on)
    table->x[globalThread() % N] += float(table->next->number);
}
SIMULATED(addThere, nothing)
__global__ void keep(Table *to, const Table *table, int on) {
  if (on)
    to->next = table->next;
}
SIMULATED(keep, nothingKept)

static int launches;

static void add(const Table *table) {
  addThere<<<N / 256, 256>>>(table, launches < 0);
  CHECK(cudaGetLastError());
  ++launches;
}

static Table *make() {
  Table *d_table;
  CHECK(cudaMalloc(&d_table, sizeof(Table)));
  return d_table;
}

static void send(Table *to, Table table) {
  CHECK(cudaMemcpy(to, &table, sizeof(Table), cudaMemcpyHostToDevice));
}

static void unread(float *d_x) {
  Table *d_other = make();
  send(d_other, {d_other, d_x, 0});
#ifndef FIXED
  Table *d_object = make();
#endif
  for (int i = 0; i < Rounds; ++i) {
#ifndef FIXED
    Table object = {d_object, nullptr, i};
    CHECK(cudaMemcpy(d_object, &object, sizeof(Table), cudaMemcpyHostToDevice)); // @unread
#endif
    add(d_other);
  }
#ifndef FIXED
  CHECK(cudaFree(d_object));
#endif
  CHECK(cudaFree(d_other));
}

/// `way`: what a kernel gets then.
template <class Way> static void read(float *d_x, Way way) {
  Table *d_object = make(), *d_other = make();
  const Table *given = way(d_object, d_other);
  for (int i = 0; i < Rounds; ++i) {
    Table object = {d_object, d_x, i + 2};
    CHECK(cudaMemcpy(d_object, &object, sizeof(Table), cudaMemcpyHostToDevice)); // @read
    add(given);
  }
  CHECK(cudaFree(d_object));
  CHECK(cudaFree(d_other));
}

int main() {
  std::vector<float> x(N);
  float *d_x;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMemset(d_x, 0, 4 * N));
  unread(d_x);
#ifndef FIXED
  read(d_x, [](Table *d_object, Table *) { return d_object; });
  read(d_x, [=](Table *d_object, Table *d_other) { // by a copy's bytes
    send(d_object, {d_object, d_x, 0});
    CHECK(cudaMemcpy(d_other, d_object, sizeof(Table), cudaMemcpyDeviceToDevice));
    return d_other;
  });
  read(d_x, [=](Table *d_object, Table *d_other) { // by another table
    send(d_object, {d_object, d_x, 0});
    send(d_other, {d_object, d_x, 0});
    return d_other;
  });
  read(d_x, [=](Table *d_object, Table *d_other) { // by what a kernel took from it
    send(d_object, {d_object, d_x, 0});
    keep<<<1, 32>>>(d_other, d_object, launches < 0);
    CHECK(cudaGetLastError());
    return d_other;
  });
#endif
  CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(x));
  CHECK(cudaFree(d_x));
}
