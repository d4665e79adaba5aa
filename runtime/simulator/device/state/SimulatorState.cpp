// The one state of the simulator: devices, contexts, allocations, handles.
// SPDX-License-Identifier: Apache-2.0
#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

State &state() {
  static State *s = new State;
  return *s;
}

bool isContext(const State &s, CUcontext context) { return s.contexts.count(context) != 0; }

bool isDevice(const State &s, int ordinal) {
  return ordinal >= 0 && static_cast<size_t>(ordinal) < s.devices.size();
}

GraphMemory::GraphMemory(CUdeviceptr address, CUcontext context,
                         const CUDA_MEM_ALLOC_NODE_PARAMS &params)
    : address(address), params(params), context(context) {
  this->params.dptr = address;
  state().graphRanges[address] = params.bytesize;
}

GraphMemory::~GraphMemory() {
  State &s = state();
  s.graphRanges.erase(address);
  s.devices[params.poolProps.location.id]->memory.release(address);
}

} // namespace gpuinstr::sim
