// The assembly that the tests of entries need: see entries.h.
#if defined(__linux__) && defined(__x86_64__)
#include "entries.h"

uint64_t called_stack, heard_count, heard_caller;
machine_registers heard;
void *hook_call;
static __attribute__((used)) void *called;

uint64_t entries_value = 4711;
extern __attribute__((visibility("hidden"))) void entries_plain(void);
void *entries_pointer = entries_plain;

#define EACH_REGISTER(move)                                                                                          \
  move(rcx, 1) move(rdx, 2) move(rbx, 3) move(rbp, 5) move(rsi, 6) move(rdi, 7) move(r8, 8) move(r9, 9)              \
    move(r10, 10) move(r11, 11) move(r12, 12) move(r13, 13) move(r14, 14) move(r15, 15)
#define EACH_VECTOR(move)                                                                                            \
  move(0) move(1) move(2) move(3) move(4) move(5) move(6) move(7)                                                    \
    move(8) move(9) move(10) move(11) move(12) move(13) move(14) move(15)
#define LOAD(name, number) "  mov 8*" #number "(%rax), %" #name "\n"
#define LOAD_VECTOR(number) "  movups 128+16*" #number "(%rax), %xmm" #number "\n"
#define NOTE(name, number) "  mov %" #name ", 8*" #number "+heard(%rip)\n"
#define NOTE_VECTOR(number) "  movups %xmm" #number ", 128+16*" #number "+heard(%rip)\n"

__attribute__((naked)) uint64_t call_with(void *function, const machine_registers *registers) {
  __asm__(
    "  push %rbx\n  push %rbp\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n  sub $8, %rsp\n"
    "  mov %rdi, called(%rip)\n  mov %rsp, called_stack(%rip)\n  mov %rsi, %rax\n" EACH_VECTOR(LOAD_VECTOR) EACH_REGISTER(LOAD)
    "  mov (%rax), %rax\n  call *called(%rip)\n"
    ".globl behind_call\nbehind_call:\n"
    "  add $8, %rsp\n  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbp\n  pop %rbx\n  ret\n");
}

// Leaves all registers as they are.
__attribute__((naked)) void hook(void) {
  __asm__(NOTE(rax, 0) EACH_REGISTER(NOTE) NOTE(rsp, 4) EACH_VECTOR(NOTE_VECTOR)
          "  push (%rsp)\n  pop heard_caller(%rip)\n  incq heard_count(%rip)\n  jmp *hook_call(%rip)\n");
}

__asm__(
  ".pushsection .text\n.globl library_begin, library_end, library_function, library_calls, library_calls_last, alike\n"
  ".balign 16\nlibrary_begin:\nlibrary_function:\n  lea (%rdi,%rsi), %rax\n  nop\n  ret\n"
  ".balign 16\nlibrary_calls:\n  sub $8, %rsp\n  call library_function\n  add $10, %rax\n  add $8, %rsp\n  ret\n"
  // Its return address is where the library ends.
  ".balign 16\nlibrary_calls_last:\n  call library_function\nlibrary_end:\n  ret\n"
  ".balign 16\nalike:\n.rept 64\n.balign 16, 0xCC\n  mov %rdi, %rax\n  add %rsi, %rax\n  ret\n.endr\n.balign 16, 0xCC\n"
  ".popsection\n");

#else

typedef int no_entries_are_tested_here;

#endif
