// How a timeline shows a call: its name, category and colour.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_NVTX_NVTXNAMES_H
#define GPUINSTR_NVTX_NVTXNAMES_H

#include "cuda/operands/CallOperands.h"
#include <cstdint>
#include <string>

namespace gpuinstr {

struct NvtxKind {
  uint32_t category; ///< from 1
  const char *name;  ///< of the category: "kernel", "copy", ...
  uint32_t colour;   ///< ARGB
};
/// Never fails: what has no kind of its own is "other".
const NvtxKind &nvtxKind(unsigned op);
/// Of the ranges that gpuinstr_push_range makes.
const NvtxKind &nvtxUserKind();
/// All of them; ends with category 0.
const NvtxKind *nvtxKinds();

/// What tells apart calls of one site that have different names: the kernel that is launched, the
/// direction of a copy. 0 where there is but one.
uint64_t nvtxVariant(const cuda::CallOperands &operands);

/// saxpy<float>  train.cu:133, cudaMemcpyAsync d_x <- h_x H2D  train.cu:88. `charged`: the site
/// that stands for the call, its own or that of the line which called its function. `others`: for
/// all kernels of the line that have no name of their own, other kernels  train.cu:133.
std::string nvtxName(const gpuinstr_site &charged, const cuda::CallOperands &operands,
                     bool others = false);

} // namespace gpuinstr

#endif
