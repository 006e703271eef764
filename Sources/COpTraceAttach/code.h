// The code that a borrowed thread and the new thread run in the other process.
#ifndef OPTRACE_ATTACH_CODE_H
#define OPTRACE_ATTACH_CODE_H

#include <stdint.h>

#if defined(__linux__) && defined(__x86_64__)
#define OPTRACE_CAN_ATTACH 1
#else
#define OPTRACE_CAN_ATTACH 0
#endif

// What the borrowed thread needs. It is on its own stack, below everything that the program has there.
typedef struct {
  // Its registers when it goes on. `rip` is where it makes its system call again, `rax` the call's number. Neither rcx nor r11, which a
  // system call changes.
  uint64_t r15, r14, r13, r12, rbp, rbx, r10, r9, r8, rax, rdx, rsi, rdi, rip, flags, rsp;
  uint64_t mask;           // The signals that it blocks.
  uint64_t vectors;        // Room for its other registers.
  uint64_t errno_location, pthread_create;
  uint64_t block, block_size, content, content_size;
} attach_lease;

extern const uint8_t attach_code_begin[], attach_code_end[];

#endif
