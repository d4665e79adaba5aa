// corpus: -fobjc-runtime=gnustep-2.0 -fblocks -Wno-objc-root-class | -fobjc-runtime=gcc -fblocks -O2 -Wall
#include <cuda_runtime_api.h>
@interface Buffer { void *p; }
- (int)take:(int)n;
@end
@implementation Buffer
- (int)take:(int)n {
  int (^make)(int) = ^(int bytes) { return (int)cudaMalloc(&p, bytes); };
  return make(n);
}
- (void)dealloc { cudaFree(p); }
@end
