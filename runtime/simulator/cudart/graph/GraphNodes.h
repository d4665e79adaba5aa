// Between the runtime API's node parameters and the operations of the simulated device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/graph/Graph.h"
#include "cudart/RuntimeCall.h"

namespace gpuinstr::sim {

cudaError_t kernelWork(const cudaKernelNodeParams *P, Op &Out);
cudaError_t copyWork(const cudaMemcpy3DParms *P, Op &Out);
cudaError_t copyWork1D(void *Dst, const void *Src, size_t Bytes, cudaMemcpyKind Kind, Op &Out);
cudaError_t setWork(const cudaMemsetParams *P, Op &Out);
cudaError_t hostWork(const cudaHostNodeParams *P, Op &Out);
cudaError_t childWork(cudaGraph_t Graph, Op &Out);
cudaError_t allocWork(CUcontext C, cudaMemAllocNodeParams &P, Op &Out);
/// A copy to (\p To) or from a device variable; \p Other is the far side.
cudaError_t symbolWork(CUcontext C, bool To, const void *Symbol, const void *Other, size_t Bytes,
                       size_t Offset, cudaMemcpyKind Kind, Op &Out);
/// Any node of the generic form. Writes back what the call hands out (addresses).
cudaError_t genericWork(CUcontext C, cudaGraphNodeParams *P, Op &Out);

/// Adds a node when \p Made, the outcome of building \p Work, is success.
inline cudaError_t add(cudaError_t Made, cudaGraph_t Graph, const cudaGraphNode_t *Deps,
                       size_t Count, Op Work, cudaGraphNode_t *Out) {
  return Made ? Made : toError(addGraphNode(Graph, Deps, Count, std::move(Work), Out));
}
inline cudaError_t setNode(cudaError_t Made, cudaGraphNode_t Node, Op Work) {
  return Made ? Made : toError(setNodeWork(Node, std::move(Work)));
}
inline cudaError_t setExecNode(cudaError_t Made, cudaGraphExec_t Exec, cudaGraphNode_t Node,
                               Op Work) {
  return Made ? Made : toError(setExecNodeWork(Exec, Node, std::move(Work)));
}
/// The operation of a node when it is a \c T; cudaErrorInvalidValue otherwise.
template <typename T> cudaError_t workOf(cudaGraphNode_t Node, T &Out) {
  Op Work;
  if (CUresult R = getNodeWork(Node, &Work))
    return toError(R);
  auto *Found = std::get_if<T>(&Work);
  if (!Found)
    return cudaErrorInvalidValue;
  Out = *Found;
  return cudaSuccess;
}

} // namespace gpuinstr::sim
