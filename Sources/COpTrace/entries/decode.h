// Lengths of x86-64 instructions, and what matters when they are moved.
#ifndef OPTRACE_DECODE_H
#define OPTRACE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  code_plain,
  code_nop,
  code_trap,           // int3: filling between functions, or a debugger's.
  code_jump,           // jmp rel8, rel32.
  code_branch,         // jcc rel8, rel32.
  code_loop,           // loop, jrcxz: only with rel8.
  code_call,           // call rel32.
  code_call_indirect,  // Through a register or memory.
  code_end,            // What is behind is not reached: ret, a jump through a register or memory, ud2.
} code_kind;

typedef struct {
  code_kind kind;
  uint8_t length;
  uint8_t condition;    // Of a branch: the low four bits of its opcode.
  uint8_t distance_at;  // Where four bytes stand that are relative to rip; 0: none.
  int32_t to;           // Of a jump, branch, loop or call: from the end of the instruction.
} code_instruction;

enum { code_longest = 15 };

// Reads no more than `count` bytes. False: not known, or not whole. What is told is right; what a program rarely has is refused.
bool code_decode(const uint8_t *bytes, size_t count, code_instruction *out);

#endif
