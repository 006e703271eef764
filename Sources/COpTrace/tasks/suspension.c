// The offsets are private to the runtime, so they are verified before they are relied on: the record of what a task waits for must point
// back to the task, and the functions where it resumes must be code. The first suspensions are read with `peek`, so that a runtime with
// another layout does not cause a crash.
#include "suspension.h"

#include <string.h>

#include "../book/book.h"
#include "../records/stack_ids.h"
#include "../stacks/modules.h"
#include "../stacks/peek.h"
#include "task_records.h"

// Offsets in a task, and indexes of words in the record of what it waits for.
enum { resume_offset = 0x38, context_offset = 0x40, dependency_offset = 0xA0, dependency_words = 6 };
enum { word_object = 2, word_kind = 4, word_task = 5 };
// Indexes of words in an async function's context: the caller's context, and where the function returns to.
enum { word_parent = 0, word_return = 1 };
enum { careful_ones = 32, do_not_fit = UINT32_MAX };

static bool read(const void *from, size_t offset, void *to, size_t size, bool careful) {
  const uint8_t *at = (const uint8_t *)from + offset;
  if ((uintptr_t)at % 8 || (uintptr_t)at < 4096) return false;
  if (careful) return peek_all((uint64_t)(uintptr_t)at, to, size);
  memcpy(to, at, size);
  return true;
}

// The runtime's own code. Its functions at either end of a chain say nothing about the program.
static book_range runtime;

void suspension_prepare(void) {
  const void *function = book_find("swift_task_create");
  runtime = book_library_around((uint64_t)(uintptr_t)function);
  const module *library = runtime.high ? NULL : module_at(module_of((uint64_t)(uintptr_t)function));
  if (library && !library->is_own) runtime = (book_range){library->code_low, library->code_high};
}

// Stores where the functions resume, innermost first. False: these are not contexts.
static bool chain(const void *context, uint64_t *pcs, size_t *count, bool careful) {
  for (*count = 0; context && *count < most_waiting_functions;) {
    uint64_t words[2];
    if ((uintptr_t)context % 16 || !read(context, 0, words, sizeof words, careful)) return false;
    if (careful && !module_has_code(words[word_return])) return false;
    // Add one byte: the address is the first one of a function, and stacks contain return addresses, whose preceding byte is looked up.
    pcs[(*count)++] = words[word_return] + 1;
    context = (const void *)(uintptr_t)words[word_parent];
  }
  return true;
}

static uint32_t stack_id_of_chain(optrace_recorder *recorder, const uint64_t *pcs, size_t count) {
  // Drop the outermost addresses: the task's function returns to the runtime.
  while (count && pcs[count - 1] >= runtime.low && pcs[count - 1] < runtime.high) count--;
  return stack_id_of(recorder, pcs, count, count);
}

bool task_read(task_proof *proof, const void *task, bool wants_functions, task_reading *out) {
  *out = (task_reading){.reason = suspended_unknown};
  uint32_t until_now = atomic_load_explicit(&proof->proven, memory_order_relaxed);
  if (until_now == do_not_fit) return false;
  bool careful = until_now < careful_ones;
  uint64_t dependency, words[dependency_words];
  bool fits = read(task, dependency_offset, &dependency, sizeof dependency, careful) &&
              read((const void *)(uintptr_t)dependency, 0, words, sizeof words, careful) &&
              words[word_task] == (uint64_t)(uintptr_t)task && (uint32_t)words[word_kind] >= suspended_for_task &&
              (uint32_t)words[word_kind] <= suspended_for_executor;
  uint64_t resume = 0, context = 0;
  if (fits) {
    out->reason = (uint32_t)words[word_kind];
    if (out->reason == suspended_for_task) out->awaited = (const void *)(uintptr_t)words[word_object];
    // A continuation's context is stored in the task only after it has been suspended.
    if (out->reason == suspended_for_continuation) context = words[word_object];
    else
      fits = read(task, resume_offset, &resume, sizeof resume, careful) &&
             read(task, context_offset, &context, sizeof context, careful);
  }
  if (fits && wants_functions) {
    // Not after a wait for a task or a group, where a function of the runtime resumes first.
    size_t own = out->reason == suspended_for_executor && resume;
    if (own) out->pcs[0] = resume + 1;
    fits = chain((const void *)(uintptr_t)context, out->pcs + own, &out->count, careful);
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
  static task_proof proof;
  task_reading found;
  bool wants_functions = stacks_wanted(recorder);
  if (!task_read(&proof, task, wants_functions, &found)) return (task_suspension){suspended_unknown, NULL, 0};
  return (task_suspension){found.reason, found.awaited, wants_functions ? stack_id_of_chain(recorder, found.pcs, found.count) : 0};
}
