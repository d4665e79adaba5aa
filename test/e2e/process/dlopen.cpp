// An instrumented library is loaded, used and unloaded twice: its findings keep their names.
// SPDX-License-Identifier: Apache-2.0
// DLOPEN: libmodule.so Inputs/module.cpp
// EXPECT: leak proven memory=device variable=d_work function=moduleRun line=@Inputs/module.cpp:alloc count=2 bytes=4096
// EXPECT-ALL
// EXPECT-SITE: kind=alloc line=@Inputs/module.cpp:alloc calls=4
// EXPECT-REPORT: leak *d_work*module.cpp:{@Inputs/module.cpp:alloc}
#include "../Inputs/check.h"

#include <dlfcn.h>

int main() {
  for (int round = 0; round < 2; ++round) {
    void *module = dlopen("libmodule.so", RTLD_NOW | RTLD_LOCAL);
    if (!module) {
      puts(dlerror());
      return 1;
    }
    auto run = reinterpret_cast<int (*)(int)>(dlsym(module, "moduleRun"));
    printf("%d %d\n", run(0), run(1));
    if (dlclose(module) != 0)
      return 2;
  }
}
