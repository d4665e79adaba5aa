// Preloaded: the program's allocator, held or failing as the test wants.
// SPDX-License-Identifier: Apache-2.0
//
// hold_allocator() takes its lock, as though a signal had come in the middle of malloc.
// With FAIL_FROM=N FAIL_TO=M FAIL_STEP=S it is a server: before the program's own start it forks
// for every n in that range, and in the child the n-th allocation whose caller is the runtime fails
// (FAIL_ALL=1: all from the n-th on). Each child must print what FAIL_EXPECT holds and exit with 0.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_int Held;
static atomic_ulong Calls;
static unsigned long FailAt; /* 0: none */
static int FailAll;
static uintptr_t Begin, End; /* of the runtime */

void hold_allocator(void) { Held = 1; }

static void wait_for_lock(void) {
  while (Held)
    usleep(1000);
}

static int is_runtime(uintptr_t caller) {
  if (!Begin)
    for (struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
      if (!map->l_name || !strstr(map->l_name, "libgpuinstr_rt.so"))
        continue;
      const ElfW(Ehdr) *elf = (const ElfW(Ehdr) *)map->l_addr;
      const ElfW(Phdr) *part = (const ElfW(Phdr) *)(map->l_addr + elf->e_phoff);
      for (int i = 0; i < elf->e_phnum; ++i)
        if (part[i].p_type == PT_LOAD && map->l_addr + part[i].p_vaddr + part[i].p_memsz > End)
          End = map->l_addr + part[i].p_vaddr + part[i].p_memsz;
      Begin = map->l_addr;
    }
  return Begin && caller - Begin < End - Begin;
}

/* Whether this allocation fails. */
static int fails(void *caller) {
  wait_for_lock();
  if (!FailAt || !is_runtime((uintptr_t)caller))
    return 0;
  unsigned long n = ++Calls;
  if (n != FailAt && !(FailAll && n > FailAt))
    return 0;
  if (getenv("FAIL_TRACE")) { /* where it failed; llvm-symbolizer reads it */
    unsigned long at = FailAt;
    void *frames[40];
    FailAt = 0;
    backtrace_symbols_fd(frames, backtrace(frames, 40), 2);
    FailAt = at;
  }
  errno = ENOMEM;
  return 1;
}

#define CALLER __builtin_return_address(0)
void *malloc(size_t n) { return fails(CALLER) ? 0 : __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return fails(CALLER) ? 0 : __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return fails(CALLER) ? 0 : __libc_realloc(p, n); }
void *memalign(size_t a, size_t n) { return fails(CALLER) ? 0 : __libc_memalign(a, n); }
void *aligned_alloc(size_t a, size_t n) { return fails(CALLER) ? 0 : __libc_memalign(a, n); }
int posix_memalign(void **p, size_t a, size_t n) {
  *p = fails(CALLER) ? 0 : __libc_memalign(a, n);
  return *p ? 0 : ENOMEM;
}
void free(void *p) {
  wait_for_lock();
  __libc_free(p);
}

/* ---- The server. */
static unsigned long number(const char *name, unsigned long otherwise) {
  const char *text = getenv(name);
  return text ? strtoul(text, 0, 10) : otherwise;
}

static char *contents(int file, size_t *size) {
  off_t end = lseek(file, 0, SEEK_END);
  char *text = __libc_malloc((size_t)end + 1);
  *size = (size_t)pread(file, text, (size_t)end, 0);
  text[*size] = 0;
  return text;
}

/* 1: this is the child. Else `problems` grows where it did harm or lost its report in silence. */
static int run_one(unsigned long n, unsigned *problems, unsigned *told, unsigned *whole) {
  int out = memfd_create("out", 0), err = memfd_create("err", 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    alarm(20);
    FailAt = n;
    return 1;
  }
  int status = 0;
  waitpid(child, &status, 0);
  size_t outs, errs;
  char *text = contents(out, &outs), *said = contents(err, &errs);
  int report = strstr(said, "SUMMARY: gpuinstr") != 0, line = strstr(said, "gpuinstr: ") != 0;
  *whole += report;
  *told += !report && line;
  if (status != 0 || strcmp(text, getenv("FAIL_EXPECT")) != 0 || (!report && !line)) {
    ++*problems;
    if (getenv("FAIL_TRACE"))
      printf("%s", said);
    printf("n=%lu: status 0x%x, stdout %s, %s\n", n, (unsigned)status,
           strcmp(text, getenv("FAIL_EXPECT")) ? "differs" : "as it should be",
           report ? "a report"
           : line ? "a line"
                  : "neither report nor line");
    fflush(stdout); /* before the next child inherits it */
  }
  __libc_free(text);
  __libc_free(said);
  close(out);
  close(err);
  return 0;
}

__attribute__((constructor)) static void serve(void) {
  FailAll = (int)number("FAIL_ALL", 0);
  FailAt = number("FAIL_AT", 0); /* without the server */
  unsigned long from = number("FAIL_FROM", 0), to = number("FAIL_TO", 0),
                step = number("FAIL_STEP", 1), runs = 0;
  if (!from)
    return;
  unsetenv("LD_PRELOAD");
  unsigned problems = 0, told = 0, whole = 0;
  for (unsigned long n = from; n <= to; n += step, ++runs)
    if (run_one(n, &problems, &told, &whole))
      return;
  printf("%lu runs: %u with a report, %u with a line, %u that did harm or said nothing\n", runs,
         whole, told, problems);
  fflush(stdout);
  _exit(problems != 0);
}
