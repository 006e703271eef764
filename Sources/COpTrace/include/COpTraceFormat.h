// Made from Sources/OpTraceFormat, and not by hand: after a change there, run
//     OPTRACE_UPDATE_FORMAT=1 swift test --filter OpTraceFormatTests
#ifndef COPTRACE_FORMAT_H
#define COPTRACE_FORMAT_H

enum {
  optrace_chunk_size = 64,
  optrace_chunk_magic = 1262702671,
  optrace_chunk_byte_count = 4,
  optrace_chunk_sequence = 8,
  optrace_chunk_base_ticks = 16,
  optrace_chunk_thread = 24,
  optrace_chunk_kind = 28,
  optrace_chunk_fill = 32,
  optrace_chunk_state = 36,
  optrace_chunk_checksum = 40,
};

enum {
  optrace_chunk_kind_events = 0,
  optrace_chunk_kind_definitions = 1,
  optrace_chunk_kind_carried = 2,
};

enum {
  optrace_chunk_state_open = 1,
  optrace_chunk_state_retired = 2,
  optrace_chunk_state_sealed = 3,
  optrace_chunk_state_recycling = 4,
};

enum {
  optrace_file_clock_monotonic = 0,
  optrace_file_clock_counter = 1,
};

enum {
  optrace_kind_ready = 0x01,
  optrace_kind_started = 0x02,
  optrace_kind_execution_began = 0x03,
  optrace_kind_execution_ended = 0x04,
  optrace_kind_finished = 0x05,
  optrace_kind_released = 0x06,
  optrace_kind_cancel_requested = 0x07,
  optrace_kind_finished_again = 0x08,
  optrace_kind_start_returned = 0x09,
  optrace_kind_wait_began = 0x0A,
  optrace_kind_wait_ended = 0x0B,
  optrace_kind_queue_wait_began = 0x0C,
  optrace_kind_queue_wait_ended = 0x0D,
  optrace_kind_queue_suspended = 0x0E,
  optrace_kind_queue_resumed = 0x0F,
  optrace_kind_queue_cancelled_all = 0x10,
  optrace_kind_span_ended = 0x11,
  optrace_kind_queue_released = 0x12,
  optrace_kind_finish_seen = 0x13,
  optrace_kind_stood_at = 0x14,
  optrace_kind_run_began = 0x15,
  optrace_kind_run_ended = 0x16,
  optrace_kind_block_dropped = 0x17,
  optrace_kind_task_run = 0x1C,
  optrace_kind_task_completed = 0x1D,
  optrace_kind_completion_queued = 0x1E,
  optrace_kind_completion_began = 0x1F,
  optrace_kind_completion_ended = 0x20,
  optrace_kind_started_began = 0x21,
  optrace_kind_ended_finished = 0x22,
  optrace_kind_depends_on_last = 0x23,
  optrace_kind_time = 0x40,
  optrace_kind_thread_switched = 0x41,
  optrace_kind_lost = 0x42,
  optrace_kind_operation_created = 0x43,
  optrace_kind_dependency_added = 0x44,
  optrace_kind_dependency_removed = 0x45,
  optrace_kind_enqueued = 0x46,
  optrace_kind_priority_changed = 0x47,
  optrace_kind_quality_changed = 0x48,
  optrace_kind_limit_changed = 0x49,
  optrace_kind_block_began = 0x4A,
  optrace_kind_block_ended = 0x4B,
  optrace_kind_queue_quality_changed = 0x4C,
  optrace_kind_queue_main_changed = 0x4D,
  optrace_kind_unblocked = 0x4E,
  optrace_kind_looked = 0x4F,
  optrace_kind_enqueued_ready = 0x50,
  optrace_kind_task_enqueued = 0x58,
  optrace_kind_task_suspended = 0x59,
  optrace_kind_processor_time = 0x5A,
  optrace_kind_submitted_within = 0x5B,
  optrace_kind_task_resumed = 0x5C,
  optrace_kind_sampled = 0x5D,
  optrace_kind_sampled_in_kernel = 0x5E,
  optrace_kind_loop_turn = 0x5F,
  optrace_kind_calibration = 0x80,
  optrace_kind_blocked = 0x81,
  optrace_kind_signalled = 0x82,
  optrace_kind_class_described = 0x83,
  optrace_kind_frame = 0x84,
  optrace_kind_thread_seen = 0x85,
  optrace_kind_wait_lasts = 0x86,
  optrace_kind_added = 0x88,
  optrace_kind_added_behind_last = 0x89,
  optrace_kind_block_submitted = 0x87,
  optrace_kind_task_created = 0x8C,
  optrace_kind_task_queued = 0x8D,
  optrace_kind_profile = 0x8E,
  optrace_kind_sampling = 0x8F,
  optrace_kind_loop_turns = 0x90,
  optrace_kind_string = 0xC0,
  optrace_kind_operation_named = 0xC1,
  optrace_kind_queue_created = 0xC2,
  optrace_kind_queue_renamed = 0xC3,
  optrace_kind_thread_named = 0xC4,
  optrace_kind_finished_with_error = 0xC5,
  optrace_kind_mark = 0xC6,
  optrace_kind_span_began = 0xC7,
  optrace_kind_object_named = 0xC8,
  optrace_kind_image = 0xC9,
  optrace_kind_symbol = 0xCA,
  optrace_kind_dispatch_queue = 0xCB,
};

enum {
  optrace_event_source_socket = 1,
  optrace_event_source_pipe = 2,
  optrace_event_source_terminal = 4,
  optrace_event_source_signal = 8,
  optrace_event_source_timer = 16,
  optrace_event_source_event = 32,
  optrace_event_source_changes = 64,
  optrace_event_source_process = 128,
  optrace_event_source_file = 256,
  optrace_event_source_other = 512,
};

enum {
  optrace_file_state_open = 1,
  optrace_file_state_closed = 2,
};

enum {
  optrace_header_size = 1024,
  optrace_header_major_version = 8,
  optrace_header_minor_version = 10,
  optrace_header_header_size = 12,
  optrace_header_byte_order_mark = 16,
  optrace_header_mode = 20,
  optrace_header_capacity = 24,
  optrace_header_process_id = 32,
  optrace_header_clock = 36,
  optrace_header_process_start = 40,
  optrace_header_boot_id = 48,
  optrace_header_start_ticks = 64,
  optrace_header_start_monotonic = 72,
  optrace_header_start_wall = 80,
  optrace_header_ticks_per_second = 88,
  optrace_header_process_name = 96,
  optrace_header_process_name_size = 128,
  optrace_header_writer_version = 224,
  optrace_header_writer_version_size = 32,
  optrace_header_processors = 256,
  optrace_header_static_checksum = 504,
  optrace_header_state = 512,
  optrace_header_heartbeat_sequence = 520,
  optrace_header_heartbeat_ticks = 528,
  optrace_header_heartbeat_monotonic = 536,
  optrace_header_heartbeat_wall = 544,
  optrace_header_end_offset = 552,
  optrace_header_loss_counts = 560,
  optrace_header_overwritten_bytes = 640,
  optrace_header_snapshot_requested = 648,
  optrace_header_snapshot_answered = 656,
  optrace_header_dynamic_checksum = 1016,
};

enum {
  optrace_format_major_version = 1,
  optrace_format_minor_version = 9,
  optrace_format_byte_order_mark = 16909060,
  optrace_format_largest_delta = 16777215,
  optrace_format_age_unit = 16,
  optrace_format_image_page = 4096,
  optrace_format_longest_text = 1024,
};

enum {
  optrace_loss_no_space = 0,
  optrace_loss_size_limit = 1,
  optrace_loss_thread_exited = 2,
  optrace_loss_table_full = 3,
  optrace_loss_carry = 4,
};

enum {
  optrace_file_mode_streaming = 0,
  optrace_file_mode_flight_recorder = 1,
};

enum {
  optrace_sleep_unknown = 0,
  optrace_sleep_mutex = 1,
  optrace_sleep_inheriting = 2,
  optrace_sleep_word = 3,
  optrace_sleep_writer = 4,
  optrace_sleep_readers = 5,
  optrace_sleep_join = 6,
  optrace_sleep_futex = 7,
  optrace_sleep_poll = 8,
  optrace_sleep_time = 9,
  optrace_sleep_input = 10,
  optrace_sleep_child = 11,
  optrace_sleep_signal = 12,
  optrace_sleep_events = 13,
  optrace_sleep_once = 14,
};

enum {
  optrace_object_semaphore = 1,
  optrace_object_group = 2,
  optrace_object_queue = 3,
  optrace_object_condition = 4,
  optrace_object_adding = 5,
  optrace_object_sleep = 6,
  optrace_object_disk = 7,
};

#endif
