// ABI between kernels carried as host code (plugin option `simulate`) and the simulated device.
// SPDX-License-Identifier: Apache-2.0
//
// Plain C, freestanding. A host object that was compiled with -fplugin-arg-gpuinstr-simulate holds
// its device code a second time, as host code. At start-up it hands a gpuinstr_sim_module to the
// simulator if the process has one (dlsym of GPUINSTR_SIM_REGISTER); else nothing happens at all.
#ifndef GPUINSTR_SIMULATED_KERNEL_H
#define GPUINSTR_SIMULATED_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised with every incompatible change. A module of another version must be refused, by name. */
#define GPUINSTR_SIM_ABI_VERSION 2u

typedef struct gpuinstr_sim_thread gpuinstr_sim_thread;

enum { /* kind of barrier_vote and of vote */
       GPUINSTR_SIM_POPC = 0,
       GPUINSTR_SIM_ALL = 1,
       GPUINSTR_SIM_ANY = 2,
       GPUINSTR_SIM_UNI = 3,
       GPUINSTR_SIM_BALLOT = 4
};

enum { /* kind of shuffle */
       GPUINSTR_SIM_UP = 0,
       GPUINSTR_SIM_DOWN = 1,
       GPUINSTR_SIM_BFLY = 2,
       GPUINSTR_SIM_IDX = 3
};

enum { /* kind of reduce */
       GPUINSTR_SIM_ADD = 0,
       GPUINSTR_SIM_MIN = 1, /* signed */
       GPUINSTR_SIM_MAX = 2, /* signed */
       GPUINSTR_SIM_UMIN = 3,
       GPUINSTR_SIM_UMAX = 4,
       GPUINSTR_SIM_AND = 5,
       GPUINSTR_SIM_OR = 6,
       GPUINSTR_SIM_XOR = 7
};

/* What kernel code asks of the executor. Warp operations wait for all lanes of `mask` that have not
   ended; a mask that names the calling lane not, is an error of the program. */
typedef struct gpuinstr_sim_ops {
  uint32_t size; /* of this struct */
  uint32_t abi_version;

  /* bar.sync: id 0..15; count 0 means all threads of the block that have not ended. */
  void (*barrier)(gpuinstr_sim_thread *t, uint32_t id, uint32_t count);
  /* bar.arrive: counts as arrived, does not wait. */
  void (*barrier_arrive)(gpuinstr_sim_thread *t, uint32_t id, uint32_t count);
  /* bar.red: POPC gives the number of true predicates, ALL and ANY 0 or 1. */
  uint32_t (*barrier_vote)(gpuinstr_sim_thread *t, uint32_t id, uint32_t count, uint32_t kind,
                           uint32_t predicate);

  void (*warp_sync)(gpuinstr_sim_thread *t, uint32_t mask);
  /* shfl.sync as PTX has it: `lane` is operand b, `clamp` operand c with its segment mask in bits
     8..12. *in_range gets PTX's predicate; it may be null. */
  uint32_t (*shuffle)(gpuinstr_sim_thread *t, uint32_t kind, uint32_t mask, uint32_t value,
                      uint32_t lane, uint32_t clamp, uint32_t *in_range);
  /* ALL, ANY, UNI give 0 or 1, BALLOT the lanes of mask whose predicate is true. */
  uint32_t (*vote)(gpuinstr_sim_thread *t, uint32_t kind, uint32_t mask, uint32_t predicate);
  /* Lanes that are at this place of the code now; site numbers the place within its module. */
  uint32_t (*active_mask)(gpuinstr_sim_thread *t, uint32_t site);
  uint32_t (*match_any)(gpuinstr_sim_thread *t, uint32_t mask, uint64_t value);
  /* mask when all lanes have the same value, else 0; *same is 1 or 0 and may be null. */
  uint32_t (*match_all)(gpuinstr_sim_thread *t, uint32_t mask, uint64_t value, uint32_t *same);
  uint32_t (*reduce)(gpuinstr_sim_thread *t, uint32_t kind, uint32_t mask, uint32_t value);

  /* Called when `budget` has run out: lets other threads, and other blocks where blocks depend on
     each other, run; sets `budget` again. */
  void (*yield)(gpuinstr_sim_thread *t);

  /* vprintf: arguments lie packed in `arguments`, each at its natural alignment (int, unsigned 4
     bytes; long, pointers, double 8). Returns the number of arguments, -1 for a null format. */
  int32_t (*print)(gpuinstr_sim_thread *t, const char *format, const void *arguments);
  uint64_t (*clock)(gpuinstr_sim_thread *t);        /* cycles of the multiprocessor */
  uint64_t (*global_timer)(gpuinstr_sim_thread *t); /* ns */
  void (*sleep)(gpuinstr_sim_thread *t, uint32_t ns);
  /* The device's heap; null when it is used up. Blocks are aligned to 16 bytes. */
  void *(*heap_alloc)(gpuinstr_sim_thread *t, uint64_t bytes);
  void (*heap_free)(gpuinstr_sim_thread *t, void *block);
  /* 1 when [address, address+bytes) lies in the memory `space`: 0 global, 1 shared (of this block),
     2 constant, 3 local. */
  uint32_t (*is_in_space)(gpuinstr_sim_thread *t, const void *address, uint32_t space);

  /* None of these returns. */
  void (*assert_fail)(gpuinstr_sim_thread *t, const char *message, const char *file, uint32_t line,
                      const char *function);
  void (*trap)(gpuinstr_sim_thread *t);
  void (*exit)(gpuinstr_sim_thread *t);
  /* Code that only running shows to be beyond the simulator; what: "inline PTX 'cp.async ...'". */
  void (*unsupported)(gpuinstr_sim_thread *t, const char *what);
} gpuinstr_sim_ops;

/* A thread whose kernel runs in steps has no stack of its own: what it keeps from one step to the
   next lies in its frame, behind this. A step ends at a barrier of the whole block, with
   GPUINSTR_SIM_WARPS at warp operations, and with GPUINSTR_SIM_LOOKS in loops on memory when
   `budget` has run out. */
typedef struct gpuinstr_sim_frame {
  uint32_t next;   /* where the thread goes on, 0 at first */
  uint32_t turn;   /* it runs when this is the block's turn */
  uint32_t result; /* of its warp operation, as the executor's functions return it */
  uint32_t second; /* in_range, same */
} gpuinstr_sim_frame;

/* Turns of threads that do not run. */
#define GPUINSTR_SIM_ENDED 0xffffffffu
#define GPUINSTR_SIM_BLOCKED 0xfffffffeu /* in a warp operation; the executor sets and ends it */

/* Of a block whose kernel runs in steps. */
typedef struct gpuinstr_sim_steps {
  char *frames;         /* of thread 0, aligned to 4096 bytes */
  uint64_t frame_bytes; /* from one thread's frame to the next one's */
  uint32_t turn;        /* a thread at a barrier of the whole block has the next one */
  uint32_t budget;      /* of each step */
  /* What threads leave; the executor clears it. */
  uint32_t waiting;     /* not 0: some came to a barrier */
  uint32_t yielded;     /* not 0: the budget of some ran out */
  uint32_t votes_true;  /* predicates, where the barrier has them */
  uint32_t votes_false; /* the same */
  uint32_t vote_kind;   /* of the last one */
  uint32_t vote_result; /* of the barrier before this turn */
} gpuinstr_sim_steps;

/* All that a thread of a kernel knows of itself. The executor fills it; device functions get its
   address as a hidden first argument. */
struct gpuinstr_sim_thread {
  const gpuinstr_sim_ops *ops;
  void *executor;       /* the executor's own */
  char *shared;         /* start of the block's static shared memory, aligned to 128 bytes */
  char *dynamic;        /* start of its dynamic shared memory, aligned to 128 bytes */
  void *grid_workspace; /* cooperative launches: 64 bytes of the grid, zeroed; else null */
  uint64_t grid_id;
  uint32_t thread[3]; /* threadIdx */
  uint32_t block[3];  /* blockIdx */
  uint32_t block_dim[3];
  uint32_t grid_dim[3];
  uint32_t cluster[3];     /* index of the block in its cluster: 0,0,0 without clusters */
  uint32_t cluster_dim[3]; /* 1,1,1 without clusters */
  uint32_t linear;         /* threadIdx, linear: x fastest; lane is linear % 32 */
  uint32_t dynamic_bytes;  /* of dynamic shared memory */
  uint32_t static_bytes;   /* of static shared memory */
  uint32_t multiprocessor; /* smid */
  uint32_t multiprocessors;
  uint32_t budget; /* atomic and volatile accesses in loops until yield is called, at least 1 */
  gpuinstr_sim_steps *steps; /* with GPUINSTR_SIM_STEPS */
};

/* Runs `count` threads, first->thread and those that follow it linearly. With
   GPUINSTR_SIM_NEEDS_FIBERS count must be 1, *first is the thread's own and stays valid while it
   runs. With GPUINSTR_SIM_STEPS the threads run one step, and *first becomes one after the other of
   them: first->linear is the one that runs. Else *first is only read. arguments[i] points to
   parameter i. */
typedef void gpuinstr_sim_run(gpuinstr_sim_thread *first, void *const *arguments, uint32_t count);

typedef struct gpuinstr_sim_parameter {
  uint32_t offset; /* in the parameter buffer, as the driver lays it out */
  uint32_t bytes;
} gpuinstr_sim_parameter;

enum { /* flags of a kernel */
       /* Threads wait for each other: barrier, warp operation, or a loop on memory that another
          thread may change. Without it every order of threads is right, one by one too. */
       GPUINSTR_SIM_NEEDS_FIBERS = 1,
       /* Calls functions through pointers or of other units: which, is not known. */
       GPUINSTR_SIM_OPEN_CALLS = 2,
       /* Threads run in steps. Not with NEEDS_FIBERS. */
       GPUINSTR_SIM_STEPS = 4,
       /* Steps end at warp operations, too. */
       GPUINSTR_SIM_WARPS = 8,
       /* Steps end in loops on memory, too, and blocks may wait for each other. */
       GPUINSTR_SIM_LOOKS = 16
};

typedef struct gpuinstr_sim_kernel {
  const void *stub; /* what cudaLaunchKernel gets; null when the unit's host code has no stub */
  const char *name; /* the device's mangled name, as in __cudaRegisterFunction */
  gpuinstr_sim_run *run;
  const char *refused; /* why this kernel cannot run ("texture 'tex2D'"), else null; run is null */
  const gpuinstr_sim_parameter *parameters;
  uint32_t parameter_count;
  uint32_t flags;
  uint32_t static_shared_bytes;   /* what cudaFuncGetAttributes says */
  uint32_t max_threads_per_block; /* of __launch_bounds__, 0 none */
  uint32_t frame_bytes; /* with GPUINSTR_SIM_STEPS: of a thread's frame, a multiple of 16 */
} gpuinstr_sim_kernel;

enum { GPUINSTR_SIM_DEVICE = 0, GPUINSTR_SIM_CONSTANT = 1, GPUINSTR_SIM_MANAGED = 2 };

typedef struct gpuinstr_sim_variable {
  const void *shadow; /* the host's variable, as in __cudaRegisterVar; null when there is none */
  const char *name;   /* the device's mangled name */
  void *storage;      /* what kernels read and write; holds the initial value */
  uint64_t bytes;
  uint32_t kind;
  uint32_t align;
} gpuinstr_sim_variable;

/* A __shared__ variable of relocatable device code: several units may use it, so the simulator
   places it. All variables of all modules lie in every block's static shared memory. */
typedef struct gpuinstr_sim_shared {
  uint64_t
      *offset; /* from thread->shared; the simulator writes it. The same address: the same one */
  uint64_t bytes;
  uint32_t align;
  uint32_t reserved;
} gpuinstr_sim_shared;

typedef struct gpuinstr_sim_module {
  uint32_t size; /* of this struct */
  uint32_t abi_version;
  const char *unit; /* source file */
  const gpuinstr_sim_kernel *kernels;
  const gpuinstr_sim_variable *variables;
  const gpuinstr_sim_shared *shared;
  uint32_t kernel_count;
  uint32_t variable_count;
  uint32_t shared_count;
  uint32_t arch;          /* 90 for sm_90: what __CUDA_ARCH__ was */
  uint32_t shared_bytes;  /* at thread->shared for this module's kernels, without those above */
  uint32_t relocatable;   /* -fgpu-rdc */
  const char *unreadable; /* why the unit's device code could not be carried at all, else null */
  void *handle;           /* the simulator's own, 0 at first */
} gpuinstr_sim_module;

/* Exported by the simulator. Called before main, once a module; unregister when its image goes. */
#define GPUINSTR_SIM_REGISTER "gpuinstr_simulator_register"
#define GPUINSTR_SIM_UNREGISTER "gpuinstr_simulator_unregister"
typedef void gpuinstr_simulator_register_fn(gpuinstr_sim_module *module);

#ifdef __cplusplus
}
#endif

#endif
