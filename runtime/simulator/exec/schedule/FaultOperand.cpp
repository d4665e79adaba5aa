// What an instruction that faulted without an address was after.
// SPDX-License-Identifier: Apache-2.0
#include "exec/schedule/FaultOperand.h"

#include <cstring>

namespace gpuinstr::sim {

namespace {

/// By the numbers that instructions have for them.
constexpr int Registers[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                             REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                             REG_R12, REG_R13, REG_R14, REG_R15};

struct Opcode {
  unsigned index = 0, base = 0; ///< 8: the upper half of the registers
  bool found = false;
};

bool isAlignedMove(uint8_t opcode) {
  for (uint8_t move : {0x28, 0x29, 0x2b, 0x6f, 0x7f, 0xe7})
    if (opcode == move)
      return true;
  return false;
}

/// Past prefixes and opcode, to the operands.
Opcode readOpcode(const uint8_t *&at) {
  Opcode out;
  if (*at == 0xc5 || *at == 0xc4) { // VEX: with two or three bytes
    bool three = *at == 0xc4;
    if (three && (at[1] & 0x1f) != 1)
      return out;
    out.index = three && !(at[1] & 0x40) ? 8 : 0;
    out.base = three && !(at[1] & 0x20) ? 8 : 0;
    at += three ? 3 : 2;
    out.found = isAlignedMove(*at++);
    return out;
  }
  while (*at == 0x66 || *at == 0xf2 || *at == 0xf3)
    ++at;
  if ((*at & 0xf0) == 0x40) { // REX
    out.index = *at & 2 ? 8 : 0;
    out.base = *at & 1 ? 8 : 0;
    ++at;
  }
  if (*at++ != 0x0f)
    return out;
  if (*at == 0x38 || *at == 0x3a)
    return out;
  ++at;
  out.found = true;
  return out;
}

} // namespace

bool misalignedOperand(const ucontext_t &context, uint64_t &address) {
  const greg_t *registers = context.uc_mcontext.gregs;
  auto *at = reinterpret_cast<const uint8_t *>(registers[REG_RIP]);
  Opcode opcode = readOpcode(at);
  if (!opcode.found)
    return false;
  const unsigned mode = *at >> 6, low = *at & 7;
  ++at;
  if (mode == 3)
    return false; // no memory
  address = 0;
  bool relative = mode == 0 && low == 5, hasBase = !relative;
  unsigned base = low;
  if (low == 4) { // scale, index, base
    const unsigned index = (*at >> 3 & 7) + opcode.index;
    if (index != 4)
      address += uint64_t(registers[Registers[index]]) << (*at >> 6);
    base = *at & 7;
    hasBase = !(mode == 0 && base == 5);
    ++at;
  }
  if (hasBase)
    address += uint64_t(registers[Registers[base + opcode.base]]);
  if (mode == 1) {
    address += uint64_t(int64_t(int8_t(*at++)));
  } else if (mode == 2 || !hasBase) {
    int32_t offset;
    std::memcpy(&offset, at, sizeof offset);
    at += sizeof offset;
    address += uint64_t(int64_t(offset));
  }
  if (relative)
    address += reinterpret_cast<uint64_t>(at); // such instructions end here
  constexpr unsigned UserBits = 47;
  return address % 16 != 0 && address >> UserBits == 0;
}

} // namespace gpuinstr::sim
