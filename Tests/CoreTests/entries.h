// Functions in assembly, a hook that notes all registers, and calls with given ones. On Linux.
#ifndef CORETESTS_ENTRIES_H
#define CORETESTS_ENTRIES_H

#include <stdint.h>

// ENTRY(name, "instructions"): `entries_name`, and the size that its symbol would tell.
#define ENTRY(name, code)                                                                                                  \
  __asm__(".pushsection .text\n.globl entries_" #name ", entries_end_of_" #name "\n.type entries_" #name ", %function\n"    \
          ".balign 16\nentries_" #name ":\n " code "\nentries_end_of_" #name ":\n.size entries_" #name ", .-entries_" #name  \
          "\n.balign 16\n.popsection\n");                                                                            \
  extern __attribute__((visibility("hidden"))) void entries_##name(void);                                                  \
  extern __attribute__((visibility("hidden"))) const char entries_end_of_##name[];
#define SIZE_OF(name) ((uint64_t)((uintptr_t)entries_end_of_##name - (uintptr_t)entries_##name))
#define IN_TABLE(name) {#name, entries_##name, entries_end_of_##name}

#pragma GCC visibility push(hidden)

#if defined(__aarch64__)
// x16 and x17 belong to nobody, x18 to the system; x30 leads back.
enum { number_first = 0, number_second = 1, number_stack = 31, general_count = 32, bytes_of_a_call = 0 };
#define IS_KEPT(number) ((number) < 16 || ((number) > 18 && (number) < 30))
#else
// In the order of their numbers.
enum { number_first = 7, number_second = 6, number_stack = 4, general_count = 16, bytes_of_a_call = 8 };
#define IS_KEPT(number) ((number) != number_stack)
#endif
typedef struct {
  uint64_t general[general_count];
  uint64_t vectors[16][2];
} machine_registers;

// Calls a function with these registers, and gives what it returns. `called_stack`: where the stack is at that call.
uint64_t call_with(void *function, const machine_registers *registers);
extern uint64_t called_stack;
extern const char behind_call[];

// Notes the registers and goes on to `hook_call`.
void hook(void);
extern void *hook_call;
extern machine_registers heard;
extern uint64_t heard_count, heard_caller;

// A library of one function, which adds, and that calls itself: in the middle, and at its end.
extern const char library_begin[], library_end[];
void library_function(void);
void library_calls(void);
void library_calls_last(void);
// Calls by a pointer what is not the library's, which ends with a jump to the function.
void library_calls_what_jumps(void);

// 64 functions alike, which add, each of 16 bytes.
void alike(void);
// What calls each of them by name, of 16 bytes, too; so many bytes of it are before the return address.
void calls_alike(void);
#if defined(__aarch64__)
enum { bytes_until_return = 8 };
#else
enum { bytes_until_return = 9 };
#endif

// What functions name.
extern uint64_t entries_value;
extern void *entries_pointer;

#pragma GCC visibility pop

#endif
