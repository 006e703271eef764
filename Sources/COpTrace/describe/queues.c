// Queues when the recorder first sees them, and their barrier blocks.
#include <pthread.h>
#include <string.h>

#include "COpTraceBegin.h"
#include "COpTraceFields.h"
#include "introduce.h"
#include "../held/work.h"
#include "../base/own_lock.h"
#include "../objects/readers.h"

// ---- Descriptions --------------------------------------------------------------------------------------------------

static int32_t clamped(int64_t value) { return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value; }

static void record(optrace_recorder *core, uint32_t number, const optrace_queue_answers *seen) {
  static const char default_name[] = "NSOperationQueue 0x";
  enum { length_of_default = sizeof default_name - 1 };
  optrace_queue_created_fields fields = {
    .limit = clamped(seen->limit), .qos = seen->quality, .main = seen->is_main, .suspended = seen->is_suspended};
  uint32_t stack = optrace_caller_stack(core);
  // Foundation's default name of a queue is its address, which is of no use in a trace.
  bool is_given = seen->name_length < length_of_default || memcmp(seen->name, default_name, length_of_default) != 0;
  optrace_emit_text_at(core, optrace_kind_queue_created, number, optrace_queue_created_high(fields), true,
                       optrace_queue_created_word2(fields), seen->name,
                       is_given ? optrace_text_length(seen->name, seen->name_length) : 0, stack);
}

// Held only while a queue gets its number in a recorder.
static pthread_mutex_t introducing = PTHREAD_MUTEX_INITIALIZER;

typedef struct {
  optrace_recorder *core;
  optrace_operation *entry;
  uint32_t number;
} meeting;

// The getters were called before the lock is taken: where there are no hooks, overrides of them are the program's code.
static void take_queue(void *context, const optrace_queue_answers *seen) {
  meeting *m = context;
  own_lock(&introducing);
  m->number = optrace_operation_known(m->entry, m->core);
  if (!m->number) {
    m->number = optrace_recorder_next_queue(m->core);
    optrace_operation_move(m->entry, m->core, m->number);
    record(m->core, m->number, seen);
    optrace_operation_publish(m->entry, m->core);
  }
  pthread_mutex_unlock(&introducing);
}

uint32_t optrace_queue_introduce(optrace_recorder *core, void *queue, optrace_operation *entry) {
  uint32_t known = optrace_operation_known(entry, core);
  if (known || !entry) return known;
  meeting m = {core, entry, 0};
  readers.ask_queue(queue, &m, take_queue);
  return m.number;
}

void optrace_queue_changes(const optrace_operation *entry, uint8_t kind, int64_t number, const uint8_t *text, size_t length) {
  if (kind == optrace_kind_limit_changed) optrace_operation_notify(entry, kind, (const uint8_t *)&number, sizeof number);
  else optrace_operation_notify(entry, kind, text, length);
}

// ---- Barrier blocks ------------------------------------------------------------------------------------------------

uint32_t optrace_barrier_add(optrace_recorder *core, optrace_operation *barrier, uint64_t function, void *queue,
                             optrace_operation *queue_entry) {
  uint32_t number = optrace_queue_introduce(core, queue, queue_entry);
  if (!number) return 0;
  uint32_t class = shown_class(core, "Barrier", function), serial = optrace_recorder_next_serial(core);
  if (!serial || !optrace_operation_attach(barrier, serial)) return 0;
  optrace_operation_created_fields created = {.class_ = (uint16_t)class, .coverage = coverage_full};
  optrace_emit2(core, optrace_kind_operation_created, serial, optrace_operation_created_word1(created));
  optrace_enqueued_fields enqueued = {.queue = number, .barrier = true};
  held_work_is_given(serial, number, optrace_held_slot, 0);
  optrace_emit2_at(core, optrace_kind_enqueued, serial, optrace_enqueued_word1(enqueued), optrace_caller_stack(core));
  optrace_record_within(core, serial);
  optrace_operation_publish(barrier, core);
  if (optrace_wants_companions() && readers.accompany) readers.accompany(NULL, barrier, serial, queue, queue_entry);
  return serial;
}

void optrace_barrier_begins(optrace_operation *barrier) {
  optrace_run_start(barrier, true);
  optrace_run_begin(barrier);
  optrace_frame_set_phase(optrace_phase_block);
}

void optrace_barrier_ends(optrace_operation *barrier) {
  optrace_frame_set_phase(optrace_phase_executing);
  optrace_run_finish(barrier);
  optrace_run_return(barrier);
}

void optrace_barrier_is_released(optrace_operation *barrier, bool has_run) {
  if (!has_run) {
    optrace_operation_event(barrier, optrace_kind_cancel_requested);
    optrace_operation_event(barrier, optrace_kind_finished);
  }
  if (!optrace_operation_is_silent(barrier)) optrace_operation_event(barrier, optrace_kind_released);
}

// ---- Completion blocks ---------------------------------------------------------------------------------------------

bool optrace_completion_is_queued(const optrace_operation *operation, optrace_completion *completion) {
  *completion = (optrace_completion){optrace_operation_recorder(operation), optrace_operation_serial(operation)};
  if (!completion->recorder) return false;
  optrace_operation_event(operation, optrace_kind_completion_queued);
  return true;
}

void optrace_completion_begins(optrace_completion completion) {
  optrace_emit1(completion.recorder, optrace_kind_completion_began, completion.serial);
}

void optrace_completion_ends(optrace_completion completion) {
  optrace_emit1(completion.recorder, optrace_kind_completion_ended, completion.serial);
}
