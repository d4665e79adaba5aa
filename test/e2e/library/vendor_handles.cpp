// A handle of a vendor library that nobody destroys is a likely leak; held by a global it is none.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// SHARED-PLAIN: libvendor.so Inputs/vendor.cpp
// OPTIONS: fail_on=leak
// EXPECT: leak likely memory=cublas-handle variable=blas line=@blas count=2 bytes=0
// EXPECT: leak likely memory=cublas-handle variable=lt line=@lt count=1
// EXPECT: leak likely memory=cufft-plan variable=plan line=@plan count=2
// EXPECT: leak likely memory=curand-generator variable=generator line=@rand count=1
// EXPECT: leak likely memory=cusparse-handle variable=sparse line=@sparse count=1
// EXPECT: leak likely memory=cusolver-handle variable=solver line=@solver count=1
// EXPECT: leak likely memory=cudnn-handle variable=net line=@net via=@dnn count=1
// EXPECT: leak likely memory=nccl-communicator variable=comms[0] line=@all count=2
// EXPECT: held-at-exit information memory=cublas-handle variable=g_blas line=@global count=1
// EXPECT: held-at-exit information memory=cufft-plan variable=g_plan line=@gplan count=1
// EXPECT-NO: leak line=@failed
// EXPECT-NO: leak line=@group
// EXPECT-ALL
// EXPECT-SITE: kind=library memory=cublas-handle line=@blas calls=3
// EXPECT-REPORT: *leak*x2*blas*cublas-handle*vendor_handles.cpp:{@blas}*
// EXPECT-NO[twin]: leak
#include "../Inputs/check.h"
#include "Inputs/vendor.h"

static cublasHandle_t g_blas;
static cufftHandle g_plan;

struct Network {
  Network() { cudnnCreate(&this->handle); } // @dnn
  cudnnHandle_t handle;
};

int main() {
  int status = 0;
  void *d_x;
  CHECK(cudaMalloc(&d_x, 4096));
  cublasHandle_t blas;
  for (int i = 0; i < 3; ++i) {
    status |= cublasCreate(&blas); // @blas
    if (i == 0)
      status |= cublasDestroy(blas);
#ifdef FIXED
    else
      status |= cublasDestroy(blas);
#endif
  }
  cublasLtHandle_t lt;
  status |= cublasLtCreate(&lt); // @lt
  cufftHandle plan;
  for (int i = 0; i < 3; ++i) {
    status |= cufftPlan1d(&plan, 256, 0x29, 1); // @plan
    if (i == 1)
      status |= cufftDestroy(plan);
#ifdef FIXED
    else
      status |= cufftDestroy(plan);
#endif
  }
  if (cufftPlan1d(&plan, -1, 0x29, 1) == VENDOR_SUCCESS) // @failed
    return 1;
  curandGenerator_t generator;
  status |= curandCreateGenerator(&generator, 100); // @rand
  cusparseHandle_t sparse;
  status |= cusparseCreate(&sparse); // @sparse
  cusolverDnHandle_t solver;
  status |= cusolverDnCreate(&solver); // @solver
  Network net; // @net
  ncclComm_t comms[2], grouped;
  status |= ncclCommInitAll(comms, 2, nullptr); // @all
  // Stored by the end of the group, not by its own call.
  status |= ncclGroupStart();
  status |= ncclCommInitRank(&grouped, 1, ncclUniqueId(), 0); // @group
  status |= ncclGroupEnd();
  status |= ncclCommDestroy(grouped);
  status |= cublasCreate(&g_blas);              // @global
  status |= cufftPlan1d(&g_plan, 512, 0x29, 1); // @gplan
#ifdef FIXED
  status |= cublasLtDestroy(lt);
  status |= curandDestroyGenerator(generator);
  status |= cusparseDestroy(sparse);
  status |= cusolverDnDestroy(solver);
  status |= cudnnDestroy(net.handle);
  status |= ncclCommDestroy(comms[0]);
  status |= ncclCommDestroy(comms[1]);
#endif
  CHECK(cudaFree(d_x));
#ifdef FIXED
  // Legal after the device's memory is gone, too.
  CHECK(cudaDeviceReset());
  status |= cublasDestroy(g_blas);
  status |= cufftDestroy(g_plan);
#endif
  printf("done %d\n", status);
}
