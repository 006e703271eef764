// The layout is private to the runtime, so it is verified at each task: the record of what it waits for must point back to the task, and
// the functions where it resumes must be code. The first suspensions are read with `peek`, so that a runtime with
// another layout does not cause a crash.
#include "suspension.h"

#include <string.h>

#include "../book/book.h"
#include "../records/stack_ids.h"
#include "../stacks/modules.h"
#include "../stacks/peek.h"
#include "task_records.h"

// How much is read at once of a record and of a context: as far as the layouts' last field of each.
enum { record_words = 6, context_words = 2 };
enum { careful_ones = 32, do_not_fit = UINT32_MAX };

static size_t word_at(uint16_t offset) { return offset / sizeof(uint64_t); }

static bool read(const void *from, size_t offset, void *to, size_t size, bool careful) {
  const uint8_t *at = (const uint8_t *)from + offset;
  if ((uintptr_t)at % 8 || (uintptr_t)at < 4096) return false;
  if (careful) return peek_all((uint64_t)(uintptr_t)at, to, size);
  memcpy(to, at, size);
  return true;
}

// The runtime's own code. Its functions at either end of a chain say nothing about the program.
static book_range runtime;
static task_proof proof;

void suspension_prepare(const optrace_task_layout *layout) {
  proof.layout = layout;
  const void *function = book_find("swift_task_create");
  runtime = book_library_around((uint64_t)(uintptr_t)function);
  const module *library = runtime.high ? NULL : module_at(module_of((uint64_t)(uintptr_t)function));
  if (library && !library->is_own) runtime = (book_range){library->code_low, library->code_high};
}

// Stores where the functions resume, innermost first. False: these are not contexts.
static bool chain(const optrace_task_layout *layout, const void *context, uint64_t *pcs, size_t *count, bool careful) {
  for (*count = 0; context && *count < most_waiting_functions;) {
    uint64_t words[context_words];
    if ((uintptr_t)context % 16 || !read(context, 0, words, sizeof words, careful)) return false;
    uint64_t resume = words[word_at(layout->context_return)];
    if (careful && !module_has_code(resume)) return false;
    // Add one byte: the address is the first one of a function, and stacks contain return addresses, whose preceding byte is looked up.
    pcs[(*count)++] = resume + 1;
    context = (const void *)(uintptr_t)words[word_at(layout->context_parent)];
  }
  return true;
}

static uint32_t stack_id_of_chain(optrace_recorder *recorder, const uint64_t *pcs, size_t count) {
  // Drop the outermost addresses: the task's function returns to the runtime.
  while (count && pcs[count - 1] >= runtime.low && pcs[count - 1] < runtime.high) count--;
  return stack_id_of(recorder, pcs, count, count);
}

typedef struct {
  uint64_t object;
  uint32_t kind;
} dependency;

// False: there is no record of what the task waits for.
static bool read_dependency(const optrace_task_layout *layout, const void *task, dependency *out, bool careful) {
  uint64_t record, words[record_words];
  if (!read(task, layout->dependency, &record, sizeof record, careful) ||
      !read((const void *)(uintptr_t)record, 0, words, sizeof words, careful))
    return false;
  *out = (dependency){words[word_at(layout->record_object)], (uint32_t)words[word_at(layout->record_kind)]};
  return words[word_at(layout->record_task)] == (uint64_t)(uintptr_t)task && out->kind >= suspended_for_task &&
         out->kind <= suspended_for_executor;
}

bool task_read(task_proof *proof, const void *task, bool wants_functions, task_reading *out) {
  *out = (task_reading){.reason = suspended_unknown};
  const optrace_task_layout *layout = proof->layout;
  uint32_t until_now = atomic_load_explicit(&proof->proven, memory_order_relaxed);
  if (!layout || until_now == do_not_fit) return false;
  bool careful = until_now < careful_ones;
  dependency on;
  uint64_t resume = 0, context = 0;
  bool fits = read_dependency(layout, task, &on, careful);
  if (fits) {
    out->reason = on.kind;
    if (out->reason == suspended_for_task) out->awaited = (const void *)(uintptr_t)on.object;
    // A continuation's context is stored in the task only after it has been suspended.
    if (out->reason == suspended_for_continuation) context = on.object;
    else
      fits = read(task, layout->resume, &resume, sizeof resume, careful) &&
             read(task, layout->context, &context, sizeof context, careful);
  }
  if (fits && wants_functions) {
    // Not after a wait for a task or a group, where a function of the runtime resumes first.
    size_t own = out->reason == suspended_for_executor && resume;
    if (own) out->pcs[0] = resume + 1;
    fits = (!own || !careful || module_has_code(resume)) &&
           chain(layout, (const void *)(uintptr_t)context, out->pcs + own, &out->count, careful);
    out->count += own;
  }
  if (!fits) {
    atomic_store_explicit(&proof->proven, do_not_fit, memory_order_relaxed);
    *out = (task_reading){.reason = suspended_unknown};
  } else if (careful) {
    atomic_compare_exchange_strong_explicit(&proof->proven, &until_now, until_now + 1, memory_order_relaxed, memory_order_relaxed);
  }
  return fits;
}

task_suspension task_suspension_of(optrace_recorder *recorder, const void *task) {
  task_reading found;
  bool wants_functions = stacks_wanted(recorder);
  if (!task_read(&proof, task, wants_functions, &found)) return (task_suspension){suspended_unknown, NULL, 0};
  return (task_suspension){found.reason, found.awaited, wants_functions ? stack_id_of_chain(recorder, found.pcs, found.count) : 0};
}
