// Written by hand, because nothing may come between: no prologue, no call of a library that is not loaded there.
#include "code.h"

#if OPTRACE_CAN_ATTACH
#include <stddef.h>

#include "../OpTracePreload/block.h"

#define AT(member) offsetof(attach_lease, member)
_Static_assert(AT(r15) == 0 && AT(r14) == 8 && AT(r13) == 16 && AT(r12) == 24 && AT(rbp) == 32 && AT(rbx) == 40 && AT(r10) == 48 &&
                 AT(r9) == 56 && AT(r8) == 64 && AT(rax) == 72 && AT(rdx) == 80 && AT(rsi) == 88 && AT(rdi) == 96 && AT(rip) == 104 &&
                 AT(flags) == 112 && AT(rsp) == 120 && AT(mask) == 128 && AT(vectors) == 136 && AT(errno_location) == 144 &&
                 AT(pthread_create) == 152 && AT(block) == 160 && AT(block_size) == 168 && AT(content) == 176 && AT(content_size) == 184,
               "the offsets below");
#define IN(member) offsetof(attached_block, member)
_Static_assert(IN(state) == 0 && IN(error) == 4 && IN(text_length) == 12 && IN(detach) == 16 && IN(open) == 24 && IN(find) == 32 &&
                 IN(complain) == 40 && IN(entry) == 64 && IN(path) == 96 && IN(text) == 96 + 1024 + 3072,
               "the offsets below");
_Static_assert(sizeof(attached_block) <= attached_block_size, "its room");
_Static_assert(attached_no_thread == 1 && attached_loading == 2 && attached_not_loaded == 3, "the states below");

__asm__(
  ".pushsection .rodata\n"
  ".globl attach_code_begin\n.hidden attach_code_begin\n"
  ".globl attach_code_end\n.hidden attach_code_end\n"
  ".p2align 4\n"
  "attach_code_begin:\n"
  // ---- The borrowed thread. rbx: its lease, right above rsp, which is a multiple of 64.
  "  mov 136(%rbx), %rdi\n"  // vectors
  "  mov $-1, %eax\n"
  "  mov $-1, %edx\n"
  "  xsave64 (%rdi)\n"
  "  call *144(%rbx)\n"  // errno_location
  "  mov %rax, %r13\n"
  "  mov (%rax), %r12d\n"
  // The block: mmap at that address, with MAP_PRIVATE, MAP_ANONYMOUS and MAP_FIXED_NOREPLACE.
  "  mov $9, %eax\n"
  "  mov 160(%rbx), %rdi\n"
  "  mov 168(%rbx), %rsi\n"
  "  mov $3, %edx\n"
  "  mov $0x100022, %r10d\n"
  "  mov $-1, %r8\n"
  "  xor %r9d, %r9d\n"
  "  syscall\n"
  "  mov %rax, %r14\n"
  "  cmp 160(%rbx), %rax\n"
  "  jne 2f\n"
  "  mov %rax, %rdi\n"
  "  mov 176(%rbx), %rsi\n"
  "  mov 184(%rbx), %rcx\n"
  "  rep movsb\n"
  // The thread.
  "  sub $16, %rsp\n"
  "  mov %rsp, %rdi\n"
  "  xor %esi, %esi\n"
  "  lea 5f(%rip), %rdx\n"
  "  mov %r14, %rcx\n"
  "  call *152(%rbx)\n"  // pthread_create
  "  add $16, %rsp\n"
  "  test %eax, %eax\n"
  "  jz 2f\n"
  "  mov %eax, 4(%r14)\n"
  "  movl $1, (%r14)\n"  // no_thread
  // Back: errno, signals, vectors, flags, registers.
  "2:\n"
  "  mov %r12d, (%r13)\n"
  "  mov $14, %eax\n"
  "  mov $2, %edi\n"
  "  lea 128(%rbx), %rsi\n"
  "  xor %edx, %edx\n"
  "  mov $8, %r10d\n"
  "  syscall\n"
  "  mov 136(%rbx), %rdi\n"
  "  mov $-1, %eax\n"
  "  mov $-1, %edx\n"
  "  xrstor64 (%rdi)\n"
  "  pushq 112(%rbx)\n"
  "  popfq\n"
  "  mov %rbx, %r11\n"
  "  mov 0(%r11), %r15\n"
  "  mov 8(%r11), %r14\n"
  "  mov 16(%r11), %r13\n"
  "  mov 24(%r11), %r12\n"
  "  mov 32(%r11), %rbp\n"
  "  mov 40(%r11), %rbx\n"
  "  mov 48(%r11), %r10\n"
  "  mov 56(%r11), %r9\n"
  "  mov 64(%r11), %r8\n"
  "  mov 72(%r11), %rax\n"
  "  mov 80(%r11), %rdx\n"
  "  mov 88(%r11), %rsi\n"
  "  mov 96(%r11), %rdi\n"
  "  mov 104(%r11), %rcx\n"
  // From here on a signal's handler may overwrite the lease.
  "  mov 120(%r11), %rsp\n"
  "  jmp *%rcx\n"
  // ---- The new thread. rdi: the block.
  "5:\n"
  "  push %rbx\n"
  "  mov %rdi, %rbx\n"
  "  movl $2, (%rbx)\n"  // loading
  "  mov %fs:16, %rdi\n"
  "  call *16(%rbx)\n"  // pthread_detach(pthread_self())
  "  lea 96(%rbx), %rdi\n"
  "  mov $2, %esi\n"  // RTLD_NOW
  "  call *24(%rbx)\n"  // dlopen
  "  test %rax, %rax\n"
  "  jz 6f\n"
  "  mov %rax, %rdi\n"
  "  lea 64(%rbx), %rsi\n"
  "  call *32(%rbx)\n"  // dlsym
  "  test %rax, %rax\n"
  "  jz 6f\n"
  "  mov %rbx, %rdi\n"
  "  call *%rax\n"
  "  jmp 9f\n"
  "6:\n"
  "  call *40(%rbx)\n"  // dlerror
  "  xor %ecx, %ecx\n"
  "  test %rax, %rax\n"
  "  jz 8f\n"
  "7:\n"
  "  mov (%rax,%rcx), %dl\n"
  "  test %dl, %dl\n"
  "  jz 8f\n"
  "  mov %dl, 4192(%rbx,%rcx)\n"  // text
  "  inc %ecx\n"
  "  cmp $4000, %ecx\n"
  "  jb 7b\n"
  "8:\n"
  "  mov %ecx, 12(%rbx)\n"  // text_length
  "  movl $3, (%rbx)\n"  // not_loaded
  "9:\n"
  "  xor %eax, %eax\n"
  "  pop %rbx\n"
  "  ret\n"
  "attach_code_end:\n"
  ".popsection\n");
#endif
