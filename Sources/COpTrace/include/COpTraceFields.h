// Made from EventSpec.table, and not by hand: `make build` makes it anew after a change there.
// The fields of each kind of event that has some: put into the second and third word of a record, and read from them. What does
// not fit a field is cut off; a field narrower than its type has its largest value beside it.
#ifndef COPTRACE_FIELDS_H
#define COPTRACE_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

// `created`
typedef struct {
  uint32_t class_;
  uint8_t coverage;
  bool async;
  bool own_ready;
  uint64_t age;
} optrace_operation_created_fields;
enum { optrace_operation_created_largest_class = 0xFFFF };
enum { optrace_operation_created_largest_coverage = 0xF };
static const uint64_t optrace_operation_created_largest_age = 0xFFFFFFFFFFu;
static inline uint64_t optrace_operation_created_word1(optrace_operation_created_fields fields) {
  return ((uint64_t)fields.class_ & 0xFFFFu) | ((uint64_t)fields.coverage & 0xFu) << 16 | (uint64_t)fields.async << 20 |
         (uint64_t)fields.own_ready << 21 | (fields.age & 0xFFFFFFFFFFu) << 24;
}
static inline optrace_operation_created_fields optrace_operation_created_read(uint64_t word1) {
  return (optrace_operation_created_fields){.class_ = (uint32_t)(word1 & 0xFFFFu),
    .coverage = (uint8_t)(word1 >> 16 & 0xFu), .async = word1 >> 20 & 1, .own_ready = word1 >> 21 & 1,
    .age = word1 >> 24};
}

// `named`
typedef struct {
  uint32_t source;
} optrace_operation_named_fields;
enum { optrace_operation_named_largest_source = 0xFFFF };
static inline uint64_t optrace_operation_named_word1(optrace_operation_named_fields fields) {
  return ((uint64_t)fields.source & 0xFFFFu) << 32;
}
// The half of that word that holds fields; the other holds lengths.
static inline uint32_t optrace_operation_named_high(optrace_operation_named_fields fields) {
  return (uint32_t)(optrace_operation_named_word1(fields) >> 32);
}
static inline optrace_operation_named_fields optrace_operation_named_read(uint64_t word1) {
  return (optrace_operation_named_fields){.source = (uint32_t)(word1 >> 32 & 0xFFFFu)};
}

// `depends`
typedef struct {
  uint32_t on;
} optrace_dependency_added_fields;
static inline uint64_t optrace_dependency_added_word1(optrace_dependency_added_fields fields) {
  return (uint64_t)fields.on;
}
static inline optrace_dependency_added_fields optrace_dependency_added_read(uint64_t word1) {
  return (optrace_dependency_added_fields){.on = (uint32_t)(word1)};
}

// `undepends`
typedef struct {
  uint32_t on;
} optrace_dependency_removed_fields;
static inline uint64_t optrace_dependency_removed_word1(optrace_dependency_removed_fields fields) {
  return (uint64_t)fields.on;
}
static inline optrace_dependency_removed_fields optrace_dependency_removed_read(uint64_t word1) {
  return (optrace_dependency_removed_fields){.on = (uint32_t)(word1)};
}

// `enqueued`
typedef struct {
  uint32_t queue;
  int8_t priority;
  uint8_t qos;
  bool barrier;
} optrace_enqueued_fields;
static inline uint64_t optrace_enqueued_word1(optrace_enqueued_fields fields) {
  return (uint64_t)fields.queue | (uint64_t)(uint8_t)fields.priority << 32 | (uint64_t)fields.qos << 40 |
         (uint64_t)fields.barrier << 48;
}
static inline optrace_enqueued_fields optrace_enqueued_read(uint64_t word1) {
  return (optrace_enqueued_fields){.queue = (uint32_t)(word1), .priority = (int8_t)(word1 >> 32),
    .qos = (uint8_t)(word1 >> 40), .barrier = word1 >> 48 & 1};
}

// `block-began`
typedef struct {
  uint32_t index;
} optrace_block_began_fields;
static inline uint64_t optrace_block_began_word1(optrace_block_began_fields fields) {
  return (uint64_t)fields.index;
}
static inline optrace_block_began_fields optrace_block_began_read(uint64_t word1) {
  return (optrace_block_began_fields){.index = (uint32_t)(word1)};
}

// `block-ended`
typedef struct {
  uint32_t index;
} optrace_block_ended_fields;
static inline uint64_t optrace_block_ended_word1(optrace_block_ended_fields fields) {
  return (uint64_t)fields.index;
}
static inline optrace_block_ended_fields optrace_block_ended_read(uint64_t word1) {
  return (optrace_block_ended_fields){.index = (uint32_t)(word1)};
}

// `priority`
typedef struct {
  int64_t value;
} optrace_priority_changed_fields;
static inline uint64_t optrace_priority_changed_word1(optrace_priority_changed_fields fields) {
  return (uint64_t)fields.value;
}
static inline optrace_priority_changed_fields optrace_priority_changed_read(uint64_t word1) {
  return (optrace_priority_changed_fields){.value = (int64_t)(word1)};
}

// `qos`
typedef struct {
  uint64_t value;
} optrace_quality_changed_fields;
static inline uint64_t optrace_quality_changed_word1(optrace_quality_changed_fields fields) {
  return fields.value;
}
static inline optrace_quality_changed_fields optrace_quality_changed_read(uint64_t word1) {
  return (optrace_quality_changed_fields){.value = word1};
}

// `cpu`
typedef struct {
  uint64_t used;
} optrace_processor_time_fields;
static inline uint64_t optrace_processor_time_word1(optrace_processor_time_fields fields) {
  return fields.used;
}
static inline optrace_processor_time_fields optrace_processor_time_read(uint64_t word1) {
  return (optrace_processor_time_fields){.used = word1};
}

// `added`
typedef struct {
  uint32_t class_;
  uint8_t coverage;
  bool async;
  bool own_ready;
  uint64_t age;
  uint32_t queue;
  int8_t priority;
  uint8_t qos;
} optrace_added_fields;
enum { optrace_added_largest_class = 0xFFFF };
enum { optrace_added_largest_coverage = 0xF };
static const uint64_t optrace_added_largest_age = 0xFFFFFFFFFFu;
static inline uint64_t optrace_added_word1(optrace_added_fields fields) {
  return ((uint64_t)fields.class_ & 0xFFFFu) | ((uint64_t)fields.coverage & 0xFu) << 16 | (uint64_t)fields.async << 20 |
         (uint64_t)fields.own_ready << 21 | (fields.age & 0xFFFFFFFFFFu) << 24;
}
static inline uint64_t optrace_added_word2(optrace_added_fields fields) {
  return (uint64_t)fields.queue | (uint64_t)(uint8_t)fields.priority << 32 | (uint64_t)fields.qos << 40;
}
static inline optrace_added_fields optrace_added_read(uint64_t word1, uint64_t word2) {
  return (optrace_added_fields){.class_ = (uint32_t)(word1 & 0xFFFFu), .coverage = (uint8_t)(word1 >> 16 & 0xFu),
    .async = word1 >> 20 & 1, .own_ready = word1 >> 21 & 1, .age = word1 >> 24, .queue = (uint32_t)(word2),
    .priority = (int8_t)(word2 >> 32), .qos = (uint8_t)(word2 >> 40)};
}

// `added-behind-last`
typedef struct {
  uint32_t class_;
  uint8_t coverage;
  bool async;
  bool own_ready;
  uint64_t age;
  uint32_t queue;
  int8_t priority;
  uint8_t qos;
} optrace_added_behind_last_fields;
enum { optrace_added_behind_last_largest_class = 0xFFFF };
enum { optrace_added_behind_last_largest_coverage = 0xF };
static const uint64_t optrace_added_behind_last_largest_age = 0xFFFFFFFFFFu;
static inline uint64_t optrace_added_behind_last_word1(optrace_added_behind_last_fields fields) {
  return ((uint64_t)fields.class_ & 0xFFFFu) | ((uint64_t)fields.coverage & 0xFu) << 16 | (uint64_t)fields.async << 20 |
         (uint64_t)fields.own_ready << 21 | (fields.age & 0xFFFFFFFFFFu) << 24;
}
static inline uint64_t optrace_added_behind_last_word2(optrace_added_behind_last_fields fields) {
  return (uint64_t)fields.queue | (uint64_t)(uint8_t)fields.priority << 32 | (uint64_t)fields.qos << 40;
}
static inline optrace_added_behind_last_fields optrace_added_behind_last_read(uint64_t word1, uint64_t word2) {
  return (optrace_added_behind_last_fields){.class_ = (uint32_t)(word1 & 0xFFFFu),
    .coverage = (uint8_t)(word1 >> 16 & 0xFu), .async = word1 >> 20 & 1, .own_ready = word1 >> 21 & 1,
    .age = word1 >> 24, .queue = (uint32_t)(word2), .priority = (int8_t)(word2 >> 32), .qos = (uint8_t)(word2 >> 40)};
}

// `enqueued-ready`
typedef struct {
  uint32_t queue;
  int8_t priority;
  uint8_t qos;
} optrace_enqueued_ready_fields;
static inline uint64_t optrace_enqueued_ready_word1(optrace_enqueued_ready_fields fields) {
  return (uint64_t)fields.queue | (uint64_t)(uint8_t)fields.priority << 32 | (uint64_t)fields.qos << 40;
}
static inline optrace_enqueued_ready_fields optrace_enqueued_ready_read(uint64_t word1) {
  return (optrace_enqueued_ready_fields){.queue = (uint32_t)(word1), .priority = (int8_t)(word1 >> 32),
    .qos = (uint8_t)(word1 >> 40)};
}

// `blocked`
typedef struct {
  uint64_t object;
  uint8_t kind;
  uint64_t age;
  uint32_t thread;
} optrace_blocked_fields;
static const uint64_t optrace_blocked_largest_object = 0xFFFFFFFFFFFFu;
static const uint64_t optrace_blocked_largest_age = 0xFFFFFFFFFFu;
enum { optrace_blocked_largest_thread = 0xFFFFFF };
static inline uint64_t optrace_blocked_word1(optrace_blocked_fields fields) {
  return (fields.object & 0xFFFFFFFFFFFFu) | (uint64_t)fields.kind << 48;
}
static inline uint64_t optrace_blocked_word2(optrace_blocked_fields fields) {
  return (fields.age & 0xFFFFFFFFFFu) | ((uint64_t)fields.thread & 0xFFFFFFu) << 40;
}
static inline optrace_blocked_fields optrace_blocked_read(uint64_t word1, uint64_t word2) {
  return (optrace_blocked_fields){.object = word1 & 0xFFFFFFFFFFFFu, .kind = (uint8_t)(word1 >> 48),
    .age = word2 & 0xFFFFFFFFFFu, .thread = (uint32_t)(word2 >> 40)};
}

// `unblocked`
typedef struct {
  uint64_t object;
  uint8_t kind;
} optrace_unblocked_fields;
static const uint64_t optrace_unblocked_largest_object = 0xFFFFFFFFFFFFu;
static inline uint64_t optrace_unblocked_word1(optrace_unblocked_fields fields) {
  return (fields.object & 0xFFFFFFFFFFFFu) | (uint64_t)fields.kind << 48;
}
static inline optrace_unblocked_fields optrace_unblocked_read(uint64_t word1) {
  return (optrace_unblocked_fields){.object = word1 & 0xFFFFFFFFFFFFu, .kind = (uint8_t)(word1 >> 48)};
}

// `signalled`
typedef struct {
  uint64_t object;
  uint8_t kind;
  uint64_t age;
  uint32_t thread;
} optrace_signalled_fields;
static const uint64_t optrace_signalled_largest_object = 0xFFFFFFFFFFFFu;
static const uint64_t optrace_signalled_largest_age = 0xFFFFFFFFFFu;
enum { optrace_signalled_largest_thread = 0xFFFFFF };
static inline uint64_t optrace_signalled_word1(optrace_signalled_fields fields) {
  return (fields.object & 0xFFFFFFFFFFFFu) | (uint64_t)fields.kind << 48;
}
static inline uint64_t optrace_signalled_word2(optrace_signalled_fields fields) {
  return (fields.age & 0xFFFFFFFFFFu) | ((uint64_t)fields.thread & 0xFFFFFFu) << 40;
}
static inline optrace_signalled_fields optrace_signalled_read(uint64_t word1, uint64_t word2) {
  return (optrace_signalled_fields){.object = word1 & 0xFFFFFFFFFFFFu, .kind = (uint8_t)(word1 >> 48),
    .age = word2 & 0xFFFFFFFFFFu, .thread = (uint32_t)(word2 >> 40)};
}

// `object-named`
typedef struct {
  uint64_t object;
} optrace_object_named_fields;
static const uint64_t optrace_object_named_largest_object = 0xFFFFFFFFFFFFu;
static inline uint64_t optrace_object_named_word2(optrace_object_named_fields fields) {
  return (fields.object & 0xFFFFFFFFFFFFu);
}
static inline optrace_object_named_fields optrace_object_named_read(uint64_t word2) {
  return (optrace_object_named_fields){.object = word2 & 0xFFFFFFFFFFFFu};
}

// `wait-lasts`
typedef struct {
  uint32_t thread;
  bool is_queue;
  uint32_t on;
  uint32_t at;
} optrace_wait_lasts_fields;
enum { optrace_wait_lasts_largest_thread = 0xFFFFFF };
static inline uint64_t optrace_wait_lasts_word1(optrace_wait_lasts_fields fields) {
  return ((uint64_t)fields.thread & 0xFFFFFFu) | (uint64_t)fields.is_queue << 24 | (uint64_t)fields.on << 32;
}
static inline uint64_t optrace_wait_lasts_word2(optrace_wait_lasts_fields fields) {
  return (uint64_t)fields.at;
}
static inline optrace_wait_lasts_fields optrace_wait_lasts_read(uint64_t word1, uint64_t word2) {
  return (optrace_wait_lasts_fields){.thread = (uint32_t)(word1 & 0xFFFFFFu), .is_queue = word1 >> 24 & 1,
    .on = (uint32_t)(word1 >> 32), .at = (uint32_t)(word2)};
}

// `seen`
typedef struct {
  uint32_t cpu;
  uint32_t owner;
  uint8_t state;
  bool running;
  bool ended;
  bool timed;
  bool still;
  uint64_t lock;
  uint16_t call;
  uint8_t reason;
} optrace_thread_seen_fields;
enum { optrace_thread_seen_largest_owner = 0xFFFFFF };
enum { optrace_thread_seen_largest_state = 0xF };
static const uint64_t optrace_thread_seen_largest_lock = 0xFFFFFFFFFFFFu;
enum { optrace_thread_seen_largest_call = 0xFFF };
enum { optrace_thread_seen_largest_reason = 0xF };
static inline uint64_t optrace_thread_seen_word1(optrace_thread_seen_fields fields) {
  return (uint64_t)fields.cpu | ((uint64_t)fields.owner & 0xFFFFFFu) << 32 | ((uint64_t)fields.state & 0xFu) << 56 |
         (uint64_t)fields.running << 60 | (uint64_t)fields.ended << 61 | (uint64_t)fields.timed << 62 |
         (uint64_t)fields.still << 63;
}
static inline uint64_t optrace_thread_seen_word2(optrace_thread_seen_fields fields) {
  return (fields.lock & 0xFFFFFFFFFFFFu) | ((uint64_t)fields.call & 0xFFFu) << 48 |
         ((uint64_t)fields.reason & 0xFu) << 60;
}
static inline optrace_thread_seen_fields optrace_thread_seen_read(uint64_t word1, uint64_t word2) {
  return (optrace_thread_seen_fields){.cpu = (uint32_t)(word1), .owner = (uint32_t)(word1 >> 32 & 0xFFFFFFu),
    .state = (uint8_t)(word1 >> 56 & 0xFu), .running = word1 >> 60 & 1, .ended = word1 >> 61 & 1,
    .timed = word1 >> 62 & 1, .still = word1 >> 63 & 1, .lock = word2 & 0xFFFFFFFFFFFFu,
    .call = (uint16_t)(word2 >> 48 & 0xFFFu), .reason = (uint8_t)(word2 >> 60)};
}

// `looked`
typedef struct {
  uint16_t seen;
  uint16_t moved;
  uint16_t refused;
  uint16_t request;
} optrace_looked_fields;
static inline uint64_t optrace_looked_word1(optrace_looked_fields fields) {
  return (uint64_t)fields.seen | (uint64_t)fields.moved << 16 | (uint64_t)fields.refused << 32 |
         (uint64_t)fields.request << 48;
}
static inline optrace_looked_fields optrace_looked_read(uint64_t word1) {
  return (optrace_looked_fields){.seen = (uint16_t)(word1), .moved = (uint16_t)(word1 >> 16),
    .refused = (uint16_t)(word1 >> 32), .request = (uint16_t)(word1 >> 48)};
}

// `looked-again`
typedef struct {
  uint16_t seen;
  uint16_t unchanged;
  uint16_t moved;
  uint16_t refused;
} optrace_looked_again_fields;
static inline uint64_t optrace_looked_again_word1(optrace_looked_again_fields fields) {
  return (uint64_t)fields.seen | (uint64_t)fields.unchanged << 16 | (uint64_t)fields.moved << 32 |
         (uint64_t)fields.refused << 48;
}
static inline optrace_looked_again_fields optrace_looked_again_read(uint64_t word1) {
  return (optrace_looked_again_fields){.seen = (uint16_t)(word1), .unchanged = (uint16_t)(word1 >> 16),
    .moved = (uint16_t)(word1 >> 32), .refused = (uint16_t)(word1 >> 48)};
}

// `class`
typedef struct {
  uint32_t name;
  uint32_t class_;
  uint32_t module;
  uint32_t code;
} optrace_class_described_fields;
enum { optrace_class_described_largest_name = 0xFFFF };
enum { optrace_class_described_largest_class = 0xFFFF };
enum { optrace_class_described_largest_module = 0xFFFF };
static inline uint64_t optrace_class_described_word1(optrace_class_described_fields fields) {
  return ((uint64_t)fields.name & 0xFFFFu) | ((uint64_t)fields.class_ & 0xFFFFu) << 16 |
         ((uint64_t)fields.module & 0xFFFFu) << 32;
}
static inline uint64_t optrace_class_described_word2(optrace_class_described_fields fields) {
  return (uint64_t)fields.code;
}
static inline optrace_class_described_fields optrace_class_described_read(uint64_t word1, uint64_t word2) {
  return (optrace_class_described_fields){.name = (uint32_t)(word1 & 0xFFFFu),
    .class_ = (uint32_t)(word1 >> 16 & 0xFFFFu), .module = (uint32_t)(word1 >> 32 & 0xFFFFu), .code = (uint32_t)(word2)};
}

// `image`
typedef struct {
  uint32_t build;
  uint64_t page;
  uint32_t pages;
} optrace_image_fields;
enum { optrace_image_largest_build = 0xFFFF };
static const uint64_t optrace_image_largest_page = 0xFFFFFFFFFu;
enum { optrace_image_largest_pages = 0xFFFFFFF };
static inline uint64_t optrace_image_word1(optrace_image_fields fields) {
  return ((uint64_t)fields.build & 0xFFFFu) << 32;
}
static inline uint64_t optrace_image_word2(optrace_image_fields fields) {
  return (fields.page & 0xFFFFFFFFFu) | ((uint64_t)fields.pages & 0xFFFFFFFu) << 36;
}
// The half of that word that holds fields; the other holds lengths.
static inline uint32_t optrace_image_high(optrace_image_fields fields) {
  return (uint32_t)(optrace_image_word1(fields) >> 32);
}
static inline optrace_image_fields optrace_image_read(uint64_t word1, uint64_t word2) {
  return (optrace_image_fields){.build = (uint32_t)(word1 >> 32 & 0xFFFFu), .page = word2 & 0xFFFFFFFFFu,
    .pages = (uint32_t)(word2 >> 36)};
}

// `frame`
typedef struct {
  uint32_t image;
  uint64_t offset;
  bool guessed;
  uint32_t caller;
  bool returns;
  uint8_t library;
  bool cut;
} optrace_frame_fields;
enum { optrace_frame_largest_image = 0xFFFF };
static const uint64_t optrace_frame_largest_offset = 0x7FFFFFFFFFFFu;
enum { optrace_frame_largest_library = 0x7 };
static inline uint64_t optrace_frame_word1(optrace_frame_fields fields) {
  return ((uint64_t)fields.image & 0xFFFFu) | (fields.offset & 0x7FFFFFFFFFFFu) << 16 | (uint64_t)fields.guessed << 63;
}
static inline uint64_t optrace_frame_word2(optrace_frame_fields fields) {
  return (uint64_t)fields.caller | (uint64_t)fields.returns << 32 | ((uint64_t)fields.library & 0x7u) << 33 |
         (uint64_t)fields.cut << 36;
}
static inline optrace_frame_fields optrace_frame_read(uint64_t word1, uint64_t word2) {
  return (optrace_frame_fields){.image = (uint32_t)(word1 & 0xFFFFu), .offset = word1 >> 16 & 0x7FFFFFFFFFFFu,
    .guessed = word1 >> 63 & 1, .caller = (uint32_t)(word2), .returns = word2 >> 32 & 1,
    .library = (uint8_t)(word2 >> 33 & 0x7u), .cut = word2 >> 36 & 1};
}

// `symbol`
typedef struct {
  uint8_t inlined;
  uint32_t short_;
  uint32_t line;
  uint32_t file;
  uint32_t module;
} optrace_symbol_fields;
enum { optrace_symbol_largest_short = 0xFFFF };
enum { optrace_symbol_largest_line = 0xFFFFFF };
enum { optrace_symbol_largest_file = 0xFFFF };
enum { optrace_symbol_largest_module = 0xFFFF };
static inline uint64_t optrace_symbol_word1(optrace_symbol_fields fields) {
  return (uint64_t)fields.inlined << 32 | ((uint64_t)fields.short_ & 0xFFFFu) << 40;
}
static inline uint64_t optrace_symbol_word2(optrace_symbol_fields fields) {
  return ((uint64_t)fields.line & 0xFFFFFFu) | ((uint64_t)fields.file & 0xFFFFu) << 24 |
         ((uint64_t)fields.module & 0xFFFFu) << 40;
}
// The half of that word that holds fields; the other holds lengths.
static inline uint32_t optrace_symbol_high(optrace_symbol_fields fields) {
  return (uint32_t)(optrace_symbol_word1(fields) >> 32);
}
static inline optrace_symbol_fields optrace_symbol_read(uint64_t word1, uint64_t word2) {
  return (optrace_symbol_fields){.inlined = (uint8_t)(word1 >> 32), .short_ = (uint32_t)(word1 >> 40 & 0xFFFFu),
    .line = (uint32_t)(word2 & 0xFFFFFFu), .file = (uint32_t)(word2 >> 24 & 0xFFFFu),
    .module = (uint32_t)(word2 >> 40 & 0xFFFFu)};
}

// `submitted`
typedef struct {
  uint32_t by;
  uint32_t queue;
  uint8_t how;
  bool group;
  bool item;
  bool alone;
  uint32_t code;
  uint32_t at;
} optrace_block_submitted_fields;
enum { optrace_block_submitted_largest_queue = 0xFFFFF };
enum { optrace_block_submitted_largest_how = 0xF };
static inline uint64_t optrace_block_submitted_word1(optrace_block_submitted_fields fields) {
  return (uint64_t)fields.by | ((uint64_t)fields.queue & 0xFFFFFu) << 32 | ((uint64_t)fields.how & 0xFu) << 52 |
         (uint64_t)fields.group << 56 | (uint64_t)fields.item << 57 | (uint64_t)fields.alone << 58;
}
static inline uint64_t optrace_block_submitted_word2(optrace_block_submitted_fields fields) {
  return (uint64_t)fields.code | (uint64_t)fields.at << 32;
}
static inline optrace_block_submitted_fields optrace_block_submitted_read(uint64_t word1, uint64_t word2) {
  return (optrace_block_submitted_fields){.by = (uint32_t)(word1), .queue = (uint32_t)(word1 >> 32 & 0xFFFFFu),
    .how = (uint8_t)(word1 >> 52 & 0xFu), .group = word1 >> 56 & 1, .item = word1 >> 57 & 1, .alone = word1 >> 58 & 1,
    .code = (uint32_t)(word2), .at = (uint32_t)(word2 >> 32)};
}

// `dispatch-queue`
typedef struct {
  int32_t width;
  uint32_t target;
  bool main;
  bool global;
  uint8_t stopped;
} optrace_dispatch_queue_fields;
enum { optrace_dispatch_queue_largest_target = 0xFFFFF };
enum { optrace_dispatch_queue_largest_stopped = 0x3 };
static inline uint64_t optrace_dispatch_queue_word1(optrace_dispatch_queue_fields fields) {
  return (uint64_t)(uint32_t)fields.width << 32;
}
static inline uint64_t optrace_dispatch_queue_word2(optrace_dispatch_queue_fields fields) {
  return ((uint64_t)fields.target & 0xFFFFFu) | (uint64_t)fields.main << 32 | (uint64_t)fields.global << 33 |
         ((uint64_t)fields.stopped & 0x3u) << 34;
}
// The half of that word that holds fields; the other holds lengths.
static inline uint32_t optrace_dispatch_queue_high(optrace_dispatch_queue_fields fields) {
  return (uint32_t)(optrace_dispatch_queue_word1(fields) >> 32);
}
static inline optrace_dispatch_queue_fields optrace_dispatch_queue_read(uint64_t word1, uint64_t word2) {
  return (optrace_dispatch_queue_fields){.width = (int32_t)(word1 >> 32), .target = (uint32_t)(word2 & 0xFFFFFu),
    .main = word2 >> 32 & 1, .global = word2 >> 33 & 1, .stopped = (uint8_t)(word2 >> 34 & 0x3u)};
}

// `task`
typedef struct {
  uint32_t by;
  uint8_t how;
  uint8_t priority;
  bool enqueued;
  bool main;
  uint32_t code;
  uint32_t at;
} optrace_task_created_fields;
enum { optrace_task_created_largest_how = 0xF };
static inline uint64_t optrace_task_created_word1(optrace_task_created_fields fields) {
  return (uint64_t)fields.by | ((uint64_t)fields.how & 0xFu) << 32 | (uint64_t)fields.priority << 36 |
         (uint64_t)fields.enqueued << 44 | (uint64_t)fields.main << 45;
}
static inline uint64_t optrace_task_created_word2(optrace_task_created_fields fields) {
  return (uint64_t)fields.code | (uint64_t)fields.at << 32;
}
static inline optrace_task_created_fields optrace_task_created_read(uint64_t word1, uint64_t word2) {
  return (optrace_task_created_fields){.by = (uint32_t)(word1), .how = (uint8_t)(word1 >> 32 & 0xFu),
    .priority = (uint8_t)(word1 >> 36), .enqueued = word1 >> 44 & 1, .main = word1 >> 45 & 1, .code = (uint32_t)(word2),
    .at = (uint32_t)(word2 >> 32)};
}

// `task-enqueued`
typedef struct {
  uint32_t by;
  bool main;
} optrace_task_enqueued_fields;
static inline uint64_t optrace_task_enqueued_word1(optrace_task_enqueued_fields fields) {
  return (uint64_t)fields.by | (uint64_t)fields.main << 32;
}
static inline optrace_task_enqueued_fields optrace_task_enqueued_read(uint64_t word1) {
  return (optrace_task_enqueued_fields){.by = (uint32_t)(word1), .main = word1 >> 32 & 1};
}

// `task-queued`
typedef struct {
  uint32_t actor;
  uint32_t class_;
  uint32_t by;
} optrace_task_queued_fields;
enum { optrace_task_queued_largest_class = 0xFFFF };
static inline uint64_t optrace_task_queued_word1(optrace_task_queued_fields fields) {
  return (uint64_t)fields.actor | ((uint64_t)fields.class_ & 0xFFFFu) << 32;
}
static inline uint64_t optrace_task_queued_word2(optrace_task_queued_fields fields) {
  return (uint64_t)fields.by;
}
static inline optrace_task_queued_fields optrace_task_queued_read(uint64_t word1, uint64_t word2) {
  return (optrace_task_queued_fields){.actor = (uint32_t)(word1), .class_ = (uint32_t)(word1 >> 32 & 0xFFFFu),
    .by = (uint32_t)(word2)};
}

// `task-resumed`
typedef struct {
  uint32_t by;
  uint8_t how;
} optrace_task_resumed_fields;
enum { optrace_task_resumed_largest_how = 0xF };
static inline uint64_t optrace_task_resumed_word1(optrace_task_resumed_fields fields) {
  return (uint64_t)fields.by | ((uint64_t)fields.how & 0xFu) << 32;
}
static inline optrace_task_resumed_fields optrace_task_resumed_read(uint64_t word1) {
  return (optrace_task_resumed_fields){.by = (uint32_t)(word1), .how = (uint8_t)(word1 >> 32 & 0xFu)};
}

// `task-suspended`
typedef struct {
  uint8_t reason;
  uint32_t for_;
} optrace_task_suspended_fields;
enum { optrace_task_suspended_largest_reason = 0xF };
static inline uint64_t optrace_task_suspended_word1(optrace_task_suspended_fields fields) {
  return ((uint64_t)fields.reason & 0xFu) | (uint64_t)fields.for_ << 32;
}
static inline optrace_task_suspended_fields optrace_task_suspended_read(uint64_t word1) {
  return (optrace_task_suspended_fields){.reason = (uint8_t)(word1 & 0xFu), .for_ = (uint32_t)(word1 >> 32)};
}

// `queue`
typedef struct {
  int32_t limit;
  uint8_t qos;
  bool main;
  bool suspended;
} optrace_queue_created_fields;
static inline uint64_t optrace_queue_created_word1(optrace_queue_created_fields fields) {
  return (uint64_t)(uint32_t)fields.limit << 32;
}
static inline uint64_t optrace_queue_created_word2(optrace_queue_created_fields fields) {
  return (uint64_t)fields.qos | (uint64_t)fields.main << 8 | (uint64_t)fields.suspended << 9;
}
// The half of that word that holds fields; the other holds lengths.
static inline uint32_t optrace_queue_created_high(optrace_queue_created_fields fields) {
  return (uint32_t)(optrace_queue_created_word1(fields) >> 32);
}
static inline optrace_queue_created_fields optrace_queue_created_read(uint64_t word1, uint64_t word2) {
  return (optrace_queue_created_fields){.limit = (int32_t)(word1 >> 32), .qos = (uint8_t)(word2), .main = word2 >> 8 & 1,
    .suspended = word2 >> 9 & 1};
}

// `limit`
typedef struct {
  int64_t value;
} optrace_limit_changed_fields;
static inline uint64_t optrace_limit_changed_word1(optrace_limit_changed_fields fields) {
  return (uint64_t)fields.value;
}
static inline optrace_limit_changed_fields optrace_limit_changed_read(uint64_t word1) {
  return (optrace_limit_changed_fields){.value = (int64_t)(word1)};
}

// `queue-qos`
typedef struct {
  uint64_t value;
} optrace_queue_quality_changed_fields;
static inline uint64_t optrace_queue_quality_changed_word1(optrace_queue_quality_changed_fields fields) {
  return fields.value;
}
static inline optrace_queue_quality_changed_fields optrace_queue_quality_changed_read(uint64_t word1) {
  return (optrace_queue_quality_changed_fields){.value = word1};
}

// `queue-main`
typedef struct {
  uint64_t value;
} optrace_queue_main_changed_fields;
static inline uint64_t optrace_queue_main_changed_word1(optrace_queue_main_changed_fields fields) {
  return fields.value;
}
static inline optrace_queue_main_changed_fields optrace_queue_main_changed_read(uint64_t word1) {
  return (optrace_queue_main_changed_fields){.value = word1};
}

// `span`
typedef struct {
  uint32_t id;
} optrace_span_began_fields;
static inline uint64_t optrace_span_began_word1(optrace_span_began_fields fields) {
  return (uint64_t)fields.id << 32;
}
// The half of that word that holds fields; the other holds lengths.
static inline uint32_t optrace_span_began_high(optrace_span_began_fields fields) {
  return (uint32_t)(optrace_span_began_word1(fields) >> 32);
}
static inline optrace_span_began_fields optrace_span_began_read(uint64_t word1) {
  return (optrace_span_began_fields){.id = (uint32_t)(word1 >> 32)};
}

// `span-context`
typedef struct {
  uint32_t parent;
  uint8_t kind;
} optrace_span_context_fields;
enum { optrace_span_context_largest_kind = 0xF };
static inline uint64_t optrace_span_context_word1(optrace_span_context_fields fields) {
  return (uint64_t)fields.parent << 32;
}
static inline uint64_t optrace_span_context_word2(optrace_span_context_fields fields) {
  return ((uint64_t)fields.kind & 0xFu);
}
// The half of that word that holds fields; the other holds lengths.
static inline uint32_t optrace_span_context_high(optrace_span_context_fields fields) {
  return (uint32_t)(optrace_span_context_word1(fields) >> 32);
}
static inline optrace_span_context_fields optrace_span_context_read(uint64_t word1, uint64_t word2) {
  return (optrace_span_context_fields){.parent = (uint32_t)(word1 >> 32), .kind = (uint8_t)(word2 & 0xFu)};
}

// `span-attribute`
typedef struct {
  uint8_t type;
} optrace_span_attribute_fields;
enum { optrace_span_attribute_largest_type = 0xF };
static inline uint64_t optrace_span_attribute_word1(optrace_span_attribute_fields fields) {
  return ((uint64_t)fields.type & 0xFu) << 32;
}
// The half of that word that holds fields; the other holds lengths.
static inline uint32_t optrace_span_attribute_high(optrace_span_attribute_fields fields) {
  return (uint32_t)(optrace_span_attribute_word1(fields) >> 32);
}
static inline optrace_span_attribute_fields optrace_span_attribute_read(uint64_t word1) {
  return (optrace_span_attribute_fields){.type = (uint8_t)(word1 >> 32 & 0xFu)};
}

// `span-status`
typedef struct {
  uint8_t code;
  uint32_t left_out;
} optrace_span_status_fields;
enum { optrace_span_status_largest_code = 0xF };
enum { optrace_span_status_largest_left_out = 0xFFFFFF };
static inline uint64_t optrace_span_status_word1(optrace_span_status_fields fields) {
  return ((uint64_t)fields.code & 0xFu) << 32 | ((uint64_t)fields.left_out & 0xFFFFFFu) << 40;
}
// The half of that word that holds fields; the other holds lengths.
static inline uint32_t optrace_span_status_high(optrace_span_status_fields fields) {
  return (uint32_t)(optrace_span_status_word1(fields) >> 32);
}
static inline optrace_span_status_fields optrace_span_status_read(uint64_t word1) {
  return (optrace_span_status_fields){.code = (uint8_t)(word1 >> 32 & 0xFu), .left_out = (uint32_t)(word1 >> 40)};
}

// `span-link`
typedef struct {
  uint32_t to;
} optrace_span_link_fields;
static inline uint64_t optrace_span_link_word1(optrace_span_link_fields fields) {
  return (uint64_t)fields.to << 32;
}
// The half of that word that holds fields; the other holds lengths.
static inline uint32_t optrace_span_link_high(optrace_span_link_fields fields) {
  return (uint32_t)(optrace_span_link_word1(fields) >> 32);
}
static inline optrace_span_link_fields optrace_span_link_read(uint64_t word1) {
  return (optrace_span_link_fields){.to = (uint32_t)(word1 >> 32)};
}

// `within`
typedef struct {
  uint32_t span;
} optrace_submitted_within_fields;
static inline uint64_t optrace_submitted_within_word1(optrace_submitted_within_fields fields) {
  return (uint64_t)fields.span;
}
static inline optrace_submitted_within_fields optrace_submitted_within_read(uint64_t word1) {
  return (optrace_submitted_within_fields){.span = (uint32_t)(word1)};
}

// `profile`
typedef struct {
  uint64_t period;
  uint8_t by;
  bool kernel;
  uint16_t refused;
  uint32_t copied;
} optrace_profile_fields;
static const uint64_t optrace_profile_largest_period = 0xFFFFFFFFFFu;
enum { optrace_profile_largest_by = 0xF };
static inline uint64_t optrace_profile_word1(optrace_profile_fields fields) {
  return (fields.period & 0xFFFFFFFFFFu) | ((uint64_t)fields.by & 0xFu) << 40 | (uint64_t)fields.kernel << 44 |
         (uint64_t)fields.refused << 48;
}
static inline uint64_t optrace_profile_word2(optrace_profile_fields fields) {
  return (uint64_t)fields.copied;
}
static inline optrace_profile_fields optrace_profile_read(uint64_t word1, uint64_t word2) {
  return (optrace_profile_fields){.period = word1 & 0xFFFFFFFFFFu, .by = (uint8_t)(word1 >> 40 & 0xFu),
    .kernel = word1 >> 44 & 1, .refused = (uint16_t)(word1 >> 48), .copied = (uint32_t)(word2)};
}

// `sampled`
typedef struct {
  uint64_t age;
  uint32_t thread;
} optrace_sampled_fields;
static const uint64_t optrace_sampled_largest_age = 0xFFFFFFFFFFu;
enum { optrace_sampled_largest_thread = 0xFFFFFF };
static inline uint64_t optrace_sampled_word1(optrace_sampled_fields fields) {
  return (fields.age & 0xFFFFFFFFFFu) | ((uint64_t)fields.thread & 0xFFFFFFu) << 40;
}
static inline optrace_sampled_fields optrace_sampled_read(uint64_t word1) {
  return (optrace_sampled_fields){.age = word1 & 0xFFFFFFFFFFu, .thread = (uint32_t)(word1 >> 40)};
}

// `sampled-in-kernel`
typedef struct {
  uint64_t age;
  uint32_t thread;
} optrace_sampled_in_kernel_fields;
static const uint64_t optrace_sampled_in_kernel_largest_age = 0xFFFFFFFFFFu;
enum { optrace_sampled_in_kernel_largest_thread = 0xFFFFFF };
static inline uint64_t optrace_sampled_in_kernel_word1(optrace_sampled_in_kernel_fields fields) {
  return (fields.age & 0xFFFFFFFFFFu) | ((uint64_t)fields.thread & 0xFFFFFFu) << 40;
}
static inline optrace_sampled_in_kernel_fields optrace_sampled_in_kernel_read(uint64_t word1) {
  return (optrace_sampled_in_kernel_fields){.age = word1 & 0xFFFFFFFFFFu, .thread = (uint32_t)(word1 >> 40)};
}

// `sampling`
typedef struct {
  uint64_t used;
  uint32_t lost;
  uint32_t missing;
} optrace_sampling_fields;
static inline uint64_t optrace_sampling_word1(optrace_sampling_fields fields) {
  return fields.used;
}
static inline uint64_t optrace_sampling_word2(optrace_sampling_fields fields) {
  return (uint64_t)fields.lost | (uint64_t)fields.missing << 32;
}
static inline optrace_sampling_fields optrace_sampling_read(uint64_t word1, uint64_t word2) {
  return (optrace_sampling_fields){.used = word1, .lost = (uint32_t)(word2), .missing = (uint32_t)(word2 >> 32)};
}

// `loop-turn`
typedef struct {
  uint64_t age;
  bool open;
  bool manager;
} optrace_loop_turn_fields;
static const uint64_t optrace_loop_turn_largest_age = 0xFFFFFFFFFFu;
static inline uint64_t optrace_loop_turn_word1(optrace_loop_turn_fields fields) {
  return (fields.age & 0xFFFFFFFFFFu) | (uint64_t)fields.open << 40 | (uint64_t)fields.manager << 41;
}
static inline optrace_loop_turn_fields optrace_loop_turn_read(uint64_t word1) {
  return (optrace_loop_turn_fields){.age = word1 & 0xFFFFFFFFFFu, .open = word1 >> 40 & 1, .manager = word1 >> 41 & 1};
}

// `loop-turns`
typedef struct {
  uint32_t turns;
  bool manager;
  bool open;
  uint32_t longest;
  uint32_t busy;
  uint32_t idle;
} optrace_loop_turns_fields;
enum { optrace_loop_turns_largest_turns = 0xFFFFFF };
static inline uint64_t optrace_loop_turns_word1(optrace_loop_turns_fields fields) {
  return ((uint64_t)fields.turns & 0xFFFFFFu) | (uint64_t)fields.manager << 24 | (uint64_t)fields.open << 25 |
         (uint64_t)fields.longest << 32;
}
static inline uint64_t optrace_loop_turns_word2(optrace_loop_turns_fields fields) {
  return (uint64_t)fields.busy | (uint64_t)fields.idle << 32;
}
static inline optrace_loop_turns_fields optrace_loop_turns_read(uint64_t word1, uint64_t word2) {
  return (optrace_loop_turns_fields){.turns = (uint32_t)(word1 & 0xFFFFFFu), .manager = word1 >> 24 & 1,
    .open = word1 >> 25 & 1, .longest = (uint32_t)(word1 >> 32), .busy = (uint32_t)(word2),
    .idle = (uint32_t)(word2 >> 32)};
}

// `machine`
typedef struct {
  uint32_t over;
  uint64_t waited;
  uint32_t used;
  uint16_t throttled;
  uint16_t processors;
} optrace_machine_fields;
enum { optrace_machine_largest_over = 0xFFFFFF };
static const uint64_t optrace_machine_largest_waited = 0xFFFFFFFFFFu;
static inline uint64_t optrace_machine_word1(optrace_machine_fields fields) {
  return ((uint64_t)fields.over & 0xFFFFFFu) | (fields.waited & 0xFFFFFFFFFFu) << 24;
}
static inline uint64_t optrace_machine_word2(optrace_machine_fields fields) {
  return (uint64_t)fields.used | (uint64_t)fields.throttled << 32 | (uint64_t)fields.processors << 48;
}
static inline optrace_machine_fields optrace_machine_read(uint64_t word1, uint64_t word2) {
  return (optrace_machine_fields){.over = (uint32_t)(word1 & 0xFFFFFFu), .waited = word1 >> 24,
    .used = (uint32_t)(word2), .throttled = (uint16_t)(word2 >> 32), .processors = (uint16_t)(word2 >> 48)};
}

// `order`
typedef struct {
  uint64_t object;
  uint8_t kind;
  bool reader;
  bool try_;
  bool timed;
  bool kept;
  uint16_t number;
  uint16_t outer;
  uint32_t of;
} optrace_order_fields;
static const uint64_t optrace_order_largest_object = 0xFFFFFFFFFFFFu;
enum { optrace_order_largest_kind = 0xF };
static inline uint64_t optrace_order_word1(optrace_order_fields fields) {
  return (fields.object & 0xFFFFFFFFFFFFu) | ((uint64_t)fields.kind & 0xFu) << 48 | (uint64_t)fields.reader << 52 |
         (uint64_t)fields.try_ << 53 | (uint64_t)fields.timed << 54 | (uint64_t)fields.kept << 55;
}
static inline uint64_t optrace_order_word2(optrace_order_fields fields) {
  return (uint64_t)fields.number | (uint64_t)fields.outer << 16 | (uint64_t)fields.of << 32;
}
static inline optrace_order_fields optrace_order_read(uint64_t word1, uint64_t word2) {
  return (optrace_order_fields){.object = word1 & 0xFFFFFFFFFFFFu, .kind = (uint8_t)(word1 >> 48 & 0xFu),
    .reader = word1 >> 52 & 1, .try_ = word1 >> 53 & 1, .timed = word1 >> 54 & 1, .kept = word1 >> 55 & 1,
    .number = (uint16_t)(word2), .outer = (uint16_t)(word2 >> 16), .of = (uint32_t)(word2 >> 32)};
}

// `ordered`
typedef struct {
  uint16_t number;
  uint64_t age;
  uint32_t at;
  uint32_t thread;
} optrace_ordered_fields;
static const uint64_t optrace_ordered_largest_age = 0xFFFFFFFFFFu;
enum { optrace_ordered_largest_thread = 0xFFFFFF };
static inline uint64_t optrace_ordered_word1(optrace_ordered_fields fields) {
  return (uint64_t)fields.number | (fields.age & 0xFFFFFFFFFFu) << 24;
}
static inline uint64_t optrace_ordered_word2(optrace_ordered_fields fields) {
  return (uint64_t)fields.at | ((uint64_t)fields.thread & 0xFFFFFFu) << 32;
}
static inline optrace_ordered_fields optrace_ordered_read(uint64_t word1, uint64_t word2) {
  return (optrace_ordered_fields){.number = (uint16_t)(word1), .age = word1 >> 24, .at = (uint32_t)(word2),
    .thread = (uint32_t)(word2 >> 32 & 0xFFFFFFu)};
}

// `handover`
typedef struct {
  uint32_t at;
  uint32_t signalled_at;
  uint32_t by;
  uint8_t kind;
  bool waited;
  bool timed;
  bool lock;
  uint32_t count;
} optrace_handover_fields;
enum { optrace_handover_largest_kind = 0xF };
enum { optrace_handover_largest_count = 0xFFFFFF };
static inline uint64_t optrace_handover_word1(optrace_handover_fields fields) {
  return (uint64_t)fields.at | (uint64_t)fields.signalled_at << 32;
}
static inline uint64_t optrace_handover_word2(optrace_handover_fields fields) {
  return (uint64_t)fields.by | ((uint64_t)fields.kind & 0xFu) << 32 | (uint64_t)fields.waited << 36 |
         (uint64_t)fields.timed << 37 | (uint64_t)fields.lock << 38 | ((uint64_t)fields.count & 0xFFFFFFu) << 40;
}
static inline optrace_handover_fields optrace_handover_read(uint64_t word1, uint64_t word2) {
  return (optrace_handover_fields){.at = (uint32_t)(word1), .signalled_at = (uint32_t)(word1 >> 32),
    .by = (uint32_t)(word2), .kind = (uint8_t)(word2 >> 32 & 0xFu), .waited = word2 >> 36 & 1, .timed = word2 >> 37 & 1,
    .lock = word2 >> 38 & 1, .count = (uint32_t)(word2 >> 40)};
}

// `orders`
typedef struct {
  uint32_t lost;
  uint32_t deep;
  uint32_t alike;
  uint32_t moved;
} optrace_orders_fields;
static inline uint64_t optrace_orders_word1(optrace_orders_fields fields) {
  return (uint64_t)fields.lost | (uint64_t)fields.deep << 32;
}
static inline uint64_t optrace_orders_word2(optrace_orders_fields fields) {
  return (uint64_t)fields.alike | (uint64_t)fields.moved << 32;
}
static inline optrace_orders_fields optrace_orders_read(uint64_t word1, uint64_t word2) {
  return (optrace_orders_fields){.lost = (uint32_t)(word1), .deep = (uint32_t)(word1 >> 32), .alike = (uint32_t)(word2),
    .moved = (uint32_t)(word2 >> 32)};
}

// `thread-begun`
typedef struct {
  uint32_t by;
  uint32_t from;
  bool joined;
  uint64_t age;
} optrace_thread_begun_fields;
enum { optrace_thread_begun_largest_from = 0xFFFFFF };
static const uint64_t optrace_thread_begun_largest_age = 0xFFFFFFFFFFu;
static inline uint64_t optrace_thread_begun_word1(optrace_thread_begun_fields fields) {
  return (uint64_t)fields.by | ((uint64_t)fields.from & 0xFFFFFFu) << 32 | (uint64_t)fields.joined << 56;
}
static inline uint64_t optrace_thread_begun_word2(optrace_thread_begun_fields fields) {
  return (fields.age & 0xFFFFFFFFFFu);
}
static inline optrace_thread_begun_fields optrace_thread_begun_read(uint64_t word1, uint64_t word2) {
  return (optrace_thread_begun_fields){.by = (uint32_t)(word1), .from = (uint32_t)(word1 >> 32 & 0xFFFFFFu),
    .joined = word1 >> 56 & 1, .age = word2 & 0xFFFFFFFFFFu};
}

// `memory`
typedef struct {
  uint64_t interval;
  uint8_t how;
  uint8_t allocator;
  uint16_t refused;
  uint32_t room;
} optrace_memory_fields;
static const uint64_t optrace_memory_largest_interval = 0xFFFFFFFFFFu;
enum { optrace_memory_largest_how = 0xF };
enum { optrace_memory_largest_allocator = 0xF };
static inline uint64_t optrace_memory_word1(optrace_memory_fields fields) {
  return (fields.interval & 0xFFFFFFFFFFu) | ((uint64_t)fields.how & 0xFu) << 40 |
         ((uint64_t)fields.allocator & 0xFu) << 44 | (uint64_t)fields.refused << 48;
}
static inline uint64_t optrace_memory_word2(optrace_memory_fields fields) {
  return (uint64_t)fields.room;
}
static inline optrace_memory_fields optrace_memory_read(uint64_t word1, uint64_t word2) {
  return (optrace_memory_fields){.interval = word1 & 0xFFFFFFFFFFu, .how = (uint8_t)(word1 >> 40 & 0xFu),
    .allocator = (uint8_t)(word1 >> 44 & 0xFu), .refused = (uint16_t)(word1 >> 48), .room = (uint32_t)(word2)};
}

// `allocated`
typedef struct {
  uint64_t size;
  uint32_t thread;
  uint32_t number;
  uint8_t call;
  bool object;
  uint64_t age;
} optrace_allocated_fields;
static const uint64_t optrace_allocated_largest_size = 0xFFFFFFFFFFu;
enum { optrace_allocated_largest_thread = 0xFFFFFF };
enum { optrace_allocated_largest_call = 0xF };
enum { optrace_allocated_largest_age = 0x7FFFFFF };
static inline uint64_t optrace_allocated_word1(optrace_allocated_fields fields) {
  return (fields.size & 0xFFFFFFFFFFu) | ((uint64_t)fields.thread & 0xFFFFFFu) << 40;
}
static inline uint64_t optrace_allocated_word2(optrace_allocated_fields fields) {
  return (uint64_t)fields.number | ((uint64_t)fields.call & 0xFu) << 32 | (uint64_t)fields.object << 36 |
         (fields.age & 0x7FFFFFFu) << 37;
}
static inline optrace_allocated_fields optrace_allocated_read(uint64_t word1, uint64_t word2) {
  return (optrace_allocated_fields){.size = word1 & 0xFFFFFFFFFFu, .thread = (uint32_t)(word1 >> 40),
    .number = (uint32_t)(word2), .call = (uint8_t)(word2 >> 32 & 0xFu), .object = word2 >> 36 & 1, .age = word2 >> 37};
}

// `freed`
typedef struct {
  uint32_t class_;
  uint64_t age;
} optrace_freed_fields;
enum { optrace_freed_largest_class = 0xFFFF };
static const uint64_t optrace_freed_largest_age = 0xFFFFFFFFFFu;
static inline uint64_t optrace_freed_word1(optrace_freed_fields fields) {
  return ((uint64_t)fields.class_ & 0xFFFFu) | (fields.age & 0xFFFFFFFFFFu) << 24;
}
static inline optrace_freed_fields optrace_freed_read(uint64_t word1) {
  return (optrace_freed_fields){.class_ = (uint32_t)(word1 & 0xFFFFu), .age = word1 >> 24};
}

// `resized`
typedef struct {
  uint64_t size;
  uint64_t age;
} optrace_resized_fields;
static const uint64_t optrace_resized_largest_size = 0xFFFFFFFFFFu;
enum { optrace_resized_largest_age = 0xFFFFFF };
static inline uint64_t optrace_resized_word1(optrace_resized_fields fields) {
  return (fields.size & 0xFFFFFFFFFFu) | (fields.age & 0xFFFFFFu) << 40;
}
static inline optrace_resized_fields optrace_resized_read(uint64_t word1) {
  return (optrace_resized_fields){.size = word1 & 0xFFFFFFFFFFu, .age = word1 >> 40};
}

// `allocation-class`
typedef struct {
  uint32_t class_;
} optrace_allocation_class_fields;
enum { optrace_allocation_class_largest_class = 0xFFFF };
static inline uint64_t optrace_allocation_class_word1(optrace_allocation_class_fields fields) {
  return ((uint64_t)fields.class_ & 0xFFFFu);
}
static inline optrace_allocation_class_fields optrace_allocation_class_read(uint64_t word1) {
  return (optrace_allocation_class_fields){.class_ = (uint32_t)(word1 & 0xFFFFu)};
}

// `lives`
typedef struct {
  uint64_t size;
  uint32_t lived;
  uint32_t number;
  uint32_t class_;
  uint32_t thread;
} optrace_allocation_lives_fields;
static const uint64_t optrace_allocation_lives_largest_size = 0xFFFFFFFFFFu;
enum { optrace_allocation_lives_largest_lived = 0xFFFFFF };
enum { optrace_allocation_lives_largest_class = 0xFFFF };
enum { optrace_allocation_lives_largest_thread = 0xFFFF };
static inline uint64_t optrace_allocation_lives_word1(optrace_allocation_lives_fields fields) {
  return (fields.size & 0xFFFFFFFFFFu) | ((uint64_t)fields.lived & 0xFFFFFFu) << 40;
}
static inline uint64_t optrace_allocation_lives_word2(optrace_allocation_lives_fields fields) {
  return (uint64_t)fields.number | ((uint64_t)fields.class_ & 0xFFFFu) << 32 | ((uint64_t)fields.thread & 0xFFFFu) << 48;
}
static inline optrace_allocation_lives_fields optrace_allocation_lives_read(uint64_t word1, uint64_t word2) {
  return (optrace_allocation_lives_fields){.size = word1 & 0xFFFFFFFFFFu, .lived = (uint32_t)(word1 >> 40),
    .number = (uint32_t)(word2), .class_ = (uint32_t)(word2 >> 32 & 0xFFFFu), .thread = (uint32_t)(word2 >> 48)};
}

// `memory-use`
typedef struct {
  uint32_t resident;
  uint32_t anonymous;
  uint32_t peak;
  uint32_t lost;
} optrace_memory_use_fields;
static inline uint64_t optrace_memory_use_word1(optrace_memory_use_fields fields) {
  return (uint64_t)fields.resident | (uint64_t)fields.anonymous << 32;
}
static inline uint64_t optrace_memory_use_word2(optrace_memory_use_fields fields) {
  return (uint64_t)fields.peak | (uint64_t)fields.lost << 32;
}
static inline optrace_memory_use_fields optrace_memory_use_read(uint64_t word1, uint64_t word2) {
  return (optrace_memory_use_fields){.resident = (uint32_t)(word1), .anonymous = (uint32_t)(word1 >> 32),
    .peak = (uint32_t)(word2), .lost = (uint32_t)(word2 >> 32)};
}

// `outside`
typedef struct {
  bool core;
  bool moved;
  bool timed;
  uint32_t watched;
} optrace_outside_fields;
enum { optrace_outside_largest_watched = 0xFFFFFF };
static inline uint64_t optrace_outside_word1(optrace_outside_fields fields) {
  return (uint64_t)fields.core << 32 | (uint64_t)fields.moved << 33 | (uint64_t)fields.timed << 34 |
         ((uint64_t)fields.watched & 0xFFFFFFu) << 40;
}
// The half of that word that holds fields; the other holds lengths.
static inline uint32_t optrace_outside_high(optrace_outside_fields fields) {
  return (uint32_t)(optrace_outside_word1(fields) >> 32);
}
static inline optrace_outside_fields optrace_outside_read(uint64_t word1) {
  return (optrace_outside_fields){.core = word1 >> 32 & 1, .moved = word1 >> 33 & 1, .timed = word1 >> 34 & 1,
    .watched = (uint32_t)(word1 >> 40)};
}

// `only-by`
typedef struct {
  uint32_t by;
  uint32_t for_;
  uint32_t thread;
  uint32_t waiter;
  bool possibly;
} optrace_only_by_fields;
enum { optrace_only_by_largest_thread = 0xFFFFFF };
enum { optrace_only_by_largest_waiter = 0xFFFFFF };
static inline uint64_t optrace_only_by_word1(optrace_only_by_fields fields) {
  return (uint64_t)fields.by | (uint64_t)fields.for_ << 32;
}
static inline uint64_t optrace_only_by_word2(optrace_only_by_fields fields) {
  return ((uint64_t)fields.thread & 0xFFFFFFu) | ((uint64_t)fields.waiter & 0xFFFFFFu) << 24 |
         (uint64_t)fields.possibly << 48;
}
static inline optrace_only_by_fields optrace_only_by_read(uint64_t word1, uint64_t word2) {
  return (optrace_only_by_fields){.by = (uint32_t)(word1), .for_ = (uint32_t)(word1 >> 32),
    .thread = (uint32_t)(word2 & 0xFFFFFFu), .waiter = (uint32_t)(word2 >> 24 & 0xFFFFFFu), .possibly = word2 >> 48 & 1};
}

// `thread`
typedef struct {
  uint32_t tid;
} optrace_thread_named_fields;
static inline uint64_t optrace_thread_named_word1(optrace_thread_named_fields fields) {
  return (uint64_t)fields.tid << 32;
}
// The half of that word that holds fields; the other holds lengths.
static inline uint32_t optrace_thread_named_high(optrace_thread_named_fields fields) {
  return (uint32_t)(optrace_thread_named_word1(fields) >> 32);
}
static inline optrace_thread_named_fields optrace_thread_named_read(uint64_t word1) {
  return (optrace_thread_named_fields){.tid = (uint32_t)(word1 >> 32)};
}

// `thread-switched`
typedef struct {
  uint32_t tid;
} optrace_thread_switched_fields;
static inline uint64_t optrace_thread_switched_word1(optrace_thread_switched_fields fields) {
  return (uint64_t)fields.tid;
}
static inline optrace_thread_switched_fields optrace_thread_switched_read(uint64_t word1) {
  return (optrace_thread_switched_fields){.tid = (uint32_t)(word1)};
}

// `time`
typedef struct {
  uint64_t ticks;
} optrace_time_fields;
static inline uint64_t optrace_time_word1(optrace_time_fields fields) {
  return fields.ticks;
}
static inline optrace_time_fields optrace_time_read(uint64_t word1) {
  return (optrace_time_fields){.ticks = word1};
}

// `calibration`
typedef struct {
  uint64_t monotonic;
  uint64_t wall;
} optrace_calibration_fields;
static inline uint64_t optrace_calibration_word1(optrace_calibration_fields fields) {
  return fields.monotonic;
}
static inline uint64_t optrace_calibration_word2(optrace_calibration_fields fields) {
  return fields.wall;
}
static inline optrace_calibration_fields optrace_calibration_read(uint64_t word1, uint64_t word2) {
  return (optrace_calibration_fields){.monotonic = word1, .wall = word2};
}

// `lost`
typedef struct {
  uint64_t count;
} optrace_lost_fields;
static inline uint64_t optrace_lost_word1(optrace_lost_fields fields) {
  return fields.count;
}
static inline optrace_lost_fields optrace_lost_read(uint64_t word1) {
  return (optrace_lost_fields){.count = word1};
}

#endif
