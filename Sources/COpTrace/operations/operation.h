// What the recorder knows about an operation object.
#ifndef OPTRACE_OPERATION_H
#define OPTRACE_OPERATION_H

#include <stdatomic.h>

#include "../base/likely.h"
#include "COpTrace.h"

struct optrace_operation {
  _Atomic(optrace_recorder *) recorder;  // Null until the operation has been described.
  _Atomic(optrace_recorder *) owner;
  _Atomic uint32_t serial;
  _Atomic uint32_t bits;
  uint64_t created;
  // Only for objects of classes that are not ours; see objects/objects.c.
  _Atomic(const void *) object;
  _Atomic uint32_t next, next_free;
  uint32_t number;
  uint32_t made;  // The stack that created it; see records/stack_ids.c.
  _Atomic(void *) companion;
};

_Static_assert(sizeof(struct optrace_operation) == 8 * optrace_operation_words, "callers make room for it");
_Static_assert(offsetof(struct optrace_operation, recorder) == 0, "`optrace_operation_is_silent` reads it");
_Static_assert(offsetof(struct optrace_operation, bits) == 20, "`optrace_operation_has` reads them");

static inline optrace_recorder *operation_recorder(const optrace_operation *operation) {
  return operation ? atomic_load_explicit(&operation->recorder, memory_order_acquire) : NULL;
}

// `optrace_operation_claim` for a pointer that is not null.
static inline bool operation_claim(optrace_operation *operation, uint32_t bit) {
  return !(atomic_fetch_or_explicit(&operation->bits, bit, memory_order_acq_rel) & bit);
}

// Notifies its companion, if it has one.
void operation_notify(const optrace_operation *operation, uint8_t kind, const uint8_t *text, size_t length);
static inline bool operation_has_companion(const optrace_operation *operation) {
  return unlikely(atomic_load_explicit(&operation->companion, memory_order_relaxed) != NULL);
}

#endif
