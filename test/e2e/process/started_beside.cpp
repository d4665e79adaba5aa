// A program that is started by a relative name, and a part of it without the plugin: it is one image.
// SPDX-License-Identifier: Apache-2.0
// WITH-PLAIN: ../waste/traps/Inputs/foreign.cpp
// EXPECT-IMAGE: path=/*/app instrumented=1
// EXPECT-NO-REPORT: *NOT instrumented: app *
// EXPECT-REPORT: *NOT instrumented: parts of app that call*
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **arguments) {
  if (count == 1) {
    char path[PATH_MAX] = "";
    if (readlink("/proc/self/exe", path, sizeof path - 1) <= 0)
      return 1;
    *strrchr(path, '/') = 0;
    if (chdir(path))
      return 1;
    execl("./app", "./app", "again", nullptr);
    return 1;
  }
  void *d_x;
  CHECK(cudaMalloc(&d_x, 4096));
  CHECK(cudaFree(d_x));
  puts(arguments[0]);
}
