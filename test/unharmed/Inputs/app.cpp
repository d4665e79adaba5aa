// What programs do to themselves, each with one leak that must still be told. See cases.py.
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <string>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void call() {
  void *d_lost = nullptr;
  if (cudaMalloc(&d_lost, 4096) != cudaSuccess)
    std::exit(9);
}

/// Most of what the runtime keeps books about.
static void busy() {
  constexpr size_t Bytes = 1 << 16;
  static char source[Bytes], back[Bytes];
  void *d_data = nullptr, *d_again = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  void *pinned = nullptr;
  int failed = 0;
  auto check = [&](cudaError_t error) { failed += error != cudaSuccess; };
  check(cudaStreamCreate(&stream));
  check(cudaEventCreate(&event));
  check(cudaMalloc(&d_data, Bytes));
  check(cudaMallocHost(&pinned, Bytes));
  for (int i = 0; i < 6; ++i) {
    check(cudaMemcpy(d_data, source, Bytes, cudaMemcpyHostToDevice));
    check(cudaMemcpyAsync(d_data, pinned, Bytes, cudaMemcpyHostToDevice, stream));
    check(cudaEventRecord(event, stream));
    check(cudaStreamSynchronize(stream));
    check(cudaMemcpy(back, d_data, Bytes, cudaMemcpyDeviceToHost));
    check(cudaMalloc(&d_again, 1024));
    check(cudaMemset(d_again, 0, 1024));
    check(cudaFree(d_again));
  }
  (void)cudaFree(d_again); // twice
  failed += cudaGetLastError() != cudaErrorInvalidValue;
  for (int i = 0; i < 3; ++i) // of a function that is no kernel
    (void)cudaLaunchKernel(reinterpret_cast<const void *>(busy), dim3(1), dim3(1), nullptr, 0,
                           stream);
  (void)cudaGetLastError();
  pthread_t thread;
  pthread_create(
      &thread, nullptr, [](void *) -> void * { return call(), nullptr; }, nullptr);
  pthread_join(thread, nullptr);
  std::printf("failed %d\n", failed);
}

static void inHandler(int) { call(); }

/// Pages without access lie below it.
static void onSmallStack(size_t bytes) {
  constexpr size_t Guard = 1 << 20;
  char *memory = static_cast<char *>(
      mmap(nullptr, Guard + (1 << 20), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  stack_t stack = {};
  stack.ss_sp = memory + Guard;
  stack.ss_size = bytes;
  mprotect(stack.ss_sp, 1 << 20, PROT_READ | PROT_WRITE);
  struct sigaction action = {};
  action.sa_handler = inHandler;
  action.sa_flags = SA_ONSTACK;
  if (sigaltstack(&stack, nullptr) != 0 || sigaction(SIGUSR1, &action, nullptr) != 0)
    std::exit(8);
  raise(SIGUSR1);
}

static void *work(void *) {
  usleep(100000);
  std::printf("worker\n");
  return nullptr;
}

/// 100 calls, then the end that is asked for once the file `go` is there. See spool.py.
static void counted(const std::string &how) {
  void *d_live = nullptr;
  pid_t child = how == "fork" ? fork() : 0;
  if (how == "exec" && cudaMalloc(&d_live, 64) == cudaSuccess) { // freed twice, for --fail-on
    (void)cudaFree(d_live);
    (void)cudaFree(d_live);
  }
  void *d_later = nullptr; // its use would come behind the end
  (void)cudaMalloc(&d_later, 256);
  (void)cudaMalloc(&d_live, 4096);
  for (int i = 0; i < 100; ++i)
    (void)cudaMemset(d_live, i, 4096);
  while (access("go", F_OK) != 0)
    usleep(2000);
  if (child > 0)
    waitpid(child, nullptr, 0);
  if (how == "fork")
    raise(SIGKILL);
  if (how == "exit-group")
    syscall(SYS_exit_group, 3);
  if (how == "exec")
    execl("/bin/true", "true", nullptr);
  if (how == "handler") {
    std::signal(SIGSEGV, [](int) { std::abort(); });
    raise(SIGSEGV);
  }
  if (how == "again") { // as shells and many tools end: clean up, restore, raise once more
    std::signal(SIGTERM, [](int number) {
      std::signal(number, SIG_DFL);
      raise(number);
    });
    raise(SIGTERM);
  }
  raise(std::atoi(how.c_str())); // 0: none
}

static int newFile(const char *name) { return open(name, O_CREAT | O_WRONLY | O_TRUNC, 0644); }

int main(int argc, char **argv) {
  std::string what = argc > 1 ? argv[1] : "";
  std::printf("result 42\n"); // unflushed, as stdout is no terminal
  if (what == "stack") {
    onSmallStack(std::strtoul(argv[2], nullptr, 10));
    return 0;
  }
  if (what == "nothing")
    return 0;
  if (what.rfind("spool-", 0) == 0) {
    std::fflush(stdout);
    counted(what.substr(6));
    return 0;
  }
  call();
  if (what == "cancelled") { // with the cancellation waiting, in a thread whose first call it is
    pthread_t thread;
    void *result = nullptr;
    pthread_create(
        &thread, nullptr,
        [](void *) -> void * {
          pthread_cancel(pthread_self());
          call();
          pthread_testcancel();
          return nullptr;
        },
        nullptr);
    pthread_join(thread, &result);
    std::printf("cancelled %d\n", result == PTHREAD_CANCELED);
    return 0;
  }
  if (what == "pipes") { // several threads write to a pipe that nobody reads
    static int ends[2];
    pthread_t threads[8];
    if (pipe(ends) != 0)
      return 7;
    close(ends[0]);
    std::fflush(stdout);
    for (pthread_t &thread : threads)
      pthread_create(
          &thread, nullptr, [](void *) -> void * { return (void)!write(ends[1], "x", 1), nullptr; },
          nullptr);
    sleep(5);
  }
  if (what == "busy") {
    busy();
    return 0;
  }
  if (what == "later-stack") {
    onSmallStack(std::strtoul(argv[2], nullptr, 10));
    return 0;
  }
  if (what == "small-thread") {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, std::strtoul(argv[2], nullptr, 10));
    pthread_create(
        &thread, &attributes, [](void *) -> void * { return call(), nullptr; }, nullptr);
    pthread_join(thread, nullptr);
    return 0;
  }
  if (what == "pthread_exit" || what == "pthread_exit-alone") {
    pthread_t thread;
    if (what == "pthread_exit")
      pthread_create(&thread, nullptr, work, nullptr);
    std::fflush(stdout);
    pthread_exit(nullptr);
  } else if (what == "waits") { // in two threads, until somebody sends a signal
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void *) -> void * {
          while (true)
            pause();
        },
        nullptr);
    std::printf("ready\n");
    std::fflush(stdout);
    while (true)
      pause();
  } else if (what == "pthread_exit-waits") { // until somebody sends a signal
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void *) -> void * {
          while (true)
            pause();
        },
        nullptr);
    std::printf("ready\n");
    std::fflush(stdout);
    pthread_exit(nullptr);
  } else if (what == "data-as-stderr") {
    close(2);
    int data = newFile("data");
    (void)!write(data, "mine\n", 5);
    return data == 2 ? 0 : 7;
  } else if (what == "data-twice") { // both numbers are the program's data
    std::fflush(stdout);
    close(1);
    close(2);
    int out = newFile("data"), again = open("data", O_WRONLY);
    (void)!write(out, "mine\n", 5);
    return out == 1 && again == 2 ? 0 : 7;
  } else if (what == "freopen") {
    return freopen("log", "w", stderr) ? 0 : 7;
  } else if (what == "both-to-log") {
    std::fflush(stdout);
    int log = newFile("log");
    dup2(log, 1);
    dup2(log, 2);
    close(log);
  } else if (what == "stderr-to-stdout") {
    dup2(1, 2);
  } else if (what == "stderr-to-log") {
    int log = newFile("log");
    dup2(log, 2);
    close(log);
  } else if (what == "chdir") {
    if (mkdir("elsewhere", 0755) != 0 || chdir("elsewhere") != 0)
      return 7;
  } else if (what == "fork") { // the child ends first
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      void *d_child = nullptr;
      (void)!cudaMalloc(&d_child, 64);
      std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
  } else if (what == "secure") {
    std::printf("secure %lu\n", getauxval(AT_SECURE));
  } else if (what == "pending") { // a blocked SIGPIPE that waits is the program's, and stays
    sigset_t set, after;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    raise(SIGPIPE);
    std::atexit([] {
      sigset_t waiting;
      sigpending(&waiting);
      std::printf("waits %d\n", sigismember(&waiting, SIGPIPE));
    });
    sigpending(&after);
  } else if (what == "held-allocator") { // a signal in the middle of malloc
    std::fflush(stdout);
    if (auto *hold = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "hold_allocator")))
      hold();
    raise(SIGTERM);
  } else if (what == "handlers") {
    for (int number = 1; number < 32; ++number) {
      struct sigaction now = {};
      sigaction(number, nullptr, &now);
      bool fault = number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
                   number == SIGTRAP || number == SIGSYS;
      if (fault || now.sa_handler == SIG_IGN)
        std::printf("%d %d\n", number, now.sa_handler == SIG_DFL);
    }
  } else if (what.rfind("signal-", 0) == 0) {
    std::fflush(stdout);
    raise(std::atoi(what.c_str() + 7));
  }
  return 0;
}
