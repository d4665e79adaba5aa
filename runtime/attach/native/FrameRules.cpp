// How to get from a function's stack frame to its caller's, from the tables that exceptions use.
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/FrameRules.h"
#include "attach/native/dwarf/DwarfReader.h"

#ifdef GPUINSTR_HAS_FRAME_RULES
/// Of the compiler's own unwinder, which is linked statically.
struct UnwindBases {
  void *text, *data, *function;
};
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" const void *_Unwind_Find_FDE(void *address, UnwindBases *bases);
#endif

namespace gpuinstr::attach {

#ifdef GPUINSTR_HAS_FRAME_RULES

namespace {

constexpr uint64_t BaseRegister = 6, StackRegister = 7, ReturnAddress = 16; // DWARF's numbers
constexpr int64_t BelowFrame = -8;

/// Where a caller's register is found.
struct Place {
  enum Kind : uint8_t { Same, InFrame, AtBase, Undefined, Elsewhere };
  Kind kind = Same;
  int64_t offset = 0; ///< InFrame: from the caller's frame, AtBase: from rbp
};

struct Row {
  bool isKnown = true;   ///< a register and an offset say where the caller's frame begins
  bool isStored = false; ///< ... where that stands
  uint64_t frameRegister = 0;
  int64_t frameOffset = 0;
  Place base, returns;

  Place &placeOf(uint64_t number) {
    static thread_local Place others;
    return number == BaseRegister ? base : number == ReturnAddress ? returns : others;
  }
};

struct Common {
  uint64_t codeUnit = 1;
  int64_t dataUnit = 1;
  uint8_t encoding = 0; ///< of addresses
  bool hasLength = false, isSignal = false, good = false;
  const uint8_t *program = nullptr, *end = nullptr;
};

/// How many bytes an encoded address takes, 0: not known.
unsigned bytesOf(uint8_t encoding) {
  switch (encoding & 15) {
  case 0:
  case 4:
  case 12:
    return (encoding & 0x70) == 0x50 ? 0 : 8;
  case 3:
  case 11:
    return 4;
  case 2:
  case 10:
    return 2;
  default:
    return 0;
  }
}

const uint8_t *endOf(const uint8_t *entry) {
  uint32_t length;
  std::memcpy(&length, entry, sizeof length);
  return length >= 0xfffffff0u ? nullptr : entry + 4 + length;
}

void readAugmentation(Common &common, const char *letters, DwarfReader &in) {
  for (++letters; *letters; ++letters)
    switch (*letters) {
    case 'R':
      common.encoding = in.fixed<uint8_t>();
      break;
    case 'L':
      in.fixed<uint8_t>();
      break;
    case 'P': {
      unsigned bytes = bytesOf(in.fixed<uint8_t>());
      if (!bytes)
        return void(common.good = false);
      in.skip(bytes);
      break;
    }
    case 'S':
      common.isSignal = true;
      break;
    case 'B':
      break;
    default:
      return void(common.good = false);
    }
}

/// What the functions of an object file have in common (CIE).
Common readCommon(const uint8_t *entry) {
  Common common;
  common.end = endOf(entry);
  if (!common.end)
    return common;
  DwarfReader in{entry + 8, common.end};
  auto version = in.fixed<uint8_t>();
  auto *letters = reinterpret_cast<const char *>(in.at);
  in.skip(std::strlen(letters) + 1);
  common.codeUnit = in.unsignedLeb();
  common.dataUnit = in.signedLeb();
  uint64_t returns = version == 1 ? in.fixed<uint8_t>() : in.unsignedLeb();
  common.good = (version == 1 || version == 3) && returns == ReturnAddress;
  if (*letters == 'z') {
    uint64_t length = in.unsignedLeb();
    common.program = in.at + length;
    common.hasLength = true;
    readAugmentation(common, letters, in);
  } else {
    common.good &= *letters == 0;
    common.program = in.at;
  }
  common.good &= !in.bad && common.program <= common.end;
  return common;
}

/// Runs a table's instructions up to an address.
class Machine {
public:
  explicit Machine(const Common &common) : All(common) {}
  Row row;

  void keepInitial() { Initial = row; }

  /// False: something that is not understood.
  bool run(const uint8_t *program, const uint8_t *end, uint64_t at, uint64_t wanted) {
    DwarfReader in{program, end};
    while (!in.bad && in.at < in.end) {
      auto code = in.fixed<uint8_t>();
      uint64_t step = advance(code, in);
      if (step) {
        at += (step - 1) * All.codeUnit;
        if (at > wanted)
          return !in.bad;
      } else if (!change(code, in)) {
        return false;
      }
    }
    return !in.bad;
  }

private:
  /// How far the next rows are from here, and one; 0: another instruction.
  static uint64_t advance(uint8_t code, DwarfReader &in) {
    if (code >> 6 == 1)
      return (code & 63) + 1;
    switch (code) {
    case 2: // DW_CFA_advance_loc1, 2, 4
      return uint64_t(in.fixed<uint8_t>()) + 1;
    case 3:
      return uint64_t(in.fixed<uint16_t>()) + 1;
    case 4:
      return uint64_t(in.fixed<uint32_t>()) + 1;
    }
    return 0;
  }

  void setFrame(uint64_t number, int64_t offset) {
    row.isKnown = true;
    row.isStored = false;
    row.frameRegister = number;
    row.frameOffset = offset;
  }
  void setPlace(uint64_t number, Place::Kind kind, int64_t offset = 0) {
    Place &place = row.placeOf(number);
    place.kind = kind;
    place.offset = offset;
  }

  /// An expression that is no more than an offset from rbp, with `stored` the word that stands
  /// there.
  static bool readOffset(DwarfReader &in, bool stored, int64_t &offset) {
    constexpr uint8_t FromBase = 0x76, Deref = 0x06; // DW_OP_breg6, DW_OP_deref
    uint64_t length = in.unsignedLeb();
    DwarfReader expression{in.at, in.at + (length < uint64_t(in.end - in.at) ? length : 0)};
    in.skip(length);
    if (in.bad || expression.fixed<uint8_t>() != FromBase)
      return false;
    offset = expression.signedLeb();
    if (stored && expression.fixed<uint8_t>() != Deref)
      return false;
    return !expression.bad && expression.at == expression.end;
  }

  bool change(uint8_t code, DwarfReader &in) {
    if (code >> 6 == 2) // DW_CFA_offset
      return setPlace(code & 63, Place::InFrame, int64_t(in.unsignedLeb()) * All.dataUnit), true;
    if (code >> 6 == 3) // DW_CFA_restore
      return row.placeOf(code & 63) = Initial.placeOf(code & 63), true;
    uint64_t number;
    switch (code) {
    case 0x00: // DW_CFA_nop
      return true;
    case 0x05: // DW_CFA_offset_extended
      number = in.unsignedLeb();
      setPlace(number, Place::InFrame, int64_t(in.unsignedLeb()) * All.dataUnit);
      return true;
    case 0x06: // DW_CFA_restore_extended
      number = in.unsignedLeb();
      row.placeOf(number) = Initial.placeOf(number);
      return true;
    case 0x07: // DW_CFA_undefined
      setPlace(in.unsignedLeb(), Place::Undefined);
      return true;
    case 0x08: // DW_CFA_same_value
      setPlace(in.unsignedLeb(), Place::Same);
      return true;
    case 0x09: // DW_CFA_register
      setPlace(in.unsignedLeb(), Place::Elsewhere);
      in.unsignedLeb();
      return true;
    case 0x0a: // DW_CFA_remember_state
      if (Depth == MostRemembered)
        return false;
      Remembered[Depth++] = row;
      return true;
    case 0x0b: // DW_CFA_restore_state
      if (!Depth)
        return false;
      row = Remembered[--Depth];
      return true;
    case 0x0c: // DW_CFA_def_cfa
      number = in.unsignedLeb();
      setFrame(number, int64_t(in.unsignedLeb()));
      return true;
    case 0x0d: // DW_CFA_def_cfa_register
      row.frameRegister = in.unsignedLeb();
      row.isKnown &= !row.isStored;
      return true;
    case 0x0e: // DW_CFA_def_cfa_offset
      row.frameOffset = int64_t(in.unsignedLeb());
      return true;
    case 0x0f: // DW_CFA_def_cfa_expression
      row.frameRegister = BaseRegister;
      row.isKnown = row.isStored = readOffset(in, true, row.frameOffset);
      return true;
    case 0x10: { // DW_CFA_expression
      number = in.unsignedLeb();
      int64_t offset = 0;
      bool isAtBase = readOffset(in, false, offset);
      setPlace(number, isAtBase ? Place::AtBase : Place::Elsewhere, offset);
      return true;
    }
    case 0x16: // DW_CFA_val_expression
      setPlace(in.unsignedLeb(), Place::Elsewhere);
      in.skip(in.unsignedLeb());
      return true;
    case 0x11: // DW_CFA_offset_extended_sf
      number = in.unsignedLeb();
      setPlace(number, Place::InFrame, in.signedLeb() * All.dataUnit);
      return true;
    case 0x12: // DW_CFA_def_cfa_sf
      number = in.unsignedLeb();
      setFrame(number, in.signedLeb() * All.dataUnit);
      return true;
    case 0x13: // DW_CFA_def_cfa_offset_sf
      row.frameOffset = in.signedLeb() * All.dataUnit;
      return true;
    case 0x2e: // DW_CFA_GNU_args_size
      in.unsignedLeb();
      return true;
    }
    return false;
  }

  static constexpr unsigned MostRemembered = 8;
  const Common &All;
  Row Initial, Remembered[MostRemembered];
  unsigned Depth = 0;
};

bool isSmall(int64_t value) { return value == int32_t(value); }

FrameRule ruleOf(const Row &row) {
  FrameRule rule;
  if (row.returns.kind == Place::Undefined)
    rule.kind = FrameRule::Ends;
  const Place &base = row.base;
  bool baseIsFound = row.isStored ? base.kind == Place::AtBase && base.offset == 0
                                  : base.kind == Place::Same || base.kind == Place::InFrame;
  bool isSimple = row.isKnown && isSmall(row.frameOffset) && isSmall(base.offset) && baseIsFound &&
                  (row.frameRegister == BaseRegister || row.frameRegister == StackRegister) &&
                  row.returns.kind == Place::InFrame && row.returns.offset == BelowFrame;
  if (!isSimple)
    return rule;
  rule.isAligned = row.isStored;
  rule.kind = FrameRule::Steps;
  rule.fromBase = row.frameRegister == BaseRegister;
  rule.up = int32_t(row.frameOffset);
  rule.savesBase = row.base.kind == Place::InFrame;
  rule.base = int32_t(row.base.offset);
  return rule;
}

} // namespace

FrameRule frameRuleAt(uint64_t address) {
  FrameRule rule;
  UnwindBases bases = {};
  auto *entry =
      static_cast<const uint8_t *>(_Unwind_Find_FDE(reinterpret_cast<void *>(address), &bases));
  if (!entry) {
    rule.kind = FrameRule::Ends;
    return rule;
  }
  const uint8_t *end = endOf(entry);
  int32_t back;
  std::memcpy(&back, entry + 4, sizeof back);
  Common common = readCommon(entry + 4 - back);
  unsigned addressBytes = bytesOf(common.encoding);
  if (!end || !common.good || common.isSignal || !addressBytes)
    return rule;
  DwarfReader in{entry + 8, end};
  in.skip(uint64_t(2) * addressBytes);
  if (common.hasLength)
    in.skip(in.unsignedLeb());
  Machine machine(common);
  auto begin = reinterpret_cast<uint64_t>(bases.function);
  if (!machine.run(common.program, common.end, begin, begin))
    return rule;
  machine.keepInitial();
  if (in.bad || !machine.run(in.at, end, begin, address))
    return rule;
  return ruleOf(machine.row);
}

#else

FrameRule frameRuleAt(uint64_t) { return {}; }

#endif

} // namespace gpuinstr::attach
