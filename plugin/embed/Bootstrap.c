// Finds the runtime at the first use and hands its functions to the instrumented code of one image.
// SPDX-License-Identifier: Apache-2.0
//
// Compiled to bitcode when the plugin is built and linked into every instrumented module, where all
// of it becomes linkonce_odr and hidden: one copy per linked image, whatever the units' flags. It
// needs nothing of the C library but getenv, write, isatty, signal masks and, weakly, dlopen,
// dlsym, clock_gettime, getauxval and environ: a fully static program links and simply finds no
// runtime.
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "gpuinstr/abi.h"
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

extern void *dlopen(const char *, int) __attribute__((weak));
extern void *dlsym(void *restrict, const char *restrict) __attribute__((weak));
extern int clock_gettime(clockid_t, struct timespec *) __attribute__((weak));
extern unsigned long getauxval(unsigned long) __attribute__((weak));
extern char **environ __attribute__((weak));

/* Defined by the plugin in each module: the runtime's path as it was at compile time. */
extern HIDDEN const char __gpuinstr_runtime_path[];

extern HIDDEN gpuinstr_table __gpuinstr_table_v1;
HIDDEN void __gpuinstr_lazy_enter(gpuinstr_frame *frame);
HIDDEN void __gpuinstr_lazy_count(const gpuinstr_site *site);

enum { UNCONNECTED, CONNECTING, CONNECTED };
HIDDEN int __gpuinstr_state = UNCONNECTED;
HIDDEN _Thread_local int __gpuinstr_connecting = 0;

/* ---- What runs when there is no runtime. One function serves all: every caller ignores or expects
   0 of it, and the calling conventions of all hosts let a callee take fewer arguments. Functions
   are few here, since each costs compile time in every unit. */
HIDDEN uint64_t __gpuinstr_nothing(void) { return 0; }
HIDDEN uint64_t __gpuinstr_no_leaks(uint64_t mark, uint64_t *bytes) {
  (void)mark;
  if (bytes)
    *bytes = 0;
  return 0;
}

/* ---- One line on stderr, and only where somebody may be looking for it. */
HIDDEN int __gpuinstr_wanted(void) {
  if (isatty(2))
    return 1;
  if (!&environ || !environ)
    return 0;
  for (char **variable = environ; *variable; ++variable) {
    const char *want = "GPUINSTR_", *have = *variable;
    while (*want && *want == *have)
      ++want, ++have;
    if (!*want)
      return 1;
  }
  return 0;
}

HIDDEN __attribute__((noinline)) unsigned __gpuinstr_append(char *line, unsigned used,
                                                            unsigned size, const char *text) {
  while (*text && used + 1 < size)
    line[used++] = *text++;
  return used;
}

/* A pipe that nobody reads, or a full file, must not become a signal of the program's. */
static void __gpuinstr_write(const char *line, unsigned used) {
  sigset_t ours, before, waiting;
  struct timespec none = {0, 0};
  sigemptyset(&ours);
  sigaddset(&ours, SIGPIPE);
  sigaddset(&ours, SIGXFSZ);
  sigpending(&waiting);
  sigprocmask(SIG_BLOCK, &ours, &before); /* of this thread alone */
  if (write(2, line, used) != (ssize_t)used) {
    if (sigismember(&waiting, SIGPIPE))
      sigdelset(&ours, SIGPIPE);
    if (sigismember(&waiting, SIGXFSZ))
      sigdelset(&ours, SIGXFSZ);
    sigtimedwait(&ours, 0, &none);
  }
  sigprocmask(SIG_SETMASK, &before, 0);
}

HIDDEN void __gpuinstr_complain(const char *what, const char *path) {
  char line[512];
  if (!__gpuinstr_wanted())
    return;
  unsigned used = __gpuinstr_append(line, 0, sizeof line, "gpuinstr: ");
  used = __gpuinstr_append(line, used, sizeof line, what);
  used = __gpuinstr_append(line, used, sizeof line, path);
  used = __gpuinstr_append(line, used, sizeof line, "; the program runs uninstrumented");
  line[used++] = '\n';
  __gpuinstr_write(line, used);
}

/* Who starts a set-uid program chooses its environment and its folder: neither says what is loaded.
 */
HIDDEN int __gpuinstr_trusted(void) { return getauxval && getauxval(AT_SECURE) == 0; }

HIDDEN const gpuinstr_table *__gpuinstr_load(void) {
  if (!dlopen || !dlsym) {
    __gpuinstr_complain("a static program cannot load ", "libgpuinstr_rt.so");
    return 0;
  }
  struct timespec now = {0, 0};
  if (clock_gettime)
    clock_gettime(CLOCK_MONOTONIC, &now);
  int trusted = __gpuinstr_trusted();
  const char *path = trusted ? getenv("GPUINSTR_RUNTIME") : 0;
  void *runtime = 0;
  if (path && *path) {
    runtime = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  } else {
    path = __gpuinstr_runtime_path;
    if (*path && (trusted || *path == '/'))
      runtime = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!runtime)
      runtime = dlopen("libgpuinstr_rt.so", RTLD_NOW | RTLD_LOCAL);
  }
  if (!runtime) {
    __gpuinstr_complain("cannot load the runtime ", *path ? path : "libgpuinstr_rt.so");
    return 0;
  }
  gpuinstr_connect_fn *connect =
      (gpuinstr_connect_fn *)(uintptr_t)dlsym(runtime, GPUINSTR_CONNECT_SYMBOL);
  uint64_t before = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  const gpuinstr_table *table =
      connect ? connect(GPUINSTR_ABI_VERSION, sizeof(gpuinstr_table), before) : 0;
  if (!table)
    __gpuinstr_complain("another version of the runtime: ", path);
  return table;
}

/* Functions that the runtime does not have stay as they are, but no stub does. Other threads read
   the table while it is written: one store a pointer. */
HIDDEN void __gpuinstr_fill(const gpuinstr_table *from) {
  enum { HEAD = 2 * sizeof(uint32_t), COUNT = (sizeof(gpuinstr_table) - HEAD) / sizeof(void *) };
  void *const *have = (void *const *)((const char *)from + HEAD);
  void **to = (void **)((char *)&__gpuinstr_table_v1 + HEAD);
  unsigned known = from && from->size >= HEAD ? (from->size - HEAD) / sizeof(void *) : 0;
  for (unsigned i = 0; i < COUNT; ++i) {
    if (i < known && have[i])
      __atomic_store_n(&to[i], have[i], __ATOMIC_RELEASE);
    else if (to[i] == (void *)__gpuinstr_lazy_enter || to[i] == (void *)__gpuinstr_lazy_count)
      __atomic_store_n(&to[i], (void *)__gpuinstr_nothing, __ATOMIC_RELEASE);
  }
}

/* 1 when the table is final. 0 inside the runtime's own start on this thread, or when another
   thread's start takes more than a second or so: the caller then does without. Not inlined: three
   functions call it, and every unit compiles what they hold. */
HIDDEN __attribute__((noinline)) int __gpuinstr_connect(void) {
  int state = __atomic_load_n(&__gpuinstr_state, __ATOMIC_ACQUIRE);
  if (state == CONNECTED)
    return 1;
  if (__gpuinstr_connecting)
    return 0;
  if (state == UNCONNECTED && __atomic_compare_exchange_n(&__gpuinstr_state, &state, CONNECTING, 0,
                                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    __gpuinstr_connecting = 1;
    __gpuinstr_fill(__gpuinstr_load());
    __gpuinstr_connecting = 0;
    __atomic_store_n(&__gpuinstr_state, CONNECTED, __ATOMIC_RELEASE);
    return 1;
  }
  for (unsigned spin = 0; spin < 50000000u; ++spin)
    if (__atomic_load_n(&__gpuinstr_state, __ATOMIC_ACQUIRE) == CONNECTED)
      return 1;
  return 0;
}

/* ---- The table's first content: only what another image's constructors may call before this one's
   has connected. */
/* The runtime compares stack pointers: this stub must not stand between it and the caller. */
HIDDEN void __gpuinstr_lazy_enter(gpuinstr_frame *frame) {
  if (__gpuinstr_connect())
    __attribute__((musttail)) return __gpuinstr_table_v1.enter(frame);
  /* The leave may find the runtime: let it see that this frame was never entered. */
  frame->parent = 0;
  frame->root = 0;
}
HIDDEN void __gpuinstr_lazy_count(const gpuinstr_site *site) {
  if (__gpuinstr_connect())
    __gpuinstr_table_v1.count(site);
}

/* What stays in the table where the runtime is older than these. The second call is no jump: from
   higher up on the stack it would say that the first was left by an exception. */
HIDDEN void __gpuinstr_enter_launch(gpuinstr_frame *outer, gpuinstr_frame *inner) {
  __gpuinstr_table_v1.enter(outer);
  __gpuinstr_table_v1.enter(inner);
  __asm__ volatile("");
}
HIDDEN void __gpuinstr_leave_launch(gpuinstr_frame *outer, gpuinstr_frame *inner, int64_t result) {
  __gpuinstr_table_v1.leave(inner, result);
  __gpuinstr_table_v1.leave(outer, 0);
}

#define NOTHING (void *)__gpuinstr_nothing
HIDDEN gpuinstr_table __gpuinstr_table_v1 = {
    .size = sizeof(gpuinstr_table),
    .abi_version = GPUINSTR_ABI_VERSION,
    .enter = __gpuinstr_lazy_enter,
    .leave = NOTHING,
    .count = __gpuinstr_lazy_count,
    .register_module = NOTHING,
    .unregister_module = NOTHING,
    .before_exit = NOTHING,
    .push_range = NOTHING,
    .pop_range = NOTHING,
    .pause = NOTHING,
    .resume = NOTHING,
    .report_now = NOTHING,
    .reset = NOTHING,
    .mark = NOTHING,
    .leaks_since = __gpuinstr_no_leaks,
    .name = NOTHING,
    .ignore = NOTHING,
    .pool_alloc = NOTHING,
    .pool_free = NOTHING,
    .nvtx = NOTHING,
    .may_enter = NOTHING,
    .enter_launch = __gpuinstr_enter_launch,
    .leave_launch = __gpuinstr_leave_launch,
};

/* ---- How C lays out the structures that the plugin writes. It reads the types of these and leaves
   them out of the user's module. */
HIDDEN gpuinstr_site __gpuinstr_layout_site;
HIDDEN gpuinstr_param __gpuinstr_layout_param;
HIDDEN gpuinstr_member __gpuinstr_layout_member;
HIDDEN gpuinstr_kernel __gpuinstr_layout_kernel;
HIDDEN gpuinstr_module __gpuinstr_layout_module;
HIDDEN gpuinstr_packed __gpuinstr_layout_packed;

/* ---- Called by each module's constructor and destructor. */
HIDDEN void __gpuinstr_start(void) { __gpuinstr_connect(); }
HIDDEN void __gpuinstr_register(gpuinstr_module *module) {
  if (!__gpuinstr_connect())
    return;
  module->registered = 1;
  __gpuinstr_table_v1.register_module(module);
}
HIDDEN void __gpuinstr_unregister(gpuinstr_module *module) {
  if (module->registered)
    __gpuinstr_table_v1.unregister_module(module);
  module->registered = 0;
}

/* ---- Of units with packed sites alone. Their functions ask for it too: other images' constructors
   may call them before this module's has run. Nobody waits for anybody: who comes in between, in
   another thread or a signal handler, writes the same. */
static inline const void *__gpuinstr_place(const void *base, const void *packed) {
  uintptr_t offset = (uintptr_t)packed;
  return offset & GPUINSTR_PACKED_OFFSET ? (const char *)base + (offset & ~GPUINSTR_PACKED_OFFSET)
                                         : packed;
}
HIDDEN void __gpuinstr_unpack(gpuinstr_packed *packed) {
  const char *texts = packed->texts;
  gpuinstr_site **to = packed->listed, *end = packed->sites + packed->num_sites;
  for (uint32_t i = 0; i < packed->num_arguments; ++i)
    packed->arguments[i] = __gpuinstr_place(texts, packed->arguments[i]);
  for (gpuinstr_site *site = packed->sites; site < end; ++site) {
    for (const char **text = &site->file; text <= &site->ignore; ++text)
      *text = __gpuinstr_place(texts, *text);
    site->arguments = __gpuinstr_place(packed->arguments, site->arguments);
    while (*to && (*to < packed->sites || *to >= end))
      ++to;
    *to++ = site;
  }
  __atomic_store_n(&packed->unpacked, 1, __ATOMIC_RELEASE);
}
HIDDEN void __gpuinstr_register_packed(gpuinstr_module *module) {
  __gpuinstr_unpack(*(gpuinstr_packed **)(module + 1));
  __gpuinstr_register(module);
}
