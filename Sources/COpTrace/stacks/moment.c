#include "moment.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  moment_thread told;
  bool has_moved;           // In the first pass, and counted there.
  thread_run run;
  uint64_t arguments[6];
} kept;

typedef struct {
  const moment_calls *calls;
  kept *all;
  size_t count, room;
  uint32_t lost;            // There was no memory.
} moment;

moment_thread moment_of(const thread_seen *seen) {
  moment_thread told = {.id = seen->id, .state = seen->state, .is_running = seen->is_running, .cpu = seen->cpu,
                        .call = seen->call, .reason = {.kind = sleep_unknown}};
  memcpy(told.name, seen->name, sizeof told.name);
  return told;
}

void moment_explain(moment_thread *told, const uint64_t arguments[6]) {
  if (!told->is_running && told->call >= 0) told->reason = locks_explain(told->call, arguments);
}

static void keep(void *context, const thread_seen *seen) {
  moment *m = context;
  if (m->count == m->room) {
    size_t room = m->room ? m->room * 2 : 64;
    kept *all = realloc(m->all, room * sizeof *all);
    if (!all) {
      m->lost++;
      return;
    }
    m->all = all;
    m->room = room;
  }
  kept *one = &m->all[m->count++];
  *one = (kept){.has_moved = seen->has_moved, .run = seen->run};
  one->told = moment_of(seen);
  memcpy(one->arguments, seen->arguments, sizeof seen->arguments);
  if (seen->depth) one->told.place = m->calls->place(m->calls->context, seen);
}

static void settle(kept *one, threads_count *count) {
  if (one->told.is_running || !one->run.times) return;
  one->told.is_still = !one->has_moved && threads_is_still(one->told.id, &one->run);
  if (one->told.is_still) return;
  count->moved += !one->has_moved;
  one->told.call = -1;
  one->told.place = 0;
  one->told.reason = (sleep_reason){.kind = sleep_unknown};
}

threads_status moment_take(const threads_options *options, const moment_calls *calls, threads_count *count) {
  moment m = {.calls = calls};
  threads_status status = threads_visit(options, keep, &m, count);
  count->refused += m.lost;
  // Every thread has been seen by now, and none of those that sleep may have run when the second pass is over.
  for (size_t i = 0; i < m.count; i++) moment_explain(&m.all[i].told, m.all[i].arguments);
  if (calls->between) calls->between(calls->context);
  for (size_t i = 0; i < m.count; i++) settle(&m.all[i], count);
  for (size_t i = 0; i < m.count; i++) calls->tell(calls->context, &m.all[i].told);
  free(m.all);
  return status;
}
