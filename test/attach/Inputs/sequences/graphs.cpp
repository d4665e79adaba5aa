// Programs that capture and build graphs.
// SPDX-License-Identifier: Apache-2.0
#include "programs.h"

static CUgraph graph;
static CUgraphExec executable;
static CUgraphNode nodes[4];
static void *arguments[] = {&a, &b, &c};

static void launchTwice() {
  cuGraphInstantiate(&executable, graph, 0);
  cuGraphLaunch(executable, stream);
  cuGraphLaunch(executable, stream);
  cuStreamSynchronize(stream);
  cuGraphExecDestroy(executable);
  cuGraphDestroy(graph);
}

static void captured() {
  prepare();
  loadModule();
  cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  cuMemcpyDtoDAsync(a, b, Bytes, stream);
  cuMemsetD32Async(b, 1, Bytes / 4, stream);
  cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr);
  cuStreamEndCapture(stream, &graph);
  launchTwice();
  finish();
}

static void captureThatFails() {
  prepare();
  cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuStreamSynchronize(stream);
  cuStreamEndCapture(stream, &graph);
  finish();
}

static void built() {
  static CUDA_MEMCPY3D copy;
  static CUDA_MEMSET_NODE_PARAMS set;
  static CUcontext context;
  cuCtxGetCurrent(&context);
  prepare();
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = a;
  copy.dstDevice = b;
  copy.WidthInBytes = Bytes;
  copy.Height = copy.Depth = 1;
  set.dst = c;
  set.elementSize = 4;
  set.width = Bytes / 4;
  set.height = 1;
  cuGraphCreate(&graph, 0);
  cuGraphAddMemcpyNode(&nodes[0], graph, nullptr, 0, &copy, context);
  cuGraphAddMemsetNode(&nodes[1], graph, nodes, 1, &set, context);
  cuGraphAddEmptyNode(&nodes[2], graph, nodes, 2);
  set.value = 3;
  cuGraphMemsetNodeSetParams(nodes[1], &set);
  cuGraphInstantiate(&executable, graph, 0);
  cuGraphUpload(executable, stream);
  set.value = 4;
  cuGraphExecMemsetNodeSetParams(executable, nodes[1], &set, context);
  cuGraphLaunch(executable, stream);
  cuStreamSynchronize(stream);
  cuGraphExecDestroy(executable);
  cuGraphDestroy(graph);
  finish();
}

static void hostWork(void *) {}
static void builtWithAHostFunction() {
  static CUDA_HOST_NODE_PARAMS call;
  prepare();
  call.fn = hostWork;
  cuGraphCreate(&graph, 0);
  cuGraphAddHostNode(&nodes[0], graph, nullptr, 0, &call);
  cuGraphAddEventRecordNode(&nodes[1], graph, nodes, 1, event);
  launchTwice();
  finish();
}

static void builtWithAKernel() {
  static CUDA_KERNEL_NODE_PARAMS launch;
  prepare();
  loadModule();
  launch.func = kernel;
  launch.gridDimX = launch.gridDimY = launch.gridDimZ = 1;
  launch.blockDimX = 32;
  launch.blockDimY = launch.blockDimZ = 1;
  launch.kernelParams = arguments;
  cuGraphCreate(&graph, 0);
  cuGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &launch);
  launch.gridDimX = 2;
  cuGraphKernelNodeSetParams(nodes[0], &launch);
  launchTwice();
  finish();
}

static void clonedAndNested() {
  static CUgraph clone, outer;
  static CUDA_MEMSET_NODE_PARAMS set;
  static CUcontext context;
  cuCtxGetCurrent(&context);
  prepare();
  set.dst = a;
  set.elementSize = 1;
  set.width = Bytes;
  set.height = 1;
  cuGraphCreate(&graph, 0);
  cuGraphAddMemsetNode(&nodes[0], graph, nullptr, 0, &set, context);
  cuGraphClone(&clone, graph);
  cuGraphCreate(&outer, 0);
  cuGraphAddChildGraphNode(&nodes[1], outer, nullptr, 0, clone);
  cuGraphInstantiate(&executable, outer, 0);
  cuGraphLaunch(executable, stream);
  cuStreamSynchronize(stream);
  cuGraphExecDestroy(executable);
  cuGraphDestroy(outer);
  cuGraphDestroy(clone);
  cuGraphDestroy(graph);
  finish();
}

static void memoryOfACapture() {
  static CUdeviceptr own;
  prepare();
  cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  cuMemAllocAsync(&own, Bytes, stream);
  cuMemsetD8Async(own, 1, Bytes, stream);
  cuMemFreeAsync(own, stream);
  cuStreamEndCapture(stream, &graph);
  launchTwice();
  finish();
}

const Program GraphPrograms[] = {{"captured", captured},
                                 {"capture-that-fails", captureThatFails},
                                 {"built", built},
                                 {"built-with-a-host-function", builtWithAHostFunction},
                                 {"built-with-a-kernel", builtWithAKernel},
                                 {"cloned-and-nested", clonedAndNested},
                                 {"memory-of-a-capture", memoryOfACapture},
                                 {nullptr, nullptr}};
