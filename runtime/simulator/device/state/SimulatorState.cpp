// The one state of the simulator: devices, contexts, allocations, handles.
// SPDX-License-Identifier: Apache-2.0
#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

State &state() {
  static State *S = new State;
  return *S;
}

bool isContext(const State &S, CUcontext Context) { return S.Contexts.count(Context) != 0; }

bool isDevice(const State &S, int Ordinal) {
  return Ordinal >= 0 && static_cast<size_t>(Ordinal) < S.Devices.size();
}

GraphMemory::GraphMemory(CUdeviceptr Address, CUcontext Context,
                         const CUDA_MEM_ALLOC_NODE_PARAMS &Params)
    : Address(Address), Params(Params), Context(Context) {
  this->Params.dptr = Address;
  state().GraphRanges[Address] = Params.bytesize;
}

GraphMemory::~GraphMemory() {
  State &S = state();
  S.GraphRanges.erase(Address);
  S.Devices[Params.poolProps.location.id]->Memory.release(Address);
}

} // namespace gpuinstr::sim
