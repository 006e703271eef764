// A look at the threads of another process, which does not answer, by who asks for it.
#include "../stacks/threads.h"
#include "COpTrace.h"
#include "seen.h"

typedef struct {
  void *context;
  void (*see)(void *context, const optrace_outside_thread *thread);
} listener;

static void see(void *context, const thread_seen *seen) {
  const listener *to = context;
  moment_thread told = moment_of(seen);
  // One that a signal stopped sleeps on in the call that it was in; outside of all calls it has worked until then.
  if (seen->state == 'T' && seen->pc) {
    if (seen->call < 0) told.is_running = true;
    else told.state = 'S';
  }
  moment_explain(&told, seen->arguments);
  optrace_outside_thread out = {.id = seen->id, .owner = told.reason.owner, .name = seen->name, .addresses = seen->pcs,
                                .depth = seen->depth, .guessed = seen->guessed};
  seen_words(&told, 0, out.words);
  to->see(to->context, &out);
}

bool optrace_snapshot_outside(uint32_t process, void *context, void (*told)(void *context, const optrace_outside_thread *thread),
                          optrace_outside_count *count) {
  listener to = {context, told};
  threads_options options = {.process = process};
  threads_count counted = {0};
  bool is_done = process && threads_visit(&options, see, &to, &counted) == threads_visited;
  *count = (optrace_outside_count){counted.seen, counted.moved, counted.refused};
  return is_done;
}
