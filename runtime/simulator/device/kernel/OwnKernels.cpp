// gpuinstr's own kernels, of which the host version comes with the simulator.
// SPDX-License-Identifier: Apache-2.0
#include "device/kernel/OwnKernels.h"

#include "audit/hash/HashRegion.h"
#include "device/kernel/KernelCode.h"

namespace gpuinstr::sim {

namespace {

namespace hash = audit::hash;

/// What DeviceHash.cu does with the same source, by one thread: every grid gives the same value.
constexpr hash::Place Alone = {0, 1, 0, 1};

void publish(const hash::Work &work, const hash::Sums &sums) {
  audit::ContentHash hash = hash::finish(sums, work.bytes);
  auto *result = reinterpret_cast<hash::Result *>(work.result);
  // As the device's stores are: who reads before the seal fits looks again.
  __atomic_store_n(&result->first, hash.first, __ATOMIC_RELAXED);
  __atomic_store_n(&result->second, hash.second, __ATOMIC_RELAXED);
  __atomic_store_n(&result->seal, hash::seal(hash, work.stamp), __ATOMIC_RELEASE);
}

template <bool Aligned> void hashFlat(const unsigned *, const unsigned *, void **arguments) {
  const hash::Work &work = *static_cast<const hash::Work *>(arguments[0]);
  publish(work, hash::hashFlat<Aligned>(work, Alone));
}

void hashAlignedRows(const unsigned *, const unsigned *, void **arguments) {
  const hash::Work &work = *static_cast<const hash::Work *>(arguments[0]);
  publish(work, hash::hashAlignedRows(work, Alone));
}

void hashRows(const unsigned *, const unsigned *, void **arguments) {
  const hash::Work &work = *static_cast<const hash::Work *>(arguments[0]);
  publish(work, hash::hashRows(work, Alone));
}

} // namespace

void defineOwnKernels() {
  const size_t bytes[] = {sizeof(hash::Work)};
  defineHostKernel(nullptr, "gpuinstr_hash_aligned", hashFlat<true>, 1, bytes);
  defineHostKernel(nullptr, "gpuinstr_hash_unaligned", hashFlat<false>, 1, bytes);
  defineHostKernel(nullptr, "gpuinstr_hash_aligned_rows", hashAlignedRows, 1, bytes);
  defineHostKernel(nullptr, "gpuinstr_hash_rows", hashRows, 1, bytes);
}

} // namespace gpuinstr::sim
