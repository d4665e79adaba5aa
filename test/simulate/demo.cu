// The demo's solver without a GPU: its residuals and temperatures are those of the same steps on the host.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_plain -x c++ -O2 %s -o %t.reference
// RUN: %build_simulated_whole %S/../../tools/demo.d/solver.cu -o %t.solver %cudart
// RUN: %sim %t.solver > %t.out 2> %t.report
// RUN: %t.reference < %t.out
// RUN: %FileCheck --check-prefix=OUTPUT %s < %t.out
// OUTPUT: largest difference from the CPU's result: 0.00
// RUN: %FileCheck --check-prefix=REPORT %s < %t.report
// REPORT: simulated device
// REPORT-NOT: kernels not run
// REPORT: BUGS
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

int main() {
  constexpr int n = 512;
  std::map<int, double> expected;
  std::vector<float> u(n * n, 20.0f), next;
  for (int x = 0; x < n; ++x)
    u[x] = 100.0f;
  next = u;
  for (int step = 1; step <= 400; ++step) {
    double sum = 0;
    for (int y = 1; y < n - 1; ++y)
      for (int x = 1; x < n - 1; ++x) {
        int i = y * n + x;
        float laplacian = u[i - 1] + u[i + 1] + u[i - n] + u[i + n] - 4.0f * u[i];
        next[i] = u[i] + 0.9f * 0.2f * laplacian;
        double change = next[i] - u[i];
        sum += change * change;
      }
    u = next;
    expected[step] = std::sqrt(sum);
  }
  char line[256];
  int step = 0, compared = 0;
  double residual = 0;
  while (std::fgets(line, sizeof line, stdin))
    if (std::sscanf(line, "step %d residual %lf", &step, &residual) == 2) {
      ++compared;
      if (std::fabs(residual - expected[step]) > 1e-3 * expected[step]) {
        std::printf("step %d: %f, on the host %f\n", step, residual, expected[step]);
        return 1;
      }
    }
  std::printf("%d residuals compared\n", compared);
  return compared == 4 ? 0 : 1;
}
