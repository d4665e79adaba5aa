// A runtime that prints what it is told: the IR tests' view of the instrumented code.
// SPDX-License-Identifier: Apache-2.0
#include "gpuinstr/abi.h"
#include <stdio.h>

static _Thread_local int depth;

static const gpuinstr_site *siteAt(const gpuinstr_module *module, unsigned i) {
  return (const gpuinstr_site *)((const char *)module->sites + i * module->sites->size);
}

static const char *base(const char *path) {
  const char *name = path;
  for (; *path; ++path)
    if (*path == '/')
      name = path + 1;
  return name;
}

static void enter(gpuinstr_frame *frame) {
  const gpuinstr_site *site = frame->site;
  fprintf(stderr, "%*senter %s:%u op=%u %s in %s var=%s flags=0x%x", 2 * depth++, "",
          base(site->file), site->line, site->op, site->callee, site->function, site->variable,
          site->flags);
  for (unsigned i = 0; i < GPUINSTR_SLOT_COUNT_; ++i)
    if ((site->slots >> i & 1) && i != GPUINSTR_SLOT_FUNC && i != GPUINSTR_SLOT_ARGS)
      fprintf(stderr, " s%u=%llx", i, (unsigned long long)frame->slot[i]);
  for (unsigned i = 0; i < GPUINSTR_MAX_CALLERS && frame->callers[i]; ++i)
    fprintf(stderr, " <- %s:%u %s", base(frame->callers[i]->file), frame->callers[i]->line,
            frame->callers[i]->function);
  fprintf(stderr, "\n");
}

static void leave(gpuinstr_frame *frame, int64_t result) {
  (void)result; /* depends on the machine: no driver, or a GPU */
  fprintf(stderr, "%*sleave %s\n", 2 * --depth, "", frame->site->callee);
}
static void count(const gpuinstr_site *site) {
  fprintf(stderr, "count %s:%u %s flags=0x%x\n", base(site->file), site->line, site->callee,
          site->flags);
}
static void registerModule(gpuinstr_module *module) {
  fprintf(stderr, "register %s sites=%u kernels=%u defaults=%s\n", base(module->source),
          module->num_sites, module->num_kernels, module->defaults);
  for (unsigned i = 0; i < module->num_sites; ++i)
    ((gpuinstr_site *)siteAt(module, i))->index = i + 1;
  for (unsigned i = 0; i < module->num_kernels; ++i)
    fprintf(stderr, "  kernel %s params=%u\n", module->kernels[i].name,
            module->kernels[i].num_params);
  for (unsigned i = 0; i < module->num_addresses_taken; ++i)
    fprintf(stderr, "  unseen %s\n", module->addresses_taken[i]);
}
static void unregisterModule(gpuinstr_module *module) {
  fprintf(stderr, "unregister %s\n", base(module->source));
}
static void beforeExit(int code) { fprintf(stderr, "before_exit %d\n", code); }
static void pushRange(const char *name) { fprintf(stderr, "push %s\n", name); }
static void popRange(void) { fprintf(stderr, "pop\n"); }
static void pauseAll(void) { fprintf(stderr, "pause\n"); }
static void resumeAll(void) { fprintf(stderr, "resume\n"); }
static void reportNow(void) { fprintf(stderr, "report\n"); }
static void reset(void) { fprintf(stderr, "reset\n"); }
static uint64_t mark(void) { return 42; }
static uint64_t leaksSince(uint64_t since, uint64_t *bytes) {
  if (bytes)
    *bytes = 1000;
  return since + 1;
}
static void nameIt(const void *pointer, const char *name) {
  fprintf(stderr, "name %p %s\n", pointer, name);
}
static void ignore(const void *pointer) { fprintf(stderr, "ignore %p\n", pointer); }
static void poolAlloc(const void *pool, const void *pointer, uint64_t bytes) {
  fprintf(stderr, "pool_alloc %p %p %llu\n", pool, pointer, (unsigned long long)bytes);
}
static void poolFree(const void *pool, const void *pointer) {
  fprintf(stderr, "pool_free %p %p\n", pool, pointer);
}
/* What the program gets in place of 0. */
static uint64_t nvtx(uint32_t what, const void *message, uint64_t value) {
  const char *text = what == GPUINSTR_NVTX_PUSH_A || what == GPUINSTR_NVTX_START_A ||
                             what == GPUINSTR_NVTX_REGISTER_A
                         ? (const char *)message
                     : message ? "..."
                               : "-";
  fprintf(stderr, "nvtx %u %s %llx\n", what, text, (unsigned long long)value);
  return what >= GPUINSTR_NVTX_START_A && !value ? 0x1000 + what : 0;
}

static const gpuinstr_table table = {sizeof(gpuinstr_table),
                                     GPUINSTR_ABI_VERSION,
                                     enter,
                                     leave,
                                     count,
                                     registerModule,
                                     unregisterModule,
                                     beforeExit,
                                     pushRange,
                                     popRange,
                                     pauseAll,
                                     resumeAll,
                                     reportNow,
                                     reset,
                                     mark,
                                     leaksSince,
                                     nameIt,
                                     ignore,
                                     poolAlloc,
                                     poolFree,
                                     nvtx};

const gpuinstr_table *gpuinstr_connect(uint32_t version, uint32_t size) {
  setvbuf(stderr, NULL, _IOLBF, 4096);
  return version == GPUINSTR_ABI_VERSION && size >= sizeof table ? &table : NULL;
}
