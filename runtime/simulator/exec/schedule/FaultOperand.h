// What an instruction that faulted without an address was after.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <sys/ucontext.h>

namespace gpuinstr::sim {

/// Whether the instruction at the context's RIP reads or writes 16 bytes or more (SSE, or an
/// aligned move of AVX) at an address that is no multiple of 16: `address`.
bool misalignedOperand(const ucontext_t &context, uint64_t &address);

} // namespace gpuinstr::sim
