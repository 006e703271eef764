// What the recorder knows about an operation object.
#include "operation.h"

#include <stdlib.h>
#include <string.h>

#include "../base/filter.h"

optrace_operation *optrace_operation_create(void) {
  optrace_operation *operation = calloc(1, sizeof *operation);
  if (operation) operation->created = optrace_clock_ticks();
  return operation;
}

optrace_operation *optrace_operation_init_in(uint64_t *words) {
  optrace_operation *operation = (optrace_operation *)(void *)words;
  memset(operation, 0, sizeof *operation);
  operation->created = optrace_clock_ticks();
  return operation;
}

void optrace_operation_destroy(optrace_operation *operation) { free(operation); }

uint64_t optrace_operation_created(const optrace_operation *operation) { return operation->created; }

optrace_recorder *optrace_operation_recorder(const optrace_operation *operation) {
  return operation_recorder(operation);
}

uint32_t optrace_operation_serial(const optrace_operation *operation) {
  return operation ? atomic_load_explicit(&operation->serial, memory_order_acquire) : 0;
}

uint32_t optrace_operation_known(const optrace_operation *operation, const optrace_recorder *recorder) {
  // Not checked by `owner`, which is set a little before the description is written.
  if (!operation || atomic_load_explicit(&operation->recorder, memory_order_acquire) != recorder) return 0;
  uint32_t serial = atomic_load_explicit(&operation->serial, memory_order_acquire);
  // Checked again: another thread may have moved it in between.
  return atomic_load_explicit(&operation->recorder, memory_order_acquire) == recorder ? serial : 0;
}

optrace_recorder *optrace_operation_owner(const optrace_operation *operation) {
  return operation ? atomic_load_explicit(&operation->owner, memory_order_acquire) : NULL;
}

bool optrace_operation_attach(optrace_operation *operation, uint32_t serial) {
  uint32_t none = 0;
  if (!operation) return false;
  if (atomic_compare_exchange_strong(&operation->serial, &none, serial)) return true;
  // Another thread is writing the description. That takes a few instructions, and at most a new chunk.
  while (!atomic_load_explicit(&operation->owner, memory_order_acquire)) system_yield();
  return false;
}

void optrace_operation_move(optrace_operation *operation, optrace_recorder *recorder, uint32_t serial) {
  atomic_store_explicit(&operation->recorder, NULL, memory_order_release);
  atomic_store_explicit(&operation->serial, serial, memory_order_release);
  // Store the owner last: a thread that sees the new owner also sees the new number.
  atomic_store_explicit(&operation->owner, recorder, memory_order_release);
}

void optrace_operation_publish(optrace_operation *operation, optrace_recorder *recorder) {
  atomic_store_explicit(&operation->recorder, recorder, memory_order_release);
  // Last: whoever sees the owner records events.
  atomic_store_explicit(&operation->owner, recorder, memory_order_release);
}

bool optrace_operation_claim(optrace_operation *operation, uint32_t bit) {
  return operation && operation_claim(operation, bit);
}

bool optrace_operation_release(optrace_operation *operation, uint32_t bit) {
  return operation && (atomic_fetch_and_explicit(&operation->bits, ~bit, memory_order_acq_rel) & bit);
}

bool optrace_operation_turn(optrace_operation *operation, uint32_t bit, bool value) {
  if (!operation || !atomic_load_explicit(&operation->recorder, memory_order_relaxed)) return false;
  bool known = atomic_load_explicit(&operation->bits, memory_order_relaxed) & bit;
  if (known == value) return false;
  uint32_t before = value ? atomic_fetch_or_explicit(&operation->bits, bit, memory_order_acq_rel)
                          : atomic_fetch_and_explicit(&operation->bits, ~bit, memory_order_acq_rel);
  return value && !(before & bit);
}
