// Another tool of the driver's: takes CUPTI and keeps it.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <stdio.h>

static void nothing(void *data, int domain, unsigned number, const void *call) {
  (void)data, (void)domain, (void)number, (void)call;
}

int InitializeInjection(void) {
  puts("the other tool");
  return 1;
}

/* Linked with the program below: subscribes before the driver starts. */
__attribute__((constructor)) static void take(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  void *cupti = driver ? dlopen("libcupti.so.13", RTLD_NOW | RTLD_GLOBAL) : 0;
  int (*subscribe)(void **, void *, void *) = cupti ? dlsym(cupti, "cuptiSubscribe") : 0;
  void *subscriber;
  if (subscribe)
    subscribe(&subscriber, (void *)nothing, 0);
}
