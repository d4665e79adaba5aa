// Ranges of NVTX in a program that was compiled without the plugin: plain ones, of a domain with a
// registered text, nested, in a second thread, started and ended.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <thread>

static CUcontext context;

static void set(int times) {
  static CUdeviceptr memory = 0;
  if (!memory)
    cuMemAlloc(&memory, 4096);
  for (int i = 0; i < times; ++i)
    cuMemsetD8(memory, i, 4096);
}

int main() {
  CUdevice device;
  nvtxRangePushA("everything"); // before CUDA is there
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  set(1);
  nvtxDomainHandle_t domain = nvtxDomainCreateA("program");
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = nvtxDomainRegisterStringA(domain, "train");
  for (int i = 0; i < 3; ++i) {
    nvtxDomainRangePushEx(domain, &attributes);
    set(10);
    nvtxDomainRangePop(domain);
  }
  nvtxRangeId_t one = nvtxRangeStartA("started"), other = nvtxRangeStartA("started");
  std::thread([] {
    cuCtxSetCurrent(context);
    nvtxRangePushA("beside");
    set(5);
    nvtxRangePop();
  }).join();
  nvtxRangeEnd(one);
  nvtxRangeEnd(other);
  nvtxRangePop();
  std::printf("%s\n", one != other ? "done" : "one number for two ranges");
  return 0;
}
