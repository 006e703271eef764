// Where Swift's concurrency runtime and libdispatch keep what OpTrace reads and no function tells: private layouts of 64-bit systems, by
// version, as plain data. Some readers use it in this process, others for the memory of another one. Nothing is read by a row before the
// row's checks hold; what does not fit is left out, and said. What Foundation has is found by its name (objects/fields.h), and what
// compilers put into programs is in layouts/swift_abi.h.
#ifndef COPTRACE_LAYOUTS_H
#define COPTRACE_LAYOUTS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Swift's tasks ---------------------------------------------------------------------------------------------------

// A runtime says which layout it has in this variable, of 32 bits. Runtimes before Swift 6.1 do not have it, which counts as 0.
#define OPTRACE_TASK_VERSION_SYMBOL "_swift_concurrency_debug_internal_layout_version"
// The size of a task in bytes, a word. The parts that only some tasks have follow it.
#define OPTRACE_TASK_SIZE_SYMBOL "_swift_concurrency_debug_asyncTaskSize"
// What a task resumes with before it has run, each a pointer: the second if it has a result.
#define OPTRACE_TASK_ADAPTER_SYMBOL "_swift_concurrency_debug_non_future_adapter"
#define OPTRACE_TASK_RESULT_ADAPTER_SYMBOL "_swift_concurrency_debug_future_adapter"

// Offsets in bytes.
typedef struct {
  uint32_t version;
  // In a task.
  uint16_t flags, id;        // 32 bits each; `id`: the lower half.
  uint16_t resume, context;  // The function that it resumes with, and that function's context.
  uint16_t dependency;       // The record of what it waits for; null: it does not wait.
  // In that record.
  uint16_t record_object;  // A task, a continuation's context, a group, or the two words of an executor.
  uint16_t record_kind;    // 32 bits: 1 task, 2 continuation, 3 group, 4 executor.
  uint16_t record_task;    // The task that waits.
  // In the context of an async function: the caller's context, and the function that the caller continues with.
  uint16_t context_parent, context_return;
  // In an `async let`: its task. The lowest four bits are flags.
  uint16_t let_task;
} optrace_task_layout;

enum { optrace_task_layout_count = 2 };
extern const optrace_task_layout optrace_task_layouts[optrace_task_layout_count];
// Null: this version of OpTrace does not know the layout.
const optrace_task_layout *optrace_task_layout_of(uint32_t version);

// ---- libdispatch's queues --------------------------------------------------------------------------------------------

// libdispatch exports the offsets and sizes of a queue's fields, in bytes, for debuggers. This is the variable's form since version 5.
#define OPTRACE_QUEUE_OFFSETS_SYMBOL "dispatch_queue_offsets"
typedef struct {
  uint16_t version;
  uint16_t label, label_size, flags, flags_size, serial, serial_size, width, width_size, running, running_size;
  uint16_t suspend_count, suspend_count_size, target, target_size, priority, priority_size;
} optrace_queue_offsets;
enum { optrace_queue_offsets_first_version = 5 };

// Widths of queues: how many blocks may run at once. The last one is of the queues that the system shares out.
enum { optrace_queue_width_serial = 1, optrace_queue_width_concurrent = 0xFFE, optrace_queue_width_global = 0xFFF };

// ---- What does not fit -----------------------------------------------------------------------------------------------

// Why something in this process is not recorded: its layout is not the known one. The list of sentences' parts ends with null.
const char *optrace_layouts_left_out(uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
