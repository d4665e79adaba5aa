// CUDA's functions without a row may do anything, but for questions and what leaves memory alone.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clang %instr -c %s -o %t.o -fplugin-arg-gpuinstr-list-sites | %FileCheck %s
# 1 "/usr/include/cuda_of_tomorrow.h" 1 3
typedef enum { OK } status_t;
status_t cuGetErrorString(status_t, const char **);
status_t cuDeviceGetAttribute(int *, int, int);
status_t cuDevicePrimaryCtxRetain(void **, int);
status_t cuCtxSetCurrent(void *);
status_t cuCtxWaitEvent(void *, void *);
status_t cuPointerGetAttributes(unsigned, int *, void **, unsigned long long);
status_t cuFuncSetAttribute(void *, int, int);
status_t cuModuleLoadDataEx(void **, const void *, unsigned, int *, void **);
status_t cuGraphRemoveDependencies(void *, const void *, const void *, unsigned long);
status_t cuGraphAddWhatIsNew(void *, void *);
status_t cuMemCopyWhatIsNewAsync(void *, void *, void *);
status_t cuMemBatchDecompressAsync(void *, unsigned long, unsigned, unsigned long *, void *);
status_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, unsigned long);
status_t cudaEventElapsedTime(float *, void *, void *);
status_t cudaStreamIsCapturing(void *, int *);
status_t cudaStreamSetAttribute(void *, int, const void *);
status_t cudaGraphUpload(void *, void *);
status_t cudaGraphNodeSetEnabled(void *, void *, unsigned);
status_t cudaBindTexture(unsigned long *, const void *, const void *, const void *, unsigned long);
# 27 "other.c" 2
void f(void *p, int *n, const char **text) {
  cuGetErrorString(OK, text);                                  // CHECK: other cuGetErrorString{{.*}} in f [
  cuDeviceGetAttribute(n, 1, 0);                               // CHECK-NEXT: other cuDeviceGetAttribute{{.*}} in f [
  cuDevicePrimaryCtxRetain(p, 0);                              // CHECK-NEXT: other cuDevicePrimaryCtxRetain{{.*}} in f [
  cuCtxSetCurrent(p);                                          // CHECK-NEXT: other cuCtxSetCurrent{{.*}} in f [
  cuCtxWaitEvent(p, p);                                        // CHECK-NEXT: other cuCtxWaitEvent{{.*}} in f does anything [
  cuPointerGetAttributes(1, n, p, 0);                          // CHECK-NEXT: other cuPointerGetAttributes{{.*}} in f [
  cuFuncSetAttribute(p, 1, 1);                                 // CHECK-NEXT: other cuFuncSetAttribute{{.*}} in f [
  cuModuleLoadDataEx(p, p, 0, n, p);                           // CHECK-NEXT: other cuModuleLoadDataEx{{.*}} in f [
  cuGraphRemoveDependencies(p, p, p, 1);                       // CHECK-NEXT: graph-node cuGraphRemoveDependencies{{.*}} {dst}
  cuGraphAddWhatIsNew(p, p);                                   // CHECK-NEXT: other cuGraphAddWhatIsNew{{.*}} in f does anything [
  cuMemCopyWhatIsNewAsync(p, p, p);                            // CHECK-NEXT: other cuMemCopyWhatIsNewAsync{{.*}} in f does anything [
  cuMemBatchDecompressAsync(p, 1, 0, p, p);                    // CHECK-NEXT: other cuMemBatchDecompressAsync{{.*}} in f does anything {{.*}} {stream}
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, p, 1, 0);   // CHECK-NEXT: other cudaOccupancy{{.*}} in f [
  cudaEventElapsedTime((float *)p, p, p);                      // CHECK-NEXT: other cudaEventElapsedTime{{.*}} in f [
  cudaStreamIsCapturing(p, n);                                 // CHECK-NEXT: other cudaStreamIsCapturing{{.*}} in f [
  cudaStreamSetAttribute(p, 1, p);                             // CHECK-NEXT: other cudaStreamSetAttribute{{.*}} in f [
  cudaGraphUpload(p, p);                                       // CHECK-NEXT: other cudaGraphUpload{{.*}} in f [{{.*}}] {stream}
  cudaGraphNodeSetEnabled(p, p, 0);                            // CHECK-NEXT: graph-node cudaGraphNodeSetEnabled{{.*}} {dst}
  cudaBindTexture((unsigned long *)p, p, p, p, 4);             // CHECK-NEXT: other cudaBindTexture{{.*}} in f does anything [
}
