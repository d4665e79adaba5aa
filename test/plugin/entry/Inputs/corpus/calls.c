/* corpus: -std=c89 | -std=c99 -Wall -Wextra -O2 | -std=c11 -g -fPIC -fno-plt | -flto | -fsanitize=thread -O1 | -save-temps=obj | run -O2 */
#include <cuda_runtime_api.h>
#include <stdio.h>
static void *held;
static int unused(void) { return 1; }
int main(void) {
  void *p = 0;
  int bad = (int)cudaMalloc(&p, 64);
  bad += (int)cudaMemset(p, 0, 64) + (int)cudaMalloc(&held, 16);
  bad += (int)cudaFree(p) + (int)cudaFree(held);
  printf("%d\n", bad);
  return 0;
}
