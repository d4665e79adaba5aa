// CUDA's runtime alone, for the tests of what the plugin knows (test/plugin/lit.local.cfg).
#include <cuda_runtime.h>
