#include "moment.h"

#include <stdlib.h>
#include <string.h>

#include "ends.h"

typedef struct {
  moment_thread thread;
  bool has_moved;           // It had moved already in the first pass, and was counted there.
  thread_run run;
  uint64_t arguments[6];
} seen_once;

typedef struct {
  const moment_calls *calls;
  seen_once *all;
  size_t count, room;
  uint32_t lost;            // Threads for which there was no memory.
} moment;

moment_thread moment_of(const thread_seen *seen) {
  moment_thread thread = {.id = seen->id, .state = seen->state, .is_running = seen->is_running, .cpu = seen->cpu,
                        .call = seen->call, .reason = {.kind = sleep_unknown}};
  memcpy(thread.name, seen->name, sizeof thread.name);
  return thread;
}

void moment_explain(moment_thread *thread, const uint64_t arguments[6]) {
  if (!thread->is_running && thread->call >= 0) thread->reason = locks_explain(thread->call, arguments);
}

static void add(void *context, const thread_seen *seen) {
  moment *m = context;
  if (m->count == m->room) {
    size_t room = m->room ? m->room * 2 : 64;
    seen_once *all = realloc(m->all, room * sizeof *all);
    if (!all) {
      m->lost++;
      return;
    }
    m->all = all;
    m->room = room;
  }
  seen_once *one = &m->all[m->count++];
  *one = (seen_once){.has_moved = seen->has_moved, .run = seen->run};
  one->thread = moment_of(seen);
  memcpy(one->arguments, seen->arguments, sizeof seen->arguments);
  if (seen->depth) one->thread.stack = m->calls->stack_id(m->calls->context, seen);
}

static void settle(seen_once *one, threads_count *count) {
  if (one->thread.is_running || !one->run.times) return;
  one->thread.is_still = !one->has_moved && threads_is_still(one->thread.id, &one->run);
  if (one->thread.is_still) return;
  count->moved += !one->has_moved;
  one->thread.call = -1;
  one->thread.stack = 0;
  one->thread.reason = (sleep_reason){.kind = sleep_unknown};
}

// Who has the other ends of what the threads wait for that have not run. That takes longer than the moment, so it counts only for threads
// that have not run until then either.
static void explain_ends(moment *m) {
  sleeping_call *calls = malloc(m->count * sizeof *calls);
  size_t count = 0;
  for (size_t i = 0; calls && i < m->count; i++) {
    seen_once *one = &m->all[i];
    if (one->thread.is_still && one->thread.call >= 0)
      calls[count++] = (sleeping_call){one->thread.call, one->arguments, &one->thread.reason};
  }
  if (count) ends_explain(calls, count);
  free(calls);
  for (size_t i = 0; i < m->count; i++) {
    seen_once *one = &m->all[i];
    if (ends_are_known(&one->thread.reason) && !threads_is_still(one->thread.id, &one->run)) ends_forget(&one->thread.reason);
  }
}

threads_status moment_take(const threads_options *options, const moment_calls *calls, threads_count *count) {
  moment m = {.calls = calls};
  threads_status status = threads_visit(options, add, &m, count);
  count->refused += m.lost;
  // This is the moment: all threads have been visited once. A sleeping thread that has not run by the second pass was asleep all the time.
  for (size_t i = 0; i < m.count; i++) moment_explain(&m.all[i].thread, m.all[i].arguments);
  if (calls->between) calls->between(calls->context);
  for (size_t i = 0; i < m.count; i++) settle(&m.all[i], count);
  explain_ends(&m);
  for (size_t i = 0; i < m.count; i++) calls->report(calls->context, &m.all[i].thread);
  free(m.all);
  return status;
}
