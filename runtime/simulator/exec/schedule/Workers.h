// The system threads that run blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace gpuinstr::sim {

/// Calls \p body on this thread and at the same time on idle threads of the pool, at most \p parts
/// times in all (GPUINSTR_SIM=threads). Returns when every call has. Calls from several threads
/// share the pool; each works alone while no pool thread is idle.
void shareWork(uint64_t parts, const std::function<void()> &body);

} // namespace gpuinstr::sim
