/* A module goes, and the driver gives its kernel's handle to another one, of fewer parameters,
   whose arguments end where no memory is. Says whether it was the same handle. */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static const char Eight[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry eight(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d,\n"
    ".param .u64 e, .param .u64 f, .param .u64 g, .param .u64 h) { ret; }\n";
static const char One[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry _Z3oneILi4EEvPf(.param .u64 a) { ret; }\n";

static void nothing(const unsigned *grid, const unsigned *block, void **arguments) {
  (void)grid, (void)block, (void)arguments;
}

/* The simulated device runs no PTX: it takes a function of the host's. */
static void define(const char *name, unsigned count) {
  static const size_t sizes[8] = {8, 8, 8, 8, 8, 8, 8, 8};
  void (*give)(const void *, const char *, void (*)(const unsigned *, const unsigned *, void **),
               unsigned, const size_t *) = dlsym(RTLD_DEFAULT, "gpuinstr_simulator_define_kernel");
  if (give)
    give(NULL, name, nothing, count, sizes);
}

/* As a function of a module, or, as cudart does, as a kernel of a library. */
static int asLibrary;

static CUfunction launch(const char *code, const char *name, void **arguments) {
  CUmodule module;
  CUlibrary library;
  CUfunction function;
  CUkernel kernel;
  if (asLibrary) {
    cuLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0);
    cuLibraryGetKernel(&kernel, library, name);
    function = (CUfunction)kernel;
  } else {
    cuModuleLoadData(&module, code);
    cuModuleGetFunction(&function, module, name);
  }
  for (int i = 0; i < 3; ++i)
    if (cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) != CUDA_SUCCESS)
      puts("a launch failed");
  cuCtxSynchronize();
  if (asLibrary)
    cuLibraryUnload(library);
  else
    cuModuleUnload(module);
  return function;
}

int main(int count, char **arguments) {
  (void)arguments;
  asLibrary = count > 1;
  CUdevice device;
  CUcontext context;
  CUdeviceptr memory;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  cuMemAlloc(&memory, 4096);
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages + page, page, PROT_NONE);
  void **last = (void **)(pages + page) - 1;
  void *eight[8];
  for (int i = 0; i < 8; ++i)
    eight[i] = &memory;
  *last = &memory;
  define("eight", 8);
  define("_Z3oneILi4EEvPf", 1);
  /* It is an address of the heap: whether the next one gets it hangs on what is free there. */
  int isSame = 0;
  for (int i = 0; i < 100 && !isSame; ++i) {
    CUfunction before = launch(Eight, "eight", eight);
    isSame = launch(One, "_Z3oneILi4EEvPf", last) == before;
  }
  puts(isSame ? "one handle" : "two handles");
  cuMemFree(memory);
  return 0;
}
