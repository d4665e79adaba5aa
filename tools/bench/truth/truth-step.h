// The training step that truth.cu times: kernels of one to some hundred microseconds, in turns.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TOOLS_BENCH_TRUTH_STEP_H
#define GPUINSTR_TOOLS_BENCH_TRUTH_STEP_H

#include <cuda_runtime.h>

/// So many steps of a two-layer network, launched without waiting. The names of its kernels begin
/// with `step_`.
cudaError_t trainingSteps(int steps);

#endif
