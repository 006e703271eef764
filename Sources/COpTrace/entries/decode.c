// The maps of opcodes, one letter for each:
//   m  a byte that names registers or memory (ModRM)     B, Z  the same and an immediate of 1 byte, of 2 or 4
//   b, z  an immediate alone    v  of up to 8 bytes       o  an address of 8 bytes
//   .  nothing more             p  a prefix               s  decided by `special`
//   j, q  jcc rel8, rel32       k, J  jmp rel8, rel32     l  loop       c  call
//   e  execution does not continue behind it    r  ret imm16    u  ud1    i  int3
//   x  refused: undefined, privileged, or too rare to be worth a rule
#include "decode.h"

#include <string.h>

static const char one_byte[257] =
  "mmmmbzxxmmmmbzxs"
  "mmmmbzxxmmmmbzxx"
  "mmmmbzpxmmmmbzpx"
  "mmmmbzpxmmmmbzpx"
  "xxxxxxxxxxxxxxxx"
  "................"
  "xxsmppppzZbBxxxx"
  "jjjjjjjjjjjjjjjj"
  "BZxBmmmmmmmmmmmx"
  "..........x....."
  "oooo....bz......"
  "bbbbbbbbvvvvvvvv"
  "BBressssx.xxixxx"
  "mmmmxxx.mmmmmmmm"
  "llllxxxxcJxkxxxx"
  "pxppe.ss..xx..ss";

// Opcodes after 0F.
static const char two_bytes[257] =
  "xmmmx.xx..xexmxx"
  "mmmmmmmmmmmmmmmm"
  "xxxxxxxxmmmmmmmm"
  "x.xxxxxxsxsxxxxx"
  "mmmmmmmmmmmmmmmm"
  "mmmmmmmmmmmmmmmm"
  "mmmmmmmmmmmmmmmm"
  "BBBBmmm.xxxxmmmm"
  "qqqqqqqqqqqqqqqq"
  "mmmmmmmmmmmmmmmm"
  "...mBmxx..xmBmmm"
  "mmmmmmmmmuBmmmmm"
  "mmBmBBBm........"
  "mmmmmmmmmmmmmmmm"
  "mmmmmmmmmmmmmmmm"
  "mmmmmmmmmmmmmmmx";

typedef struct {
  const uint8_t *bytes;
  size_t count, at;
  bool is_short;   // Prefix 66: immediates of two bytes.
  bool is_narrow;  // Prefix 67: addresses of four bytes.
  bool is_locked, is_repeated;
  uint8_t rex;
  code_instruction *out;
} reader;

static bool next(reader *r, uint8_t *byte) {
  if (r->at >= r->count) return false;
  *byte = r->bytes[r->at++];
  return true;
}

static bool skip(reader *r, size_t bytes) {
  r->at += bytes;
  return r->at <= r->count;
}

static bool skip_immediate(reader *r) { return skip(r, r->is_short && !(r->rex & 8) ? 2 : 4); }

// Reads ModRM, and the bytes that it requires: SIB, and a displacement of one or four bytes.
static bool modrm(reader *r, uint8_t *byte) {
  if (!next(r, byte)) return false;
  uint8_t mode = *byte >> 6, base = *byte & 7, sib = 0;
  if (mode == 3) return true;
  if (base == 4) {
    if (!next(r, &sib)) return false;
    if (mode == 0 && (sib & 7) == 5) return skip(r, 4);
  } else if (mode == 0 && base == 5) {
    if (r->is_narrow) return false;
    r->out->distance_at = (uint8_t)r->at;
    return skip(r, 4);
  }
  return mode == 0 || skip(r, mode == 1 ? 1 : 4);
}

static bool relative(reader *r, code_kind kind, size_t bytes) {
  // The meaning of prefix 66 here differs between processor vendors, unless REX.W follows.
  if (bytes == 4 && r->is_short && !(r->rex & 8)) return false;
  if (!skip(r, bytes)) return false;
  r->out->kind = kind;
  if (bytes == 1) r->out->to = (int8_t)r->bytes[r->at - 1];
  else memcpy(&r->out->to, r->bytes + r->at - 4, 4);
  return true;
}

static bool ends(reader *r) {
  r->out->kind = code_end;
  return true;
}

// Opcodes that ModRM extends.
static bool grouped(reader *r, uint8_t opcode) {
  uint8_t byte, which;
  if (!modrm(r, &byte)) return false;
  which = byte >> 3 & 7;
  switch (opcode) {
    case 0xC6: return which == 0 && skip(r, 1);
    case 0xC7: return which == 0 && skip_immediate(r);
    case 0xF6: return which > 1 || skip(r, 1);
    case 0xF7: return which > 1 || skip_immediate(r);
    case 0xFE: return which < 2;
    default: break;
  }
  // FF: inc, dec, call, call far, jmp, jmp far, push.
  if (which == 2) r->out->kind = code_call_indirect;
  if (which == 4) return ends(r);
  return which != 3 && which != 5 && which != 7;
}

static bool has_byte(uint8_t map, uint8_t opcode) {
  return map == 3 || (map == 1 && ((opcode & 0xFC) == 0x70 || opcode == 0xC2 || (opcode >= 0xC4 && opcode <= 0xC6)));
}

// Vector instructions: VEX prefixes of two and three bytes, EVEX of four.
static bool vectors(reader *r, uint8_t first) {
  uint8_t byte, map = 1, opcode;
  // None of these prefixes may precede it.
  if (r->rex || r->is_short || r->is_locked || r->is_repeated || !next(r, &byte)) return false;
  if (first == 0xC4) {
    map = byte & 0x1F;
    if (!skip(r, 1)) return false;
  } else if (first == 0x62) {
    map = byte & 7;
    if (byte & 8 || !next(r, &byte) || !(byte & 4) || !skip(r, 1)) return false;
  }
  if (map < 1 || map > 3 || !next(r, &opcode)) return false;
  // vzeroupper
  if (map == 1 && opcode == 0x77) return first != 0x62;
  return modrm(r, &byte) && (!has_byte(map, opcode) || skip(r, 1));
}

static bool operands(reader *r, char what, uint8_t opcode) {
  uint8_t byte;
  switch (what) {
    case '.': return true;
    case 'm': return modrm(r, &byte);
    case 'B': return modrm(r, &byte) && skip(r, 1);
    case 'Z': return modrm(r, &byte) && skip_immediate(r);
    case 'b': return skip(r, 1);
    case 'z': return skip_immediate(r);
    case 'v': return r->rex & 8 ? skip(r, 8) : skip_immediate(r);
    case 'o': return !r->is_narrow && skip(r, 8);
    case 'j':
    case 'q': r->out->condition = opcode & 15; return relative(r, code_branch, what == 'j' ? 1 : 4);
    case 'k': return relative(r, code_jump, 1);
    case 'J': return relative(r, code_jump, 4);
    case 'l': return relative(r, code_loop, 1);
    case 'c': return relative(r, code_call, 4);
    case 'r': return skip(r, 2) && ends(r);
    case 'u': return modrm(r, &byte) && ends(r);
    case 'e': return ends(r);
    case 'i': r->out->kind = code_trap; return true;
    default: return false;
  }
}

static bool behind_0f(reader *r) {
  uint8_t opcode, byte;
  if (!next(r, &opcode)) return false;
  if (opcode == 0x38) return next(r, &opcode) && modrm(r, &byte);
  if (opcode == 0x3A) return next(r, &opcode) && modrm(r, &byte) && skip(r, 1);
  if (opcode == 0x1F) r->out->kind = code_nop;
  return operands(r, two_bytes[opcode], opcode);
}

static bool whole(reader *r) {
  uint8_t byte;
  for (;;) {
    if (!next(r, &byte)) return false;
    if (one_byte[byte] != 'p') break;
    r->is_short |= byte == 0x66;
    r->is_narrow |= byte == 0x67;
    r->is_locked |= byte == 0xF0;
    r->is_repeated |= byte == 0xF2 || byte == 0xF3;
  }
  // REX must be the last prefix.
  if ((byte & 0xF0) == 0x40) {
    r->rex = byte;
    if (!next(r, &byte)) return false;
  }
  // With these prefixes it is `pause` or `xchg`, which do something.
  if (byte == 0x90 && !r->is_repeated && !(r->rex & 1)) r->out->kind = code_nop;
  switch (byte) {
    case 0x0F: return behind_0f(r);
    case 0x62:
    case 0xC4:
    case 0xC5: return vectors(r, byte);
    default: return one_byte[byte] == 's' ? grouped(r, byte) : operands(r, one_byte[byte], byte);
  }
}

bool code_decode(const uint8_t *bytes, size_t count, code_instruction *out) {
  reader r = {.bytes = bytes, .count = count < code_longest ? count : code_longest, .out = out};
  memset(out, 0, sizeof *out);
  if (!whole(&r)) return false;
  out->length = (uint8_t)r.at;
  return true;
}
