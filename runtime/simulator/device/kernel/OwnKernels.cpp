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

void publish(const hash::Work &Work, const hash::Sums &Sums) {
  audit::ContentHash Hash = hash::finish(Sums, Work.bytes);
  auto *Result = reinterpret_cast<hash::Result *>(Work.result);
  Result->first = Hash.first;
  Result->second = Hash.second;
  __atomic_store_n(&Result->seal, hash::seal(Hash, Work.stamp), __ATOMIC_RELEASE);
}

template <bool Aligned> void hashFlat(const unsigned *, const unsigned *, void **Arguments) {
  const hash::Work &Work = *static_cast<const hash::Work *>(Arguments[0]);
  publish(Work, hash::hashFlat<Aligned>(Work, Alone));
}

void hashAlignedRows(const unsigned *, const unsigned *, void **Arguments) {
  const hash::Work &Work = *static_cast<const hash::Work *>(Arguments[0]);
  publish(Work, hash::hashAlignedRows(Work, Alone));
}

void hashRows(const unsigned *, const unsigned *, void **Arguments) {
  const hash::Work &Work = *static_cast<const hash::Work *>(Arguments[0]);
  publish(Work, hash::hashRows(Work, Alone));
}

} // namespace

void defineOwnKernels() {
  const size_t Bytes[] = {sizeof(hash::Work)};
  defineHostKernel(nullptr, "gpuinstr_hash_aligned", hashFlat<true>, 1, Bytes);
  defineHostKernel(nullptr, "gpuinstr_hash_unaligned", hashFlat<false>, 1, Bytes);
  defineHostKernel(nullptr, "gpuinstr_hash_aligned_rows", hashAlignedRows, 1, Bytes);
  defineHostKernel(nullptr, "gpuinstr_hash_rows", hashRows, 1, Bytes);
}

} // namespace gpuinstr::sim
