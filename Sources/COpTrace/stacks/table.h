// A table that stores each different stack once, under a number.
#ifndef OPTRACE_STACK_TABLE_H
#define OPTRACE_STACK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unloaded.h"

typedef struct stack_table stack_table;

enum { stack_table_deepest = 255 };

// `stacks` and `bytes`: the most stacks and the most bytes of them; only what is used takes memory. Null: memory is out, or stacks are
// not walked on this system. A forked child finds the table empty. Each recorder has one.
stack_table *stack_table_create(uint32_t stacks, size_t bytes);
void stack_table_destroy(stack_table *table);

// The number of a stack. It is the same for the same addresses and the same `guessed` (see `stack_walk`). 0: there is no room (which is
// counted), or the stack is empty. `is_new`: true for exactly one caller, which must describe the stack; others may use the number
// before it is described. Takes no lock and allocates nothing; any number of threads may call it.
uint32_t stack_table_add(stack_table *table, const uint64_t *pcs, size_t count, size_t guessed, bool *is_new);
// The addresses of a stack, which never move. Null: there is none with this number.
const uint64_t *stack_table_get(const stack_table *table, uint32_t number, size_t *count, size_t *guessed);
// A number that the caller stores with a stack; 0: not set yet.
uint32_t stack_table_value(const stack_table *table, uint32_t number);
void stack_table_set_value(stack_table *table, uint32_t number, uint32_t value);
// Modules were unloaded: forgets the values of stacks with their addresses. O(stacks).
void stack_table_forget_values(stack_table *table, const unloaded_modules *unloaded);
// The same for stacks that mean what was loaded when they were added: these end. Their numbers stay, with the time that their addresses
// belong to (on the monotonic clock; 0: it has not ended), and the same addresses get another number from now on. Their values are the
// generations of modules in which they were added, plus one: what was added since the modules were unloaded does not end.
void stack_table_end(stack_table *table, const unloaded_modules *unloaded);
uint64_t stack_table_ended(const stack_table *table, uint32_t number);
// How many stacks there are, and how many found no room.
uint32_t stack_table_count(const stack_table *table);
uint64_t stack_table_lost(const stack_table *table);

#endif
