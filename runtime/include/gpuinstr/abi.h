// The contract between code that the plugin instrumented and the runtime.
// SPDX-License-Identifier: Apache-2.0
//
// C, freestanding. Every struct starts with its size, so that a newer side can read an older one.
// Instrumented code fills site descriptors (constant but for `index`) and one frame per function;
// the runtime owns everything else. Nothing here is for users: gpuinstr.h is their header.
#ifndef GPUINSTR_ABI_H
#define GPUINSTR_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised whenever a struct, a slot or an enumerator below changes its meaning. */
#define GPUINSTR_ABI_VERSION 1u

/* What a call does. The values are stored in programs: append, never renumber. */
enum gpuinstr_op {
  GPUINSTR_OP_CALLER = 0, /* no CUDA call: describes a line that calls a function with sites */
  GPUINSTR_OP_REGION =
      1, /* a header-only library's call (thrust, cub): its inner calls are charged here */
  GPUINSTR_OP_LIBRARY = 2, /* a vendor library's call (cuBLAS, NCCL ...); with a resource, `detail`:
                              1 DST: address of the handle that receives it, 2 DST: the handle that
                              ends, 3 DST: address of the first of BYTES handles; without, 4: BYTES
                              bytes at SRC, 5: BYTES words, may hold addresses; 6: its kernels
                              follow addresses in what they are given */
  GPUINSTR_OP_OTHER = 3,   /* a CUDA call that is only timed; with ASYNC it is in STREAM; `detail`
                              2: it may do anything */
  GPUINSTR_OP_ALLOC =
      4, /* DST: address of the pointer that receives it; BYTES, HEIGHT, DEPTH, DPITCH */
  GPUINSTR_OP_FREE = 5, /* DST: the pointer or array freed */
  GPUINSTR_OP_CREATE =
      6, /* DST: address of the handle that receives it (stream, event, graph ...) */
  GPUINSTR_OP_DESTROY = 7, /* DST: the handle */
  GPUINSTR_OP_COPY = 8,    /* DST, SRC, BYTES, KIND, STREAM */
  GPUINSTR_OP_COPY_2D = 9, /* + HEIGHT, DPITCH, SPITCH; BYTES is the width in bytes */
  GPUINSTR_OP_COPY_3D =
      10, /* PARAMS: cudaMemcpy3DParms, cudaMemcpy3DPeerParms or CUDA_MEMCPY2D/3D */
  GPUINSTR_OP_COPY_SYMBOL =
      11,                      /* DST or SRC is a symbol's host address, DEPTH the offset into it */
  GPUINSTR_OP_COPY_ARRAY = 12, /* DST or SRC is a cudaArray */
  GPUINSTR_OP_COPY_BATCH =
      13, /* DST, SRC: arrays of pointers; PARAMS: array of sizes; BYTES: count */
  GPUINSTR_OP_SET =
      14, /* DST, KIND (the value), BYTES, STREAM; element size in `detail` (1, 2, 4) */
  GPUINSTR_OP_SET_2D = 15,   /* + HEIGHT, DPITCH */
  GPUINSTR_OP_SET_3D = 16,   /* DST: cudaPitchedPtr by address, PARAMS: cudaExtent by address */
  GPUINSTR_OP_PREFETCH = 17, /* DST, BYTES, STREAM */
  GPUINSTR_OP_ADVISE = 18,   /* DST, BYTES */
  GPUINSTR_OP_LAUNCH =
      19, /* FUNC, GRID_XY ..., SHARED, STREAM, ARGS; or PARAMS: a launch-config struct */
  GPUINSTR_OP_GRAPH_LAUNCH = 20, /* DST: cudaGraphExec_t, STREAM */
  GPUINSTR_OP_SYNC_DEVICE = 21,
  GPUINSTR_OP_SYNC_STREAM = 22,   /* STREAM */
  GPUINSTR_OP_SYNC_EVENT = 23,    /* DST: the event */
  GPUINSTR_OP_QUERY = 24,         /* DST: stream or event */
  GPUINSTR_OP_WAIT_EVENT = 25,    /* STREAM, DST: the event */
  GPUINSTR_OP_RECORD_EVENT = 26,  /* DST: the event, STREAM */
  GPUINSTR_OP_GET_ERROR = 27,     /* cudaGetLastError: returns and clears */
  GPUINSTR_OP_PEEK_ERROR = 28,    /* cudaPeekAtLastError */
  GPUINSTR_OP_CAPTURE_BEGIN = 29, /* STREAM, KIND: the mode */
  GPUINSTR_OP_CAPTURE_END = 30,   /* STREAM, DST: address of the graph that receives it */
  GPUINSTR_OP_GRAPH_NODE = 31,    /* a node added or updated: PARAMS */
  GPUINSTR_OP_HOST_FUNC = 32,     /* STREAM, FUNC */
  GPUINSTR_OP_SET_DEVICE = 33,    /* KIND: ordinal */
  GPUINSTR_OP_RESET_DEVICE = 34,
  GPUINSTR_OP_PEER_ACCESS = 35, /* KIND: peer ordinal */
  GPUINSTR_OP_EXPORT =
      36, /* DST: an address that leaves our sight (IPC, VMM export, GetSymbolAddress ...) */
  GPUINSTR_OP_PROFILER = 37,    /* detail: 1 start, 0 stop */
  GPUINSTR_OP_ENTRY_POINT = 38, /* cuGetProcAddress and friends: SRC the name asked for */
  GPUINSTR_OP_COUNT_ = 39
};

/* What an ALLOC, FREE, CREATE, DESTROY, or a LIBRARY call with a handle is about; 0 elsewhere. */
enum gpuinstr_resource {
  GPUINSTR_RES_NONE = 0,
  GPUINSTR_RES_DEVICE = 1,     /* cudaMalloc, cuMemAlloc */
  GPUINSTR_RES_ASYNC = 2,      /* cudaMallocAsync and pools */
  GPUINSTR_RES_PITCHED = 3,    /* cudaMallocPitch, cudaMalloc3D */
  GPUINSTR_RES_ARRAY = 4,      /* cudaMallocArray, cudaMalloc3DArray */
  GPUINSTR_RES_MIPMAPPED = 5,  /* cudaMallocMipmappedArray */
  GPUINSTR_RES_MANAGED = 6,    /* cudaMallocManaged */
  GPUINSTR_RES_PINNED = 7,     /* cudaMallocHost, cudaHostAlloc */
  GPUINSTR_RES_REGISTERED = 8, /* cudaHostRegister */
  GPUINSTR_RES_STREAM = 9,
  GPUINSTR_RES_EVENT = 10,
  GPUINSTR_RES_GRAPH = 11,
  GPUINSTR_RES_GRAPH_EXEC = 12,
  GPUINSTR_RES_TEXTURE = 13,
  GPUINSTR_RES_SURFACE = 14,
  GPUINSTR_RES_POOL = 15,
  GPUINSTR_RES_VMM = 16,     /* cuMemCreate handle */
  GPUINSTR_RES_MAPPING = 17, /* cuMemMap: DST address, BYTES */
  GPUINSTR_RES_CUBLAS = 18, /* handles of vendor libraries, by library; cuBLASLt and cuBLASXt too */
  GPUINSTR_RES_CUFFT = 19,  /* a plan: 32 bits, no pointer */
  GPUINSTR_RES_CURAND = 20,
  GPUINSTR_RES_CUSPARSE = 21,
  GPUINSTR_RES_CUSOLVER = 22,
  GPUINSTR_RES_CUDNN = 23,
  GPUINSTR_RES_NCCL = 24,
  GPUINSTR_RES_COUNT_ = 25
};

/* Where operand values stand in gpuinstr_frame::slot. A site says in `slots` which ones it fills.
 */
enum gpuinstr_slot {
  GPUINSTR_SLOT_DST = 0,
  GPUINSTR_SLOT_SRC = 1,
  GPUINSTR_SLOT_BYTES = 2,
  GPUINSTR_SLOT_STREAM = 3,
  GPUINSTR_SLOT_KIND = 4,   /* cudaMemcpyKind, flags, mode or the value of a set */
  GPUINSTR_SLOT_HEIGHT = 5, /* rows */
  GPUINSTR_SLOT_DPITCH = 6, /* bytes; for ALLOC the address that receives the pitch */
  GPUINSTR_SLOT_SPITCH = 7, /* bytes */
  GPUINSTR_SLOT_DEPTH = 8,
  GPUINSTR_SLOT_ARGS = 9, /* void** of a launch; of a LIBRARY call whose kernels touch what it is
        given, now or before, and nothing else: the pointers among its arguments, PARAMS of them;
        what the last KIND of these lead to, this call alone reads */
  GPUINSTR_SLOT_PARAMS = 10,
  GPUINSTR_SLOT_FUNC = 11,    /* kernel stub, cudaKernel_t, CUfunction; pool of an ALLOC */
  GPUINSTR_SLOT_GRID_XY = 12, /* x in the low 32 bits, y in the high 32 */
  GPUINSTR_SLOT_GRID_Z = 13,
  GPUINSTR_SLOT_BLOCK_XY = 14,
  GPUINSTR_SLOT_BLOCK_Z = 15,
  GPUINSTR_SLOT_SHARED = 16, /* bytes */
  GPUINSTR_SLOT_COUNT_ = 17
};

enum gpuinstr_site_flags {
  GPUINSTR_SITE_DISCARDED = 1u << 0,  /* the source discards the result */
  GPUINSTR_SITE_CUDA_ERROR = 1u << 1, /* the result is a cudaError_t */
  GPUINSTR_SITE_CU_RESULT = 1u << 2,  /* the result is a CUresult */
  GPUINSTR_SITE_STATUS = 1u << 3,     /* the result is a vendor library's status, 0 = success */
  GPUINSTR_SITE_ASYNC = 1u << 4,      /* spelled ...Async, or takes a stream */
  GPUINSTR_SITE_PER_THREAD = 1u << 5, /* _ptds / _ptsz: stream 0 is the per-thread default stream */
  GPUINSTR_SITE_INNER =
      1u << 6, /* stands in a launch stub or a CUDA header: belongs to the frame around it */
  GPUINSTR_SITE_CHARGE_CALLER = 1u << 7, /* as WRAPPER; the line itself says nothing */
  GPUINSTR_SITE_EXCLUDED =
      1u << 8, /* include=/exclude=: neither timed nor reported; the ledger still sees it */
  GPUINSTR_SITE_DEVICE_DST =
      1u << 9, /* the name fixes the direction: ...ToSymbol, cuMemcpyHtoD ... */
  GPUINSTR_SITE_OWN_OBJECT =
      1u << 9, /* CALLER: it calls a function of its function's own object, maybe a base class's */
  GPUINSTR_SITE_HOST_DST = 1u << 10,
  GPUINSTR_SITE_DEVICE_SRC = 1u << 11,
  GPUINSTR_SITE_HOST_SRC = 1u << 12,
  GPUINSTR_SITE_DRIVER = 1u << 13,   /* driver API */
  GPUINSTR_SITE_NO_LEAVE = 1u << 14, /* musttail or noreturn: only counted */
  GPUINSTR_SITE_RECEIVES = 1u << 15, /* CALLER: `variable` gets the result; ALLOC: its own name;
       COPY, SET: it goes to a variable that its function returns, or to a part of one */
  GPUINSTR_SITE_WRAPPER = 1u << 16,  /* stands in a function that only hands on what it was given or
        what its object holds: charge to the nearest caller without this flag, if one is known */
  GPUINSTR_SITE_QUIET = 1u << 17,    /* SYNC, CALLER: a way leads from here to a launch on which the
          host calls    nothing that could tell whether the device is done */
  GPUINSTR_SITE_QUIET_ALL = 1u << 18, /* SYNC, CALLER: it calls no such thing on any way from here
       to its next call of CUDA, or to the end of the function: QUIET_OUT */
  GPUINSTR_SITE_QUIET_OUT = 1u << 19, /* QUIET_ALL: some of the ways leave the function; then what
        its caller does behind it decides */
  GPUINSTR_SITE_LOCAL = 1u << 20, /* ALLOC, CREATE, LIBRARY with a resource, CALLER that RECEIVES:
       the function returns something, but not what is made or received here. Not set: it may */
  GPUINSTR_SITE_NEW = 1u << 21,   /* CALLER that RECEIVES: `variable` gets the address of an object;
         CALLER: it has that of the one whose function is called */
  GPUINSTR_SITE_THROUGH = 1u << 22,     /* ALLOC, CREATE: `variable` is where one of its function's
           parameters points, CALLER: an argument is; their names are given as of a WRAPPER */
  GPUINSTR_SITE_LAST_CALLER = 1u << 23, /* its function knows more callers, for THROUGH alone: here
       only the nearest counts, CALLER: only this one */
  GPUINSTR_SITE_FREQUENT = 1u << 24, /* an attached program's: calls of it go unseen at times, see
       gpuinstr_table.watch_frequent */
  GPUINSTR_SITE_QUIET_IN = 1u << 25, /* a call of CUDA's or CALLER: it is the first one, but for
       launches and allocations, on the way from its function's entry, and no way from there calls
       what could tell whether the device is done; of a launch the same, and none comes before it */
  GPUINSTR_SITE_QUIET_SKIPS = 1u << 26, /* QUIET_IN: ways return before such a call is made */
  GPUINSTR_SITE_QUIET_TWO = 1u << 27,   /* SYNC, CALLER: `detail` has two numbers of 8 bits */
  GPUINSTR_SITE_QUIET_ONCE = 1u << 28,  /* ... and no way leads from such a call to one of them that
         does not pass by this one: they may be QUIET_SKIPS */
  GPUINSTR_SITE_TELLS_BEHIND = 1u << 29, /* COPY, SET, CALLER: a way from here to CUDA's next call
       has what could tell whether the device is done: where this one only queues, the host comes
       there at once */
  GPUINSTR_SITE_NAMES = 1u << 30 /* CALLER: the names of its function's parameters are given */
};

/* One call site, or one line that calls a function with sites (op CALLER). Strings are UTF-8, never
   NULL ("" when unknown), and live as long as the module. */
typedef struct gpuinstr_site {
  uint32_t size;  /* sizeof(gpuinstr_site) of the producer: also the stride of an array of them */
  uint32_t index; /* written by the runtime at registration, 0 before */
  uint16_t op;    /* gpuinstr_op */
  uint16_t resource; /* gpuinstr_resource */
  uint32_t flags;    /* gpuinstr_site_flags */
  /* Depends on op. SYNC, CALLER: the number of the call in the same function, of one that nobody
     sees into, that all quiet ways lead to first, see `slots` and QUIET_TWO; 0 none */
  uint16_t detail;
  uint16_t num_arguments;
  uint32_t
      slots;     /* bit i: slot i is filled. CALLER: the call's number in its function, 0 unknown */
  uint32_t line; /* 1-based, 0 unknown */
  uint32_t column; /* 1-based, 0 unknown */
  uint64_t id;     /* hash of function, callee, variable and ordinal: stable when lines shift */
  uint64_t callee_hash; /* CALLER: hash of the called function's symbol, 0 = any callee */
  const char *file;
  const char *function; /* enclosing function, qualified */
  const char *callee;   /* as CUDA spells it, with template arguments: cudaMalloc, saxpy<float> */
  const char
      *variable; /* what an allocation lands in, or a copy's destination, as spelled; "" unknown */
  const char *type;   /* the variable's element type: float for float *d_x; "" unknown */
  const char *ignore; /* text of `// gpuinstr-ignore: <id> reason` at this line, "" none */
  /* As spelled in the source, num_arguments of them; in a call with flag WRAPPER a member of the
     function's object as this->member. A call with that flag, and what has THROUGH or NAMES: behind
     them the names of its function's parameters, NULL ends. */
  const char *const *arguments;
} gpuinstr_site;

enum gpuinstr_access {
  GPUINSTR_ACCESS_READ = 1, /* what the memory held before the kernel may be read */
  GPUINSTR_ACCESS_WRITE = 2,
  GPUINSTR_ACCESS_ESCAPE = 4,
  GPUINSTR_ACCESS_UNKNOWN = 8, /* a body that cannot be seen, or a construct not understood */
  /* With WRITE: where it writes follows from arguments by value and thread indices, never from what
     memory holds. Not set says nothing. */
  GPUINSTR_ACCESS_REGULAR = 16,
  /* What is done to the memory itself is known; pointers in it are followed, and where they lead
     anything may be done. UNKNOWN may do that as well. */
  GPUINSTR_ACCESS_FOLLOW = 32,
  /* The code steps back from the pointer as it comes, as from an array's end: `end[-1 - i]`. */
  GPUINSTR_ACCESS_BEFORE = 64
};

typedef struct gpuinstr_param {
  const char *name; /* "" for an unnamed parameter */
  const char *type; /* as spelled */
  uint32_t bytes;   /* size of the argument, 0 unknown */
  uint8_t pointer;  /* 1: a pointer; 2: an aggregate that may hold pointers; 0: neither */
  /* gpuinstr_access of what it points to; UNKNOWN of what is no pointer: addresses may be made of
   * it */
  uint8_t access;
  uint16_t reserved;
} gpuinstr_param;

/* A pointer that lies in an aggregate parameter, and of which more is known than of the parameter,
   whose `access` is that of all of its pointers. */
typedef struct gpuinstr_member {
  uint16_t param; /* its number */
  uint8_t access; /* gpuinstr_access of what it points to */
  uint8_t reserved;
  uint32_t offset; /* bytes from the begin of the argument */
} gpuinstr_member;

/* What a kernel's visible code shows. A bit that is not set says nothing, so that objects that were
   made before a bit existed read as the worst case. */
enum gpuinstr_kernel_flags {
  /* It ends, whatever the host and other kernels do: no loop of it can wait for anybody. Not set:
     it may wait. */
  GPUINSTR_KERNEL_ENDS = 1u << 0,
  /* It writes no __device__, __managed__ or __constant__ variable and hands none on. */
  GPUINSTR_KERNEL_KEEPS_GLOBALS = 1u << 1
};

typedef struct gpuinstr_kernel {
  uint32_t size;
  uint32_t num_params;
  uint32_t line;
  uint32_t flags;   /* gpuinstr_kernel_flags */
  const void *stub; /* host address that names the kernel (first argument of cudaLaunchKernel) */
  const char *name; /* qualified, with template arguments */
  const char *file;
  const gpuinstr_param *params;
  /* By parameter and offset. A kernel of older code ends before. */
  const gpuinstr_member *members;
  uint32_t num_members;
  uint32_t reserved;
} gpuinstr_kernel;

/* Where the code of an instrumented function lies: LLVM's PC sections, of its small code models. */
typedef struct gpuinstr_code {
  int32_t begin; /* from this structure's own address */
  uint32_t bytes;
} gpuinstr_code;

/* ... of its medium and large ones. */
typedef struct gpuinstr_wide_code {
  uint32_t begin[2]; /* the lower half, the upper half */
  uint32_t bytes;
} gpuinstr_wide_code;

enum gpuinstr_module_flags {
  GPUINSTR_MODULE_PACKED = 1u << 0, /* behind the module stands the address of a gpuinstr_packed */
  /* It has __managed__ variables that may hold addresses: the host puts them there without a call.
   */
  GPUINSTR_MODULE_HOLDS_MANAGED = 1u << 1,
  GPUINSTR_MODULE_WIDE_CODE = 1u << 2 /* `code` has gpuinstr_wide_code, `code_end` their end */
};

/* One per instrumented translation unit. */
typedef struct gpuinstr_module {
  uint32_t size;
  uint32_t abi_version;
  uint32_t num_sites;
  uint32_t num_kernels;
  uint32_t num_addresses_taken;
  uint32_t registered;  /* written by the bootstrap */
  gpuinstr_site *sites; /* contiguous, stride sites[0].size; NULL and num_sites 0 for `listed` */
  const gpuinstr_kernel *kernels;
  const char *const
      *addresses_taken; /* entry points whose address escaped: calls through it are unseen */
  const char *source;   /* main source file */
  const char *producer; /* "gpuinstr 0.1.0 clang 22.1.8" */
  const char *defaults; /* options built in with defaults=, "" none */
  const void *image;    /* an address inside the linked image, for its name */
  /* All sites. A module of older code ends before. Before the bootstrap has unpacked them, NULL for
     each packed one. */
  gpuinstr_site *const *listed;
  uint32_t num_listed;
  uint32_t flags; /* gpuinstr_module_flags */
  /* All functions of the linked image that refer to CUDA and were compiled so; where a later link
     moves code (-flto), the jumps that their calls take. A module of older code ends before. */
  const gpuinstr_code *code, *code_end;
  /* The host's names, as CUDA's calls get them, of the __constant__ variables that the unit
     defines; NULL ends, and none. A module of older code ends before. */
  const void *const *constants;
  /* Where the functions of a CUDA runtime lie that is linked into the image: one for each row of
     RuntimeNames.def, in bytes from its own address to a pointer, which is NULL where there is no
     such function, and leads out of the image where the runtime is a library. NULL: not known. A
     module of older code ends before. */
  const int32_t *runtime_functions;
  uint32_t num_runtime_functions;
  uint32_t reserved;
} gpuinstr_module;

/* Sites of a unit that has many, without addresses: the linker would need a relocation for each.
   The bootstrap adds them before any of the sites is used; the runtime never sees packed ones. */
#define GPUINSTR_PACKED_OFFSET (1ull << 63) /* in place of an address: this and an offset */
typedef struct gpuinstr_packed {
  uint32_t size;
  uint32_t unpacked; /* written by the bootstrap */
  uint32_t num_sites;
  uint32_t num_arguments;
  gpuinstr_site *sites;   /* an array; their texts are offsets into `texts`, their arguments offsets
                             in   bytes into `arguments` */
  const char **arguments; /* those of all sites: offsets into `texts`, and NULL */
  const char *texts;
  gpuinstr_site **listed; /* gpuinstr_module::listed */
} gpuinstr_packed;

/* A call in progress. One per function in its stack frame, reused by all its sites. Instrumented
   code writes callers once, at the function's entry, and site and the slots that the site names
   before each enter; the runtime must leave callers alone and owns the rest. A frame may be entered
   again without a leave (an exception passed through). */
#define GPUINSTR_MAX_CALLERS 4
typedef struct gpuinstr_frame {
  const gpuinstr_site *site;
  const gpuinstr_site *callers[GPUINSTR_MAX_CALLERS]; /* nearest first, NULL ends */
  uint64_t slot[GPUINSTR_SLOT_COUNT_];
  struct gpuinstr_frame *parent;
  struct gpuinstr_frame *root;
  uint64_t start;
  uint64_t scratch[8];
} gpuinstr_frame;

/* Its handlers still run, so the report waits for them. */
#define GPUINSTR_QUICK_EXIT 0x100
/* ... and the destructors of static objects, which may call CUDA: exit. With QUICK_EXIT. */
#define GPUINSTR_PLAIN_EXIT 0x200

/* Function table of one linked image; hidden, filled by the bootstrap from gpuinstr_connect. Every
   entry may be called from any thread at any time, with CUDA missing, during exit and after fork.
 */
/* What the program does with NVTX. `message`: text (A char, W wchar_t), attributes (EX:
   nvtxEventAttributes_t) or NULL. `value`: POP and PUSH the domain's handle, 0 the default one; END
   the range's number; START and REGISTER what NVTX returned. */
enum gpuinstr_nvtx {
  GPUINSTR_NVTX_PUSH_A = 0,
  GPUINSTR_NVTX_PUSH_W = 1,
  GPUINSTR_NVTX_PUSH_EX = 2,
  GPUINSTR_NVTX_POP = 3,
  GPUINSTR_NVTX_START_A = 4,
  GPUINSTR_NVTX_START_W = 5,
  GPUINSTR_NVTX_START_EX = 6,
  GPUINSTR_NVTX_END = 7,
  GPUINSTR_NVTX_REGISTER_A = 8,
  GPUINSTR_NVTX_REGISTER_W = 9,
  /* Added by the attached library, which is NVTX's tool: it sees what instrumented code does, too,
     and from then on what that says of it is not taken. */
  GPUINSTR_NVTX_BY_TOOL = 0x100,
};

typedef struct gpuinstr_table {
  uint32_t size;
  uint32_t abi_version;
  void (*enter)(gpuinstr_frame *frame);
  /* result: the call's return value, zero- or sign-extended; 0 for void and pointer results */
  void (*leave)(gpuinstr_frame *frame, int64_t result);
  void (*count)(const gpuinstr_site *site); /* a call that cannot be left: musttail, noreturn */
  void (*register_module)(gpuinstr_module *module);
  void (*unregister_module)(gpuinstr_module *module); /* before dlclose unmaps it */
  /* _exit, _Exit, quick_exit, exit are about to run; quick_exit: (code & 0xff) |
     GPUINSTR_QUICK_EXIT; exit: ... | GPUINSTR_PLAIN_EXIT */
  void (*before_exit)(int code);
  /* gpuinstr.h */
  void (*push_range)(const char *name);
  void (*pop_range)(void);
  void (*pause)(void);
  void (*resume)(void);
  void (*report_now)(void);
  void (*reset)(void);
  uint64_t (*mark)(void);
  uint64_t (*leaks_since)(uint64_t mark, uint64_t *bytes);
  void (*name)(const void *pointer, const char *name);
  void (*ignore)(const void *pointer);
  void (*pool_alloc)(const void *pool, const void *pointer, uint64_t bytes);
  void (*pool_free)(const void *pool, const void *pointer);
  /* The program called NVTX; what: gpuinstr_nvtx. Behind START and REGISTER the program gets
     `value` | the result: not 0 only where `value` is 0, which is what NVTX returns without a tool,
     and the runtime must know the range or text again. */
  uint64_t (*nvtx)(uint32_t what, const void *message, uint64_t value);
  /* Whether this thread may enter a call that nobody instrumented, such as the driver's below a
     library. 1 yes; 0 no: an instrumented call in progress stands for it, or it is the runtime's
     own; -1: the runtime is switched off for good. */
  int (*may_enter)(void);
  /* The program asked the driver what memory `address` lies in, as libraries do about where a
     download shall end that they make through pinned memory of their own, and about what they are
     given to upload. */
  void (*memory_asked)(uint64_t address);
  /* may_enter(), asked before a call of GPUINSTR_SITE_FREQUENT, whose look begins here: what it
     costs is measured. */
  int (*call_begins)(void);
  /* How the runtime keeps within option budget where a program does little else but such calls:
     from a thread of its own it calls watch(0), which gives 0 where they cannot be turned off now,
     and some milliseconds later watch(1), which gives 0 where they were not off for that long.
     Those that are seen stand for the others. Never called once the process ends. */
  void (*watch_frequent)(int (*watch)(int on));
  /* enter(outer) and then enter(inner); leave(inner, result) and then leave(outer, 0): a kernel's
     launch and the cudaLaunchKernel inside it, where nothing of the program's stands between. */
  void (*enter_launch)(gpuinstr_frame *outer, gpuinstr_frame *inner);
  void (*leave_launch)(gpuinstr_frame *outer, gpuinstr_frame *inner, int64_t result);
} gpuinstr_table;

/* The one symbol that the runtime exports. Returns a table of at most `size` bytes, or NULL when
   the caller's ABI version is not spoken. `before_load_ns`: CLOCK_MONOTONIC before the caller
   loaded the runtime, so that loading it counts among its costs; 0, and all that is no moment just
   passed: unknown. */
typedef const gpuinstr_table *gpuinstr_connect_fn(uint32_t abi_version, uint32_t size,
                                                  uint64_t before_load_ns);
#define GPUINSTR_CONNECT_SYMBOL "gpuinstr_connect"

/* The last callers on this thread, nearest first: stored just before a call to a function that has
   or may have sites, read at that function's entry. One definition per process where the dynamic
   linker can merge them (default visibility, linkonce); otherwise one per image. */
#define GPUINSTR_CALLERS_SYMBOL "__gpuinstr_callers"

#ifdef __cplusplus
}
#endif
#endif
