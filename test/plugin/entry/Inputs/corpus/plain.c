/* corpus: -std=c99 -Wall -Wextra | -std=c17 -flto | -std=c23 -O1 -fsanitize=address,undefined | -ffreestanding -Os | -fprofile-instr-generate -fcoverage-mapping | -E | -M | --analyze | -S | -emit-llvm | run -O3 */
#include <setjmp.h>
#include <stdio.h>
static jmp_buf place;
struct point { int x, y : 3; double at[]; };
static int unused_variable(int n, int unused) { int vla[n]; vla[0] = n; return vla[0]; }
static void *labels(int i) {
  static void *const to[] = {&&a, &&b};
  goto *to[i & 1];
a: return 0;
b: return ({ int k = 1; to[k]; });
}
int main(void) {
  struct point p = {.y = 2, .x = 1};
  if (!setjmp(place)) longjmp(place, 1);
  printf("%d %d %d\n", p.x, unused_variable(3, 4), labels(0) != 0);
  return _Generic(p.x, int: 0, default: 1);
}
