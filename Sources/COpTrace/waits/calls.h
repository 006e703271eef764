// Words for system calls in which threads wait, for people.
#ifndef OPTRACE_WAITS_CALLS_H
#define OPTRACE_WAITS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "COpTraceFormat.h"
#include "COpTraceFields.h"

typedef enum {
  call_poll, call_select, call_accept, call_connect, call_recv, call_send, call_read, call_write, call_flock, call_child, call_lookup,
} waiting_call;

enum { call_without_file = 0xFFFFFFF };

// Stands for a call and its descriptor (of `call_child`: the process) as if it were an address. No object of a program has such an address.
static inline uint64_t call_object(waiting_call call, uint32_t file) {
  const uint64_t above_programs = 1ull << 47;
  uint64_t address = above_programs | (uint64_t)call << 28 | (file & call_without_file);
  return optrace_unblocked_word1((optrace_unblocked_fields){.object = address, .kind = optrace_object_call});
}

// Whether the call's descriptor never waits (O_NONBLOCK): what took long then was that the thread had no processor. `errno` stays.
bool call_never_waits(uint64_t object);

// Writes what the call does, such as `recv from 127.0.0.1:5432`. Returns the length. Call it only while the thread is in the call.
// `detail`: of `call_connect` the address of its `sockaddr`, of `call_lookup` that of the host's name; else 0.
// Takes some system calls, which are left out if a filter may forbid them.
size_t call_words(uint64_t object, uint64_t detail, char *out, size_t size);

#endif
