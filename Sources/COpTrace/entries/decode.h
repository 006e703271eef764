// Decodes x86-64 instructions: their length, and what matters when they are moved to another address.
#ifndef OPTRACE_DECODE_H
#define OPTRACE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  code_plain,
  code_nop,
  code_trap,           // int3: padding between functions, or a debugger's breakpoint.
  code_jump,           // jmp rel8, rel32.
  code_branch,         // jcc rel8, rel32.
  code_loop,           // loop, jrcxz: only with rel8.
  code_call,           // call rel32.
  code_call_indirect,  // Through a register or memory.
  code_end,            // Execution does not continue behind it: ret, a jump through a register or memory, ud2.
} code_kind;

typedef struct {
  code_kind kind;
  uint8_t length;
  uint8_t condition;    // Of a branch: the low four bits of its opcode.
  uint8_t distance_at;  // The offset of a 4-byte displacement relative to rip; 0: none.
  int32_t to;           // The target of a jump, branch, loop or call, relative to the end of the instruction.
} code_instruction;

enum { code_longest = 15 };

// Reads at most `count` bytes. False: the instruction is unknown or incomplete. Instructions that programs rarely have are refused, so
// that what is returned is always right.
bool code_decode(const uint8_t *bytes, size_t count, code_instruction *out);

#endif
