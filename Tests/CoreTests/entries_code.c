// The assembly that the tests of entries need: see entries.h.
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include "entries.h"

#include "../../Sources/COpTrace/entries/entries.h"
#include "harness.h"

// An emulator has threads of its own.
__attribute__((constructor)) static void allow_threads(void) { entries_allow_threads(is_emulated()); }

uint64_t called_stack, heard_count, heard_caller;
machine_registers heard;
void *hook_call;

uint64_t entries_value = 4711;
extern __attribute__((visibility("hidden"))) void entries_plain(void);
void *entries_pointer = entries_plain;

#if defined(__x86_64__)
#define EACH_REGISTER(move)                                                                                          \
  move(rcx, 1) move(rdx, 2) move(rbx, 3) move(rbp, 5) move(rsi, 6) move(rdi, 7) move(r8, 8) move(r9, 9)              \
    move(r10, 10) move(r11, 11) move(r12, 12) move(r13, 13) move(r14, 14) move(r15, 15)
#define EACH_VECTOR(move)                                                                                            \
  move(0) move(1) move(2) move(3) move(4) move(5) move(6) move(7)                                                    \
    move(8) move(9) move(10) move(11) move(12) move(13) move(14) move(15)
static __attribute__((used)) void *called;

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
  ".pushsection .text\n.globl library_begin, library_end, library_function, library_calls, library_calls_last\n"
  ".globl library_calls_what_jumps, alike, calls_alike\n"
  ".balign 16\nlibrary_begin:\nlibrary_function:\n  lea (%rdi,%rsi), %rax\n  nop\n  ret\n"
  ".balign 16\nlibrary_calls:\n  sub $8, %rsp\n  call library_function\n  add $10, %rax\n  add $8, %rsp\n  ret\n"
  // Its return address is where the library ends.
  ".balign 16\nlibrary_calls_what_jumps:\n  sub $8, %rsp\n  lea jumps_there(%rip), %rax\n  call *%rax\n  add $8, %rsp\n  ret\n"
  ".balign 16\nlibrary_calls_last:\n  call library_function\nlibrary_end:\n  ret\n"
  ".balign 16\njumps_there:\n  jmp library_function\n"
  ".balign 16\ncalls_alike:\n.set place, 0\n.rept 64\n.balign 16, 0xCC\n  sub $8, %rsp\n  call alike + place\n"
  "  add $8, %rsp\n  ret\n.set place, place + 16\n.endr\n"
  ".balign 16\nalike:\n.rept 64\n.balign 16, 0xCC\n  mov %rdi, %rax\n  add %rsi, %rax\n  ret\n.endr\n.balign 16, 0xCC\n"
  ".popsection\n");

#else

// Pairs of registers from one place on, by an instruction that loads or stores them.
#define GENERAL_PAIRS(with)                                                                                              \
  "  " with " x0, x1, [x16]\n  " with " x2, x3, [x16, #16]\n  " with " x4, x5, [x16, #32]\n  " with " x6, x7, [x16, #48]\n"    \
  "  " with " x8, x9, [x16, #64]\n  " with " x10, x11, [x16, #80]\n  " with " x12, x13, [x16, #96]\n"                       \
  "  " with " x14, x15, [x16, #112]\n  " with " x20, x21, [x16, #160]\n  " with " x22, x23, [x16, #176]\n"                  \
  "  " with " x24, x25, [x16, #192]\n  " with " x26, x27, [x16, #208]\n  " with " x28, x29, [x16, #224]\n"
#define VECTOR_PAIRS(with)                                                                                               \
  "  " with " q0, q1, [x16, #256]\n  " with " q2, q3, [x16, #288]\n  " with " q4, q5, [x16, #320]\n"                        \
  "  " with " q6, q7, [x16, #352]\n  " with " q8, q9, [x16, #384]\n  " with " q10, q11, [x16, #416]\n"                      \
  "  " with " q12, q13, [x16, #448]\n  " with " q14, q15, [x16, #480]\n"
#define ADDRESS(name) "  adrp x16, " #name "\n  add x16, x16, :lo12:" #name "\n"

__asm__(
  ".pushsection .text\n.globl call_with, behind_call, hook\n.balign 16\n.type call_with, %function\ncall_with:\n"
  "  stp x29, x30, [sp, #-160]!\n  stp x19, x20, [sp, #16]\n  stp x21, x22, [sp, #32]\n  stp x23, x24, [sp, #48]\n"
  "  stp x25, x26, [sp, #64]\n  stp x27, x28, [sp, #80]\n  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n"
  "  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n" ADDRESS(called_stack)
  "  mov x9, sp\n  str x9, [x16]\n  mov x17, x0\n  mov x16, x1\n" VECTOR_PAIRS("ldp")
  "  ldr x19, [x16, #152]\n" GENERAL_PAIRS("ldp")
  "  blr x17\n"
  "behind_call:\n"
  "  ldp x19, x20, [sp, #16]\n  ldp x21, x22, [sp, #32]\n  ldp x23, x24, [sp, #48]\n  ldp x25, x26, [sp, #64]\n"
  "  ldp x27, x28, [sp, #80]\n  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n"
  "  ldp d14, d15, [sp, #144]\n  ldp x29, x30, [sp], #160\n  ret\n"
  ".size call_with, .-call_with\n.balign 16\n.type hook, %function\nhook:\n" ADDRESS(heard) GENERAL_PAIRS("stp")
  "  str x19, [x16, #152]\n" VECTOR_PAIRS("stp") "  mov x17, sp\n  str x17, [x16, #248]\n" ADDRESS(heard_caller)
  "  str x30, [x16]\n" ADDRESS(heard_count) "  ldr x17, [x16]\n  add x17, x17, #1\n  str x17, [x16]\n" ADDRESS(hook_call)
  "  ldr x16, [x16]\n  br x16\n.size hook, .-hook\n.popsection\n");

__asm__(
  ".pushsection .text\n.globl library_begin, library_end, library_function, library_calls, library_calls_last\n"
  ".globl library_calls_what_jumps, alike, calls_alike\n"
  ".balign 16\nlibrary_begin:\nlibrary_function:\n  add x0, x0, x1\n  ret\n"
  ".balign 16\nlibrary_calls:\n  str x30, [sp, #-16]!\n  bl library_function\n  add x0, x0, #10\n  ldr x30, [sp], #16\n  ret\n"
  ".balign 16\nlibrary_calls_what_jumps:\n  str x30, [sp, #-16]!\n  adr x16, jumps_there\n  blr x16\n  ldr x30, [sp], #16\n"
  "  ret\n"
  ".balign 16\njumps_there:\n  b library_function\n"
  ".balign 16\ncalls_alike:\n.set place, 0\n.rept 64\n.balign 16\n  str x30, [sp, #-16]!\n  bl alike + place\n"
  "  ldr x30, [sp], #16\n  ret\n.set place, place + 16\n.endr\n"
  ".balign 16\nlibrary_calls_last:\n  str x30, [sp, #-16]!\n  bl library_function\nlibrary_end:\n  ldr x30, [sp], #16\n  ret\n"
  ".balign 16\nalike:\n.rept 64\n.balign 16\n  add x0, x0, x1\n  ret\n.endr\n.balign 16\n.popsection\n");

#endif

#else

typedef int no_entries_are_tested_here;

#endif
