// Notifies companions of operations' events as they happen; see COpTrace.h.
#include "operation.h"

uint32_t optrace_companions_wanted;

// Written once, before the first companion is published.
static optrace_companion_calls calls;
static _Thread_local uint32_t notified;

void optrace_companions_use(const optrace_companion_calls *use) { calls = *use; }

void optrace_want_companions(bool wanted) { __atomic_store_n(&optrace_companions_wanted, wanted, __ATOMIC_RELEASE); }

// Objects have even addresses, so the lowest bit is free: it marks a companion that gets only the last notification.
static const uintptr_t is_muted = 1;

static void *companion_at(void *stored) { return (void *)((uintptr_t)stored & ~is_muted); }

void *optrace_operation_companion(const optrace_operation *operation) {
  return operation ? companion_at(atomic_load_explicit(&operation->companion, memory_order_acquire)) : NULL;
}

bool optrace_operation_accompany(optrace_operation *operation, void *companion, bool is_notified) {
  void *none = NULL;
  void *stored = (void *)((uintptr_t)companion | (is_notified ? 0 : is_muted));
  return operation && atomic_compare_exchange_strong_explicit(&operation->companion, &none, stored,
                                                              memory_order_acq_rel, memory_order_relaxed);
}

// The last notification. Exactly one caller sends it; afterwards the companion may be freed.
static bool is_last(uint8_t kind) {
  return kind == optrace_companion_left || kind == optrace_kind_released || kind == optrace_kind_queue_released;
}

void operation_notify(const optrace_operation *operation, uint8_t kind, const uint8_t *text, size_t length) {
  // Not worth a call: no companion uses them.
  if (kind == optrace_kind_execution_ended || kind == optrace_kind_start_returned) return;
  _Atomic(void *) *slot = &((optrace_operation *)operation)->companion;
  bool isLast = is_last(kind);
  void *stored = isLast ? atomic_exchange_explicit(slot, NULL, memory_order_acq_rel)
                        : atomic_load_explicit(slot, memory_order_acquire);
  if (!stored || (!isLast && (uintptr_t)stored & is_muted)) return;
  notified += 1;
  calls.notify(companion_at(stored), kind, text, length);
  notified -= 1;
}

bool optrace_companion_is_notified(void) { return notified; }

void optrace_operation_notify(const optrace_operation *operation, uint8_t kind, const uint8_t *text, size_t length) {
  if (operation && operation_has_companion(operation)) operation_notify(operation, kind, text, length);
}

void optrace_operation_run(const optrace_operation *operation, void (*body)(void *argument), void *argument) {
  void *companion = optrace_operation_companion(operation);
  if (companion) calls.run(companion, body, argument);
  else body(argument);
}
