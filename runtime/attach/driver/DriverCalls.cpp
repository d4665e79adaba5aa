// What the driver's functions do, by CUPTI's number, and how their operands are read.
// SPDX-License-Identifier: Apache-2.0
#include "attach/driver/DriverCalls.h"
#include "api/CudaApiFlags.h"
#include "api/CudaApiSlots.h"
#include "base/HotCode.h"
#include "cuda/operands/GraphNode.h"
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace gpuinstr::attach {

namespace {

using namespace apiflags; // nobody sees what becomes of a result: no site says that it is discarded

struct Row {
  const char *name;
  int parameters; ///< -1: any number
  uint16_t op, resource;
  uint32_t flags;
  uint16_t detail;
  std::vector<Operand> operands;
};

#define SLOT_PLAIN(slot, n) Operand{GPUINSTR_SLOT_##slot, n, false},
#define GRID(n) SLOT_PLAIN(GRID_XY, n) // cudart's alone: no driver function has a dim3
#define BLOCK(n) SLOT_PLAIN(BLOCK_XY, n)
#define GRID3(n) Operand{GPUINSTR_SLOT_GRID_XY, n, true},
#define BLOCK3(n) Operand{GPUINSTR_SLOT_BLOCK_XY, n, true},

const std::vector<Row> &rows() {
  static const auto *all = new std::vector<Row>{
#define CUDA_API(name, op, resource, flags, detail, operands)                                      \
  Row{#name, -1, GPUINSTR_OP_##op, GPUINSTR_RES_##resource, (flags), detail, {operands}},
#define CUDA_API_N(name, parameters, op, resource, flags, detail, operands)                        \
  Row{#name, parameters, GPUINSTR_OP_##op, GPUINSTR_RES_##resource, (flags), detail, {operands}},
#include "api/CudaApi.def"
  };
  return *all;
}

const Row *rowOf(const char *name, unsigned parameters) {
  for (const Row &row : rows())
    if (!std::strcmp(row.name, name) &&
        (row.parameters < 0 || unsigned(row.parameters) == parameters))
      return &row;
  return nullptr;
}

struct Numbered {
  const char *row, *name;
  uint32_t number;
  std::vector<Parameter> parameters;
};

/// cuLaunchKernel_params, of which all that is read has a slot.
struct LaunchParameters {
  uint64_t function;
  uint32_t grid[3], block[3], shared;
  uint64_t stream, arguments;
};

void launchInto(const LaunchParameters &given, gpuinstr_frame &frame) {
  auto pair = [](const uint32_t *two) { return two[0] | uint64_t(two[1]) << 32; };
  frame.slot[GPUINSTR_SLOT_FUNC] = given.function;
  frame.slot[GPUINSTR_SLOT_GRID_XY] = pair(given.grid);
  frame.slot[GPUINSTR_SLOT_GRID_Z] = given.grid[2];
  frame.slot[GPUINSTR_SLOT_BLOCK_XY] = pair(given.block);
  frame.slot[GPUINSTR_SLOT_BLOCK_Z] = given.block[2];
  frame.slot[GPUINSTR_SLOT_SHARED] = given.shared;
  frame.slot[GPUINSTR_SLOT_STREAM] = given.stream;
  frame.slot[GPUINSTR_SLOT_ARGS] = given.arguments;
}

/// Reading them one by one gives the same.
bool liesAsLaunch(const DriverCall &call) {
  if (call.op != GPUINSTR_OP_LAUNCH)
    return false;
  LaunchParameters given;
  for (size_t i = 0; i < sizeof given; ++i)
    reinterpret_cast<unsigned char *>(&given)[i] = static_cast<unsigned char>(i + 1);
  gpuinstr_frame one, all;
  std::memset(one.slot, 0, sizeof one.slot);
  std::memset(all.slot, 0, sizeof all.slot);
  for (const Read *read = call.reads(); read != call.reads() + call.numReads; ++read)
    if (read->offset + read->bytes > sizeof given || read->bytes == 0)
      return false;
  readOperands(call, &given, one);
  launchInto(given, all);
  return !std::memcmp(one.slot, all.slot, sizeof one.slot);
}

/// Calls that programs make all the time, from the same places.
bool isMadeAgain(const DriverCall &call) {
  const unsigned op = call.op;
  auto isIn = [op](unsigned first, unsigned last) { return op >= first && op <= last; };
  return op == GPUINSTR_OP_LAUNCH || op == GPUINSTR_OP_GRAPH_LAUNCH ||
         op == GPUINSTR_OP_GRAPH_NODE || isIn(GPUINSTR_OP_QUERY, GPUINSTR_OP_RECORD_EVENT) ||
         isIn(GPUINSTR_OP_COPY, GPUINSTR_OP_COPY_BATCH) ||
         isIn(GPUINSTR_OP_SET, GPUINSTR_OP_SET_3D) || call.resource == GPUINSTR_RES_EVENT;
}

/// Of them, those that are work of the device's own, and that nothing waits for: they may go unseen
/// where a program does little else.
bool goesUnseen(const DriverCall &call) {
  constexpr uint32_t Within =
      GPUINSTR_SITE_ASYNC | GPUINSTR_SITE_DEVICE_DST | GPUINSTR_SITE_DEVICE_SRC;
  switch (call.op) {
  case GPUINSTR_OP_SET:
    return call.flags & GPUINSTR_SITE_ASYNC;
  case GPUINSTR_OP_COPY:
    return (call.flags & Within) == Within;
  case GPUINSTR_OP_LAUNCH:
  case GPUINSTR_OP_GRAPH_LAUNCH:
  case GPUINSTR_OP_RECORD_EVENT:
  case GPUINSTR_OP_QUERY:
  case GPUINSTR_OP_HOST_FUNC:
    return true;
  case GPUINSTR_OP_WAIT_EVENT:
    return call.detail == 0; // else it may write memory
  case GPUINSTR_OP_GRAPH_NODE:
    return cuda::changesNode(call.op, call.detail, call.slots);
  default:
    return false;
  }
}

/// The operands of a call, one after the other.
class ReadsOf {
public:
  void add(const Parameter &parameter, unsigned slot, bool isUpper) {
    bool isValue = parameter.bytes <= sizeof(uint64_t);
    All[Number++] = {parameter.offset, uint8_t(isValue ? parameter.bytes : 0), uint8_t(slot),
                     isUpper};
    Slots |= 1u << slot;
  }
  void giveTo(DriverCall &call) const {
    call.numReads = uint8_t(Number);
    call.slots = Slots;
    if (Number <= DriverCall::Few)
      std::copy(All, All + Number, call.few);
    else
      call.many = std::copy(All, All + Number, new Read[Number]) - Number; // leaked, as the call is
  }

private:
  Read All[DriverCall::MaxReads];
  unsigned Number = 0;
  uint32_t Slots = 0;
};

/// What loops call most, in all their versions: they lie together.
bool isFrequent(const char *name) {
  for (const char *one : {"cuLaunchKernel", "cuLaunchKernelEx", "cuGraphLaunch", "cuEventRecord",
                          "cuEventQuery", "cuStreamWaitEvent", "cuStreamSynchronize",
                          "cuMemcpyHtoDAsync", "cuMemsetD8Async", "cuGraphExecKernelNodeSetParams"})
    if (!std::strcmp(name, one))
      return true;
  return false;
}

DriverCall *placeFor(const Numbered &from) {
  static unsigned used = 0;
  const bool isPlain = std::strchr(from.name, '_') == nullptr ||
                       std::strcmp(std::strrchr(from.name, '_'), "_v2") == 0;
  if (!isPlain || !isFrequent(from.row) || used == FrequentCalls::Most)
    return new DriverCall; // leaked: used during exit
  Frequent.numbers[from.number] = uint8_t(used + 1);
  return &Frequent.calls[used++];
}

void add(const Numbered &from, const Row &row) {
  if (from.number >= MostCalls || 3 * row.operands.size() > DriverCall::MaxReads)
    return;
  DriverCall *call = placeFor(from);
  call->name = row.name;
  call->number = from.number;
  call->op = row.op;
  call->resource = row.resource;
  call->detail = row.detail;
  call->flags = row.flags;
  std::string name = from.name;
  if (name.size() > 5 &&
      (name.rfind("_ptsz") == name.size() - 5 || name.rfind("_ptds") == name.size() - 5))
    call->flags |= GPUINSTR_SITE_PER_THREAD;
  ReadsOf reads;
  for (const Operand &operand : row.operands) {
    if (operand.parameter + (operand.triple ? 2u : 0u) >= from.parameters.size())
      continue; // an older version has fewer
    const Parameter *parameter = &from.parameters[operand.parameter];
    reads.add(parameter[0], operand.slot, false);
    if (operand.triple) {
      reads.add(parameter[1], operand.slot, true);
      reads.add(parameter[2], operand.slot + 1, false);
    }
  }
  reads.giveTo(*call);
  call->comesAgain = isMadeAgain(*call);
  call->isLaunch = liesAsLaunch(*call);
  if (goesUnseen(*call))
    call->flags |= GPUINSTR_SITE_FREQUENT;
  DriverCallTable[from.number] = call;
}

template <class T> uint64_t load(const char *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

uint64_t valueOf(const Read &read, const char *at) {
  switch (read.bytes) {
  case 8:
    return load<uint64_t>(at);
  case 4:
    return load<uint32_t>(at);
  case 2:
    return load<uint16_t>(at);
  case 1:
    return load<uint8_t>(at);
  default:
    return reinterpret_cast<uint64_t>(at);
  }
}

} // namespace

GPUINSTR_HOT_DATA FrequentCalls Frequent;
const DriverCall *DriverCallTable[MostCalls];

void fillDriverCalls() {
  const Numbered all[] = {
#define P(offset, bytes) Parameter{offset, bytes},
#define DRIVER_CALL(row, name, number, parameters) {#row, #name, number, {parameters}},
#include "attach/driver/DriverCalls.def"
#undef P
  };
  for (const Numbered &one : all)
    if (const Row *row = rowOf(one.row, unsigned(one.parameters.size())))
      add(one, *row);
}

GPUINSTR_HOT void readOperands(const DriverCall &call, const void *parameters,
                               gpuinstr_frame &frame) {
  if (call.isLaunch)
    return launchInto(*static_cast<const LaunchParameters *>(parameters), frame);
  for (const Read *read = call.reads(), *end = read + call.numReads; read != end; ++read) {
    uint64_t value = valueOf(*read, static_cast<const char *>(parameters) + read->offset);
    uint64_t &slot = frame.slot[read->slot];
    slot = read->isUpper ? slot | value << 32 : value;
  }
  if (call.op == GPUINSTR_OP_SET || call.op == GPUINSTR_OP_SET_2D)
    frame.slot[GPUINSTR_SLOT_BYTES] *= call.detail; // elements, of so many bytes
}

} // namespace gpuinstr::attach
