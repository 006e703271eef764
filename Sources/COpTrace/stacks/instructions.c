#include "instructions.h"

#include <string.h>

#include "modules.h"
#include "peek.h"
#include "supported.h"

#if OPTRACE_STACKS

bool is_behind_call(uint64_t address, uint64_t *target) {
  *target = 0;
  if (!module_has_code(address - 1)) return false;
#if defined(__x86_64__)
  uint8_t b[7];
  if (!peek_all(address - 7, b, 7)) return false;
  if (b[2] == 0xE8) {
    int32_t offset;
    memcpy(&offset, b + 3, 4);
    uint64_t to = address + (uint64_t)(int64_t)offset;
    if (module_has_code(to)) {
      *target = to;
      return true;
    }
  }
  // FF /2 and the ways to encode its target: a register, memory, with a SIB byte, with a displacement of one or four bytes.
  if (b[5] == 0xFF && ((b[6] & 0xF8) == 0xD0 || ((b[6] & 0xF8) == 0x10 && (b[6] & 7) != 4 && (b[6] & 7) != 5)))
    return true;
  if (b[4] == 0xFF && (b[5] == 0x14 || ((b[5] & 0xF8) == 0x50 && (b[5] & 7) != 4))) return true;
  if (b[3] == 0xFF && b[4] == 0x54) return true;
  if (b[1] == 0xFF && (b[2] == 0x15 || ((b[2] & 0xF8) == 0x90 && (b[2] & 7) != 4))) return true;
  return b[0] == 0xFF && b[1] == 0x94;
#else
  uint32_t instruction;
  if (address % 4 || !peek_all(address - 4, &instruction, 4)) return false;
  if ((instruction & 0xFC000000) == 0x94000000) {
    *target = address - 4 + (uint64_t)((int64_t)(int32_t)(instruction << 6) >> 4);
    return true;
  }
  return (instruction & 0xFEFFF800) == 0xD63F0800 || (instruction & 0xFFFFFC1F) == 0xD63F0000;
#endif
}

bool leads_to(uint64_t target, uint64_t function) {
  if (!target) return false;
  if (target == function) return true;
#if defined(__x86_64__)
  uint8_t b[16];
  if (!peek_all(target, b, sizeof b)) return false;
  size_t at = memcmp(b, "\xF3\x0F\x1E\xFA", 4) == 0 ? 4 : 0;
  if (b[at] == 0xF2) at++;
  if (b[at] != 0xFF || b[at + 1] != 0x25) return false;
  int32_t offset;
  memcpy(&offset, b + at + 2, 4);
  uint64_t to;
  return peek_all(target + at + 6 + (uint64_t)(int64_t)offset, &to, 8) && to == function;
#else
  // adrp x16; ldr x17, [x16, #...]; add; br x17. With branch protection `bti c` comes first.
  uint32_t code[3];
  uint64_t to;
  if (!peek_all(target, code, sizeof code)) return false;
  if (code[0] == 0xD503245F && !peek_all(target += 4, code, sizeof code)) return false;
  if ((code[0] & 0x9F00001F) != 0x90000010 || (code[1] & 0xFFC003FF) != 0xF9400211) return false;
  uint64_t pages = (code[0] >> 3 & 0x1FFFFC) | (code[0] >> 29 & 3);
  uint64_t page = (target & ~0xFFFull) + ((uint64_t)((int64_t)(pages << 43) >> 43) << 12);
  return peek_all(page + (code[1] >> 10 & 0xFFF) * 8, &to, 8) && to == function;
#endif
}

bool frame_below_bp(uint64_t function, uint64_t address, uint64_t *bytes) {
#if defined(__x86_64__)
  enum { longest = 4 + 4 + 6 * 2 + 7 };
  uint8_t code[longest];
  if (!function || address < function || !peek_all(function, code, sizeof code)) return false;
  const uint8_t *at = memcmp(code, "\xF3\x0F\x1E\xFA", 4) == 0 ? code + 4 : code;
  // push %rbp; mov %rsp,%rbp
  if (memcmp(at, "\x55\x48\x89\xE5", 4) != 0) return false;
  at += 4;
  *bytes = 0;
  for (int i = 0; i < 6; i++) {
    size_t wide = *at == 0x41;
    if ((at[wide] & 0xF8) != 0x50) break;
    at += wide + 1;
    *bytes += 8;
  }
  // sub $…,%rsp. Without it the frame consists only of the pushed registers.
  int32_t room = 0;
  if (memcmp(at, "\x48\x83\xEC", 3) == 0) room = (int8_t)at[3];
  else if (memcmp(at, "\x48\x81\xEC", 3) == 0) memcpy(&room, at + 3, 4);
  if (room < 0 || address - function < (uint64_t)(at - code)) return false;
  *bytes += (uint64_t)room;
  return true;
#else
  (void)function, (void)address, (void)bytes;
  return false;
#endif
}

bool leaves_signal(uint64_t pc) {
#if defined(__aarch64__)
  // mov x8, #__NR_rt_sigreturn; svc #0
  uint32_t code[2];
  return peek_all(pc, code, sizeof code) && code[0] == 0xD2801168 && code[1] == 0xD4000001;
#else
  // On this system that code has an unwind rule.
  (void)pc;
  return false;
#endif
}

#endif
