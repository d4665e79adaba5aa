// Functions that CUDA's headers and its static library put around driver calls.
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/CudaNames.h"
#include <cctype>
#include <cstring>

namespace gpuinstr::attach {

namespace {

/// What libcudart_static.a of CUDA 13.0 defines as cuda… (nm, without _ptds, _ptsz, _v2), and what
/// the headers of CUDA 10 to 12 declared beside it.
constexpr const char Exported[] =
    " "
    "cudaArrayGetInfo cudaArrayGetMemoryRequirements cudaArrayGetPlane "
    "cudaArrayGetSparseProperties cudaBindSurfaceToArray cudaBindTexture cudaBindTexture2D "
    "cudaBindTextureToArray cudaBindTextureToMipmappedArray cudaChooseDevice cudaConfigureCall "
    "cudaCreateChannelDesc cudaCreateSurfaceObject cudaCreateTextureObject "
    "cudaCtxResetPersistingL2Cache cudaDestroyExternalMemory cudaDestroyExternalSemaphore "
    "cudaDestroySurfaceObject cudaDestroyTextureObject cudaDeviceCanAccessPeer "
    "cudaDeviceDisablePeerAccess cudaDeviceEnablePeerAccess cudaDeviceFlushGPUDirectRDMAWrites "
    "cudaDeviceGetAttribute cudaDeviceGetByPCIBusId cudaDeviceGetCacheConfig "
    "cudaDeviceGetDefaultMemPool cudaDeviceGetGraphMemAttribute "
    "cudaDeviceGetHostAtomicCapabilities cudaDeviceGetLimit cudaDeviceGetMemPool "
    "cudaDeviceGetNvSciSyncAttributes cudaDeviceGetP2PAtomicCapabilities "
    "cudaDeviceGetP2PAttribute cudaDeviceGetPCIBusId cudaDeviceGetSharedMemConfig "
    "cudaDeviceGetStreamPriorityRange cudaDeviceGetTexture1DLinearMaxWidth "
    "cudaDeviceGraphMemTrim cudaDeviceRegisterAsyncNotification cudaDeviceReset "
    "cudaDeviceSetCacheConfig cudaDeviceSetGraphMemAttribute cudaDeviceSetLimit "
    "cudaDeviceSetMemPool cudaDeviceSetSharedMemConfig cudaDeviceSynchronize "
    "cudaDeviceUnregisterAsyncNotification cudaDriverGetVersion "
    "cudaEGLStreamConsumerAcquireFrame cudaEGLStreamConsumerConnect "
    "cudaEGLStreamConsumerConnectWithFlags cudaEGLStreamConsumerDisconnect "
    "cudaEGLStreamConsumerReleaseFrame cudaEGLStreamProducerConnect "
    "cudaEGLStreamProducerDisconnect cudaEGLStreamProducerPresentFrame "
    "cudaEGLStreamProducerReturnFrame cudaEventCreate cudaEventCreateFromEGLSync "
    "cudaEventCreateWithFlags cudaEventDestroy cudaEventElapsedTime cudaEventQuery "
    "cudaEventRecord cudaEventRecordWithFlags cudaEventSynchronize "
    "cudaExternalMemoryGetMappedBuffer cudaExternalMemoryGetMappedMipmappedArray cudaFree "
    "cudaFreeArray cudaFreeAsync cudaFreeHost cudaFreeMipmappedArray cudaFuncGetAttributes "
    "cudaFuncGetName cudaFuncGetParamInfo cudaFuncSetAttribute cudaFuncSetCacheConfig "
    "cudaFuncSetSharedMemConfig cudaGLGetDevices cudaGLMapBufferObject "
    "cudaGLMapBufferObjectAsync cudaGLRegisterBufferObject cudaGLSetBufferObjectMapFlags "
    "cudaGLSetGLDevice cudaGLUnmapBufferObject cudaGLUnmapBufferObjectAsync "
    "cudaGLUnregisterBufferObject cudaGetChannelDesc cudaGetDevice cudaGetDeviceCount "
    "cudaGetDeviceFlags cudaGetDeviceProperties cudaGetDriverEntryPoint "
    "cudaGetDriverEntryPointByVersion cudaGetErrorName cudaGetErrorString cudaGetExportTable "
    "cudaGetFuncBySymbol cudaGetKernel cudaGetLastError cudaGetMipmappedArrayLevel "
    "cudaGetSurfaceObjectResourceDesc cudaGetSurfaceReference cudaGetSymbolAddress "
    "cudaGetSymbolSize cudaGetTextureAlignmentOffset cudaGetTextureObjectResourceDesc "
    "cudaGetTextureObjectResourceViewDesc cudaGetTextureObjectTextureDesc "
    "cudaGetTextureReference cudaGraphAddChildGraphNode cudaGraphAddDependencies "
    "cudaGraphAddEmptyNode cudaGraphAddEventRecordNode cudaGraphAddEventWaitNode "
    "cudaGraphAddExternalSemaphoresSignalNode cudaGraphAddExternalSemaphoresWaitNode "
    "cudaGraphAddHostNode cudaGraphAddKernelNode cudaGraphAddMemAllocNode "
    "cudaGraphAddMemFreeNode cudaGraphAddMemcpyNode cudaGraphAddMemcpyNode1D "
    "cudaGraphAddMemcpyNodeFromSymbol cudaGraphAddMemcpyNodeToSymbol cudaGraphAddMemsetNode "
    "cudaGraphAddNode cudaGraphChildGraphNodeGetGraph cudaGraphClone "
    "cudaGraphConditionalHandleCreate cudaGraphCreate cudaGraphDebugDotPrint cudaGraphDestroy "
    "cudaGraphDestroyNode cudaGraphEventRecordNodeGetEvent cudaGraphEventRecordNodeSetEvent "
    "cudaGraphEventWaitNodeGetEvent cudaGraphEventWaitNodeSetEvent "
    "cudaGraphExecChildGraphNodeSetParams cudaGraphExecDestroy "
    "cudaGraphExecEventRecordNodeSetEvent cudaGraphExecEventWaitNodeSetEvent "
    "cudaGraphExecExternalSemaphoresSignalNodeSetParams "
    "cudaGraphExecExternalSemaphoresWaitNodeSetParams cudaGraphExecGetFlags "
    "cudaGraphExecHostNodeSetParams cudaGraphExecKernelNodeSetParams "
    "cudaGraphExecMemcpyNodeSetParams cudaGraphExecMemcpyNodeSetParams1D "
    "cudaGraphExecMemcpyNodeSetParamsFromSymbol cudaGraphExecMemcpyNodeSetParamsToSymbol "
    "cudaGraphExecMemsetNodeSetParams cudaGraphExecNodeSetParams cudaGraphExecUpdate "
    "cudaGraphExternalSemaphoresSignalNodeGetParams "
    "cudaGraphExternalSemaphoresSignalNodeSetParams "
    "cudaGraphExternalSemaphoresWaitNodeGetParams cudaGraphExternalSemaphoresWaitNodeSetParams "
    "cudaGraphGetEdges cudaGraphGetNodes cudaGraphGetRootNodes cudaGraphHostNodeGetParams "
    "cudaGraphHostNodeSetParams cudaGraphInstantiate cudaGraphInstantiateWithFlags "
    "cudaGraphInstantiateWithParams cudaGraphKernelNodeCopyAttributes "
    "cudaGraphKernelNodeGetAttribute cudaGraphKernelNodeGetParams "
    "cudaGraphKernelNodeSetAttribute cudaGraphKernelNodeSetParams cudaGraphLaunch "
    "cudaGraphMemAllocNodeGetParams cudaGraphMemFreeNodeGetParams cudaGraphMemcpyNodeGetParams "
    "cudaGraphMemcpyNodeSetParams cudaGraphMemcpyNodeSetParams1D "
    "cudaGraphMemcpyNodeSetParamsFromSymbol cudaGraphMemcpyNodeSetParamsToSymbol "
    "cudaGraphMemsetNodeGetParams cudaGraphMemsetNodeSetParams cudaGraphNodeFindInClone "
    "cudaGraphNodeGetDependencies cudaGraphNodeGetDependentNodes cudaGraphNodeGetEnabled "
    "cudaGraphNodeGetType cudaGraphNodeSetEnabled cudaGraphNodeSetParams "
    "cudaGraphReleaseUserObject cudaGraphRemoveDependencies cudaGraphRetainUserObject "
    "cudaGraphUpload cudaGraphicsEGLRegisterImage cudaGraphicsGLRegisterBuffer "
    "cudaGraphicsGLRegisterImage cudaGraphicsMapResources "
    "cudaGraphicsResourceGetMappedEglFrame cudaGraphicsResourceGetMappedMipmappedArray "
    "cudaGraphicsResourceGetMappedPointer cudaGraphicsResourceSetMapFlags "
    "cudaGraphicsSubResourceGetMappedArray cudaGraphicsUnmapResources "
    "cudaGraphicsUnregisterResource cudaGraphicsVDPAURegisterOutputSurface "
    "cudaGraphicsVDPAURegisterVideoSurface cudaHostAlloc cudaHostGetDevicePointer "
    "cudaHostGetFlags cudaHostRegister cudaHostUnregister cudaImportExternalMemory "
    "cudaImportExternalSemaphore cudaInitDevice cudaIpcCloseMemHandle cudaIpcGetEventHandle "
    "cudaIpcGetMemHandle cudaIpcOpenEventHandle cudaIpcOpenMemHandle "
    "cudaKernelSetAttributeForDevice cudaLaunch cudaLaunchCooperativeKernel "
    "cudaLaunchCooperativeKernelMultiDevice cudaLaunchHostFunc cudaLaunchKernel "
    "cudaLaunchKernelExC cudaLibraryEnumerateKernels cudaLibraryGetGlobal cudaLibraryGetKernel "
    "cudaLibraryGetKernelCount cudaLibraryGetManaged cudaLibraryGetUnifiedFunction "
    "cudaLibraryLoadData cudaLibraryLoadFromFile cudaLibraryUnload cudaLogsCurrent "
    "cudaLogsDumpToFile cudaLogsDumpToMemory cudaLogsRegisterCallback "
    "cudaLogsUnregisterCallback cudaMalloc cudaMalloc3D cudaMalloc3DArray cudaMallocArray "
    "cudaMallocAsync cudaMallocFromPoolAsync cudaMallocHost cudaMallocManaged "
    "cudaMallocMipmappedArray cudaMallocPitch cudaMemAdvise "
    "cudaMemDiscardAndPrefetchBatchAsync cudaMemDiscardBatchAsync cudaMemGetDefaultMemPool "
    "cudaMemGetInfo cudaMemGetMemPool cudaMemPoolCreate cudaMemPoolDestroy "
    "cudaMemPoolExportPointer cudaMemPoolExportToShareableHandle cudaMemPoolGetAccess "
    "cudaMemPoolGetAttribute cudaMemPoolImportFromShareableHandle cudaMemPoolImportPointer "
    "cudaMemPoolSetAccess cudaMemPoolSetAttribute cudaMemPoolTrimTo cudaMemPrefetchAsync "
    "cudaMemPrefetchBatchAsync cudaMemRangeGetAttribute cudaMemRangeGetAttributes "
    "cudaMemSetMemPool cudaMemcpy cudaMemcpy2D cudaMemcpy2DArrayToArray cudaMemcpy2DAsync "
    "cudaMemcpy2DFromArray cudaMemcpy2DFromArrayAsync cudaMemcpy2DToArray "
    "cudaMemcpy2DToArrayAsync cudaMemcpy3D cudaMemcpy3DAsync cudaMemcpy3DBatchAsync "
    "cudaMemcpy3DPeer cudaMemcpy3DPeerAsync cudaMemcpyArrayToArray cudaMemcpyAsync "
    "cudaMemcpyBatchAsync cudaMemcpyFromArray cudaMemcpyFromArrayAsync cudaMemcpyFromSymbol "
    "cudaMemcpyFromSymbolAsync cudaMemcpyPeer cudaMemcpyPeerAsync cudaMemcpyToArray "
    "cudaMemcpyToArrayAsync cudaMemcpyToSymbol cudaMemcpyToSymbolAsync cudaMemset cudaMemset2D "
    "cudaMemset2DAsync cudaMemset3D cudaMemset3DAsync cudaMemsetAsync "
    "cudaMipmappedArrayGetMemoryRequirements cudaMipmappedArrayGetSparseProperties "
    "cudaOccupancyAvailableDynamicSMemPerBlock cudaOccupancyMaxActiveBlocksPerMultiprocessor "
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags cudaOccupancyMaxActiveClusters "
    "cudaOccupancyMaxPotentialClusterSize cudaPeekAtLastError cudaPointerGetAttributes "
    "cudaProfilerInitialize cudaProfilerStart cudaProfilerStop cudaRuntimeGetVersion "
    "cudaSetDevice cudaSetDeviceFlags cudaSetDoubleForDevice cudaSetDoubleForHost "
    "cudaSetValidDevices cudaSetupArgument cudaSignalExternalSemaphoresAsync "
    "cudaStreamAddCallback cudaStreamAttachMemAsync cudaStreamBeginCapture "
    "cudaStreamBeginCaptureToGraph cudaStreamCopyAttributes cudaStreamCreate "
    "cudaStreamCreateWithFlags cudaStreamCreateWithPriority cudaStreamDestroy "
    "cudaStreamEndCapture cudaStreamGetAttribute cudaStreamGetCaptureInfo cudaStreamGetDevice "
    "cudaStreamGetFlags cudaStreamGetId cudaStreamGetPriority cudaStreamIsCapturing "
    "cudaStreamQuery cudaStreamSetAttribute cudaStreamSynchronize "
    "cudaStreamUpdateCaptureDependencies cudaStreamWaitEvent "
    "cudaThreadExchangeStreamCaptureMode cudaThreadExit cudaThreadGetCacheConfig "
    "cudaThreadGetLimit cudaThreadSetCacheConfig cudaThreadSetLimit cudaThreadSynchronize "
    "cudaUnbindTexture cudaUserObjectCreate cudaUserObjectRelease cudaUserObjectRetain "
    "cudaVDPAUGetDevice cudaVDPAUSetVDPAUDevice cudaWaitExternalSemaphoresAsync ";

/// The templates and overloads that cuda_runtime.h of CUDA 13.0 defines (static __inline__ …
/// cudaError_t cuda…), and those of CUDA 10 to 12 that are gone.
constexpr const char Wrappers[] =
    " "
    "cudaBindSurfaceToArray cudaBindTexture cudaBindTexture2D cudaBindTextureToArray "
    "cudaBindTextureToMipmappedArray cudaEventCreate cudaFuncGetAttributes cudaFuncGetName "
    "cudaFuncSetAttribute cudaFuncSetCacheConfig cudaFuncSetSharedMemConfig cudaGetKernel "
    "cudaGetSymbolAddress cudaGetSymbolSize cudaGetTextureAlignmentOffset "
    "cudaGraphAddMemcpyNodeFromSymbol cudaGraphAddMemcpyNodeToSymbol "
    "cudaGraphExecMemcpyNodeSetParamsFromSymbol cudaGraphExecMemcpyNodeSetParamsToSymbol "
    "cudaGraphExecUpdate cudaGraphInstantiate cudaGraphMemcpyNodeSetParamsFromSymbol "
    "cudaGraphMemcpyNodeSetParamsToSymbol cudaHostAlloc cudaHostGetDevicePointer cudaLaunch "
    "cudaLaunchCooperativeKernel cudaLaunchCooperativeKernelMultiDevice cudaLaunchKernel "
    "cudaLaunchKernelEx cudaLibraryGetGlobal cudaLibraryGetManaged "
    "cudaLibraryGetUnifiedFunction cudaMalloc cudaMallocAsync cudaMallocFromPoolAsync "
    "cudaMallocHost cudaMallocManaged cudaMallocPitch cudaMemDiscardAndPrefetchBatchAsync "
    "cudaMemPrefetchBatchAsync cudaMemcpyBatchAsync cudaMemcpyFromSymbol "
    "cudaMemcpyFromSymbolAsync cudaMemcpyToSymbol cudaMemcpyToSymbolAsync "
    "cudaOccupancyAvailableDynamicSMemPerBlock cudaOccupancyMaxActiveBlocksPerMultiprocessor "
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags cudaOccupancyMaxActiveClusters "
    "cudaOccupancyMaxPotentialBlockSize cudaOccupancyMaxPotentialBlockSizeVariableSMem "
    "cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags "
    "cudaOccupancyMaxPotentialBlockSizeWithFlags cudaOccupancyMaxPotentialClusterSize "
    "cudaSetupArgument cudaStreamAttachMemAsync cudaUnbindTexture cudaUserObjectCreate ";

/// Of cudart's inside and of what nvcc writes (crt/host_runtime.h). Programs have names of their
/// own that begin like these: __cudaSafeCall, __cudaCheckError.
constexpr const char *Inside[] = {"__cudart",        "libcudart_static_", "__device_stub__",
                                  "__cudaGet",       "__cudaInit",        "__cudaLaunch",
                                  "__cudaOccupancy", "__cudaPop",         "__cudaPush",
                                  "__cudaRegister",  "__cudaUnregister",  "__nv_",
                                  "____nv_dummy",    "__sti____cuda"};

bool isIn(const char *list, const std::string &name) {
  return std::strstr(list, (' ' + name + ' ').c_str());
}

bool isInside(const std::string &name) {
  for (const char *start : Inside)
    if (name.rfind(start, 0) == 0)
      return true;
  return false;
}

bool isMangled(const std::string &name) { return name.rfind("_Z", 0) == 0; }

/// cudaMalloc of _ZL10cudaMallocIfE9cudaErrorPPT_m; "" where it lies in a namespace or class.
std::string globalName(const std::string &mangled) {
  size_t at = mangled.compare(2, 1, "L") == 0 ? 3 : 2, length = 0;
  for (; at < mangled.size() && std::isdigit(static_cast<unsigned char>(mangled[at])); ++at)
    length = length < mangled.size() ? length * 10 + size_t(mangled[at] - '0') : length;
  return length && length <= mangled.size() - at ? mangled.substr(at, length) : "";
}

} // namespace

bool isCudaWrapper(const std::string &name) {
  if (name.rfind("_ZN9__cudart", 0) == 0 || name.find("__wrapper__device_stub_") != name.npos)
    return true; // the latter stands where a kernel that is a template does
  // With a namespace in front it is in no list; one in template arguments is cut off.
  std::string plain = isMangled(name) ? globalName(name) : name.substr(0, name.find('<'));
  return isInside(plain) || isIn(Wrappers, plain);
}

bool isCudaSymbol(const std::string &symbol) {
  if (isMangled(symbol))
    return isCudaWrapper(symbol);
  std::string name = symbol.substr(0, symbol.find('.')); // .part.0
  if (isInside(name))
    return true;
  size_t tail = name.rfind('_'); // _ptds, _ptsz, _v2
  return isIn(Exported, tail == std::string::npos ? name : name.substr(0, tail));
}

} // namespace gpuinstr::attach
