// A thread loads libraries all the time while the program ends, with memory that a global variable
// holds. Run so many times.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

float *held;
std::atomic<int> rounds;

static void load() {
  for (;; ++rounds)
    for (const char *name : {"libanl.so.1", "libresolv.so.2", "libutil.so.1", "no-such-library"})
      if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
        dlclose(library);
}

int main(int, char **argv) {
  const int runs = atoi(argv[1]);
  for (int run = 0; run < runs; ++run) {
    int status = 0;
    if (pid_t child = fork()) {
      if (waitpid(child, &status, 0) != child || status != 0)
        return printf("run %d ended by %d\n", run, status), 1;
    } else {
      execl("/proc/self/exe", argv[0], "0", nullptr);
      _exit(2);
    }
  }
  if (runs)
    return puts("all ended"), 0;
  alarm(20);
  if (cudaMalloc(&held, 4096) != cudaSuccess)
    return 1;
  std::thread(load).detach();
  while (rounds < 3)
    usleep(100);
}
