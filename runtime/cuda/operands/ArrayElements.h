// What an element of a CUDA array takes: cudaMemcpy3D counts elements, and does not say of which
// size. SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CUDA_OPERANDS_ARRAYELEMENTS_H
#define GPUINSTR_CUDA_OPERANDS_ARRAYELEMENTS_H

#include "cuda/operands/CallOperands.h"

namespace gpuinstr::cuda {

/// An ALLOC made this array. Arrays beyond the first thousands are not known.
void noteArray(const CallOperands &made, uint64_t array);
/// It is about to be freed.
void forgetArray(uint64_t array);
/// Bytes of an element of it; 0 unknown. Takes no lock.
uint32_t elementBytesOf(uint64_t array);

} // namespace gpuinstr::cuda

#endif
