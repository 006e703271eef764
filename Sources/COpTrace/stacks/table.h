// A table that stores each stack once, and gives it a number.
#ifndef OPTRACE_STACK_TABLE_H
#define OPTRACE_STACK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stack_table stack_table;

enum { stack_table_deepest = 255 };

// Room for so many stacks and so many bytes of them; only what is used takes memory. Null: there is no memory, or this system has
// no stack walks. A forked child finds it empty. One per recorder.
stack_table *stack_table_create(uint32_t stacks, size_t bytes);
void stack_table_destroy(stack_table *table);

// The number of a stack: the same for the same addresses and the same `guessed` (see `stack_walk`). 0: there is no room (which is
// counted), or the stack is empty. `is_new`: true for exactly one caller, who describes the stack; others may use the number
// before that. Takes no lock and no memory; any number of threads.
uint32_t stack_table_add(stack_table *table, const uint64_t *pcs, size_t count, size_t guessed, bool *is_new);
// The addresses of a stack, which never move. Null: there is none with this number.
const uint64_t *stack_table_get(const stack_table *table, uint32_t number, size_t *count, size_t *guessed);
// A number that the user keeps with a stack; 0: not set yet.
uint32_t stack_table_value(const stack_table *table, uint32_t number);
void stack_table_set_value(stack_table *table, uint32_t number, uint32_t value);
// How many stacks there are, and how many found no room.
uint32_t stack_table_count(const stack_table *table);
uint64_t stack_table_lost(const stack_table *table);

#endif
