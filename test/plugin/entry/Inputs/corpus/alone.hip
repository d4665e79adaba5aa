// corpus: same -x hip --offload-host-only -nogpuinc -nogpulib -O2 -fuse-cuid=none
#define __global__ __attribute__((global))
struct dim3 { unsigned x, y, z; dim3(unsigned n) : x(n), y(1), z(1) {} };
typedef struct stream *hipStream_t;
extern "C" int hipMalloc(void **, unsigned long);
extern "C" int hipFree(void *);
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, hipStream_t);
extern "C" int __hipPushCallConfiguration(dim3, dim3, unsigned long = 0, hipStream_t = 0);
extern "C" int __hipPopCallConfiguration(dim3 *, dim3 *, unsigned long *, hipStream_t *);
__global__ void k(int *p) { *p = 1; }
int run(int **p) {
  int bad = hipMalloc((void **)p, 4);
  k<<<1, 1>>>(*p);
  return bad + hipFree(*p);
}
