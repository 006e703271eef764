// A snapshot of another process's threads, taken from outside because the process does not answer.
#include "../stacks/threads.h"
#include "COpTrace.h"
#include "seen.h"

typedef struct {
  void *context;
  void (*see)(void *context, const optrace_outside_thread *thread);
} receiver;

static void explain(void *context, const thread_seen *seen) {
  const receiver *to = context;
  moment_thread explained = moment_of(seen);
  // A thread that a signal has stopped. If it was in a system call, it will go on sleeping there; otherwise it was running.
  if (seen->state == 'T' && seen->pc) {
    if (seen->call < 0) explained.is_running = true;
    else explained.state = 'S';
  }
  moment_explain(&explained, seen->arguments);
  optrace_outside_thread out = {.id = seen->id, .owner = explained.reason.owner, .name = seen->name, .addresses = seen->pcs,
                                .depth = seen->depth, .guessed = seen->guessed};
  seen_words(&explained, 0, out.words);
  to->see(to->context, &out);
}

bool optrace_snapshot_outside(uint32_t process, void *context,
                              void (*see)(void *context, const optrace_outside_thread *thread), optrace_outside_count *count) {
  receiver to = {context, see};
  threads_options options = {.process = process};
  threads_count counted = {0};
  bool is_done = process && threads_visit(&options, explain, &to, &counted) == threads_visited;
  *count = (optrace_outside_count){counted.seen, counted.moved, counted.refused};
  return is_done;
}
