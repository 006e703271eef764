// Made from EventSpec.table, and not by hand: `make build` makes it anew after a change there.
// What a flight recorder asks of each kind of record: by its number; 0 for a kind that there is not.
#ifndef COPTRACE_TRAITS_H
#define COPTRACE_TRAITS_H

#include <stdint.h>

#include "COpTraceFormat.h"

// Whether the record is carried on when its chunk is used again.
enum {
  optrace_carry_never,
  optrace_carry_while_unfinished,
  optrace_carry_since_suspended,
  optrace_carry_while_queue_exists,
  optrace_carry_until_ended,
  optrace_carry_while_span_open,
  optrace_carry_besides_beginning,
  optrace_carry_with_wait_before,
  optrace_carry_with_record_before,
  optrace_carry_while_waited,
  optrace_carry_while_newest,
  optrace_carry_while_referenced,
  optrace_carry_always,
};

// What lasts from one record to another.
enum {
  optrace_lasting_operation,
  optrace_lasting_block,
  optrace_lasting_task,
  optrace_lasting_queue,
  optrace_lasting_wait,
  optrace_lasting_queue_wait,
  optrace_lasting_blocked_wait,
  optrace_lasting_span,
};

// Whether the record is the first or the last of something that lasts.
enum {
  optrace_bound_none,
  optrace_bound_begins,
  optrace_bound_ends,
  optrace_bound_follows,
};

static const uint8_t optrace_carries[256] = {
  [optrace_kind_operation_created] = optrace_carry_while_unfinished,
  [optrace_kind_operation_named] = optrace_carry_while_unfinished,
  [optrace_kind_dependency_added] = optrace_carry_while_unfinished,
  [optrace_kind_dependency_removed] = optrace_carry_while_unfinished,
  [optrace_kind_enqueued] = optrace_carry_while_unfinished,
  [optrace_kind_ready] = optrace_carry_while_unfinished,
  [optrace_kind_started] = optrace_carry_while_unfinished,
  [optrace_kind_execution_began] = optrace_carry_while_unfinished,
  [optrace_kind_block_began] = optrace_carry_while_unfinished,
  [optrace_kind_block_ended] = optrace_carry_while_unfinished,
  [optrace_kind_execution_ended] = optrace_carry_while_unfinished,
  [optrace_kind_finished] = optrace_carry_while_unfinished,
  [optrace_kind_finish_seen] = optrace_carry_while_unfinished,
  [optrace_kind_finished_with_error] = optrace_carry_while_unfinished,
  [optrace_kind_finished_again] = optrace_carry_while_unfinished,
  [optrace_kind_start_returned] = optrace_carry_while_unfinished,
  [optrace_kind_cancel_requested] = optrace_carry_while_unfinished,
  [optrace_kind_released] = optrace_carry_while_unfinished,
  [optrace_kind_priority_changed] = optrace_carry_while_unfinished,
  [optrace_kind_quality_changed] = optrace_carry_while_unfinished,
  [optrace_kind_processor_time] = optrace_carry_with_record_before,
  [optrace_kind_added] = optrace_carry_while_unfinished,
  [optrace_kind_added_behind_last] = optrace_carry_while_unfinished,
  [optrace_kind_enqueued_ready] = optrace_carry_while_unfinished,
  [optrace_kind_depends_on_last] = optrace_carry_while_unfinished,
  [optrace_kind_started_began] = optrace_carry_while_unfinished,
  [optrace_kind_ended_finished] = optrace_carry_while_unfinished,
  [optrace_kind_wait_began] = optrace_carry_until_ended,
  [optrace_kind_queue_wait_began] = optrace_carry_until_ended,
  [optrace_kind_blocked] = optrace_carry_until_ended,
  [optrace_kind_unblocked] = optrace_carry_besides_beginning,
  [optrace_kind_signalled] = optrace_carry_with_wait_before,
  [optrace_kind_object_named] = optrace_carry_while_newest,
  [optrace_kind_wait_lasts] = optrace_carry_while_waited,
  [optrace_kind_stood_at] = optrace_carry_with_record_before,
  [optrace_kind_block_submitted] = optrace_carry_while_unfinished,
  [optrace_kind_run_began] = optrace_carry_while_unfinished,
  [optrace_kind_run_ended] = optrace_carry_while_unfinished,
  [optrace_kind_block_dropped] = optrace_carry_while_unfinished,
  [optrace_kind_dispatch_queue] = optrace_carry_while_referenced,
  [optrace_kind_task_created] = optrace_carry_while_unfinished,
  [optrace_kind_task_enqueued] = optrace_carry_since_suspended,
  [optrace_kind_task_queued] = optrace_carry_since_suspended,
  [optrace_kind_task_resumed] = optrace_carry_since_suspended,
  [optrace_kind_task_run] = optrace_carry_since_suspended,
  [optrace_kind_task_suspended] = optrace_carry_since_suspended,
  [optrace_kind_task_completed] = optrace_carry_while_unfinished,
  [optrace_kind_queue_created] = optrace_carry_while_queue_exists,
  [optrace_kind_queue_renamed] = optrace_carry_while_queue_exists,
  [optrace_kind_queue_suspended] = optrace_carry_while_queue_exists,
  [optrace_kind_queue_resumed] = optrace_carry_while_queue_exists,
  [optrace_kind_limit_changed] = optrace_carry_while_queue_exists,
  [optrace_kind_queue_quality_changed] = optrace_carry_while_queue_exists,
  [optrace_kind_queue_main_changed] = optrace_carry_while_queue_exists,
  [optrace_kind_queue_cancelled_all] = optrace_carry_while_queue_exists,
  [optrace_kind_queue_released] = optrace_carry_while_queue_exists,
  [optrace_kind_span_began] = optrace_carry_until_ended,
  [optrace_kind_span_context] = optrace_carry_while_span_open,
  [optrace_kind_span_attribute] = optrace_carry_while_span_open,
  [optrace_kind_span_status] = optrace_carry_while_span_open,
  [optrace_kind_span_link] = optrace_carry_while_span_open,
  [optrace_kind_span_named] = optrace_carry_while_span_open,
  [optrace_kind_submitted_within] = optrace_carry_while_unfinished,
  [optrace_kind_order] = optrace_carry_always,
  [optrace_kind_ordered] = optrace_carry_always,
  [optrace_kind_handover] = optrace_carry_always,
  [optrace_kind_orders] = optrace_carry_always,
  [optrace_kind_thread_begun] = optrace_carry_always,
};

typedef struct {
  uint8_t bound, of;
} optrace_bound;
static const optrace_bound optrace_bounds[256] = {
  [optrace_kind_operation_created] = {optrace_bound_begins, optrace_lasting_operation},
  [optrace_kind_finished] = {optrace_bound_ends, optrace_lasting_operation},
  [optrace_kind_finished_with_error] = {optrace_bound_ends, optrace_lasting_operation},
  [optrace_kind_released] = {optrace_bound_follows, optrace_lasting_operation},
  [optrace_kind_added] = {optrace_bound_begins, optrace_lasting_operation},
  [optrace_kind_added_behind_last] = {optrace_bound_begins, optrace_lasting_operation},
  [optrace_kind_ended_finished] = {optrace_bound_ends, optrace_lasting_operation},
  [optrace_kind_wait_began] = {optrace_bound_begins, optrace_lasting_wait},
  [optrace_kind_wait_ended] = {optrace_bound_ends, optrace_lasting_wait},
  [optrace_kind_queue_wait_began] = {optrace_bound_begins, optrace_lasting_queue_wait},
  [optrace_kind_queue_wait_ended] = {optrace_bound_ends, optrace_lasting_queue_wait},
  [optrace_kind_blocked] = {optrace_bound_begins, optrace_lasting_blocked_wait},
  [optrace_kind_unblocked] = {optrace_bound_ends, optrace_lasting_blocked_wait},
  [optrace_kind_block_submitted] = {optrace_bound_begins, optrace_lasting_block},
  [optrace_kind_run_ended] = {optrace_bound_ends, optrace_lasting_block},
  [optrace_kind_block_dropped] = {optrace_bound_ends, optrace_lasting_block},
  [optrace_kind_task_created] = {optrace_bound_begins, optrace_lasting_task},
  [optrace_kind_task_completed] = {optrace_bound_ends, optrace_lasting_task},
  [optrace_kind_queue_created] = {optrace_bound_begins, optrace_lasting_queue},
  [optrace_kind_queue_released] = {optrace_bound_ends, optrace_lasting_queue},
  [optrace_kind_span_began] = {optrace_bound_begins, optrace_lasting_span},
  [optrace_kind_span_ended] = {optrace_bound_ends, optrace_lasting_span},
};

#endif
