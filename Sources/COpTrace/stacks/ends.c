#include "ends.h"

#include "COpTraceFormat.h"
#include "events.h"
#include "peek.h"
#include "supported.h"

static bool may_have_ends(const sleep_reason *reason) {
  return reason->kind == sleep_child || reason->kind == sleep_input || reason->kind == sleep_poll;
}

bool ends_are_known(const sleep_reason *reason) { return may_have_ends(reason) && reason->lock >> optrace_event_end_shift; }

void ends_forget(sleep_reason *reason) { reason->lock &= (1ull << optrace_event_end_shift) - 1; }

#if OPTRACE_STACKS && defined(__linux__)

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/filter.h"
#include "../base/small_file.h"
#include "children.h"
#include "peers.h"

// A snapshot is taken every ten seconds while nothing moves. 16,000 descriptors take about 20 ms; beyond that nothing is said.
enum { most_wanted = 256, most_processes = 2048, most_files = 16384, most_others = 8, most_peers = 64, most_calls = 64 };

// Other processes, each once.
typedef struct {
  uint32_t all[most_others];
  uint32_t count;         // Of those that fit, and one more for all others.
} process_list;

static void add_process(process_list *list, uint32_t process) {
  for (uint32_t i = 0; i < list->count && i < most_others; i++)
    if (list->all[i] == process) return;
  if (list->count < most_others) list->all[list->count] = process;
  if (list->count <= most_others) list->count++;
}

// An end that somebody has to use for the thread to go on.
typedef struct {
  uint64_t inode;
  enum { end_of_pipe_to_read, end_of_pipe_to_write, end_of_socket } kind;
  uint32_t child;         // The process that waits for this end; its own descriptors do not count. 0: a thread of this process waits.
  uint32_t own;           // Descriptors of this process.
  process_list others;    // Who has it, too.
} wanted_end;

typedef struct {
  wanted_end wanted[most_wanted];
  uint32_t count, looked; // Those behind `looked` have not been looked for yet.
  bool is_whole;          // Nothing was left out.
  char process[16];       // The name in /proc of the one whose threads wait.
  // The peers of sockets of this process, which take long to find.
  struct { uint64_t inode, peer; } peers[most_peers];
  uint32_t peer_count;
  // What other processes do, which takes long to find, too.
  struct { uint32_t process; process_call call; } calls[most_calls];
  uint32_t call_count;
} looked_for;

// ---- What is wanted ----------------------------------------------------------------------------------------------------

// What is known of an end; null: nothing yet. Then it will be looked for.
static const wanted_end *find(looked_for *all, const wanted_end *end) {
  for (uint32_t i = 0; i < all->count; i++) {
    const wanted_end *one = &all->wanted[i];
    if (one->inode == end->inode && one->kind == end->kind && one->child == end->child) return i < all->looked ? one : NULL;
  }
  if (all->count < most_wanted) all->wanted[all->count++] = *end;
  else all->is_whole = false;
  return NULL;
}

// The number in "pipe:[123]"; 0: it is something else.
static uint64_t inode_in(const char *target, const char *kind) {
  size_t length = strlen(kind);
  return strncmp(target, kind, length) == 0 && target[length] == '[' ? strtoull(target + length + 1, NULL, 10) : 0;
}

static bool target_of(const char *process, uint64_t file, char *out, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%s/fd/%llu", process, (unsigned long long)file);
  ssize_t length = readlink(path, out, size - 1);
  out[length > 0 ? length : 0] = 0;
  return length > 0;
}

static uint64_t peer_once(looked_for *all, uint32_t file, uint64_t inode) {
  for (uint32_t i = 0; i < all->peer_count; i++)
    if (all->peers[i].inode == inode) return all->peers[i].peer;
  if (all->peer_count == most_peers) return 0;
  uint64_t peer = peek_process() ? peer_of_other(process_looked_at(), inode) : peer_of(file, inode);
  all->peers[all->peer_count].inode = inode;
  all->peers[all->peer_count++].peer = peer;
  return peer;
}

// The other end of this descriptor. False: that is not known, or not only one.
static bool other_end(looked_for *all, const char *process, uint32_t child, uint32_t file, bool reads, bool writes, wanted_end *out) {
  char target[64];
  if (!target_of(process, file, target, sizeof target)) return false;
  *out = (wanted_end){.inode = inode_in(target, "pipe:"), .child = child};
  if (out->inode) {
    out->kind = reads ? end_of_pipe_to_write : end_of_pipe_to_read;
    return reads != writes;
  }
  out->kind = end_of_socket;
  uint64_t own = inode_in(target, "socket:");
  if (own) out->inode = child ? peer_of_unix(own) : peer_once(all, file, own);
  return out->inode != 0;
}

// ---- Who has it --------------------------------------------------------------------------------------------------------

static bool may_use(const char *process, const char *file, bool reads) {
  char path[64], info[512];
  snprintf(path, sizeof path, "/proc/%s/fdinfo/%s", process, file);
  if (!small_file_read(path, info, sizeof info)) return true;
  const char *flags = strstr(info, "flags:");
  uint64_t mode = flags ? strtoull(flags + strlen("flags:"), NULL, 8) & O_ACCMODE : O_RDWR;
  return mode == O_RDWR || mode == (reads ? O_RDONLY : O_WRONLY);
}

static void note_file(looked_for *all, const char *process, uint32_t id, const char *file, const char *target) {
  uint64_t pipe = inode_in(target, "pipe:"), inode = pipe ? pipe : inode_in(target, "socket:");
  for (uint32_t i = all->looked; inode && i < all->count; i++) {
    wanted_end *one = &all->wanted[i];
    if (one->inode != inode || (one->kind == end_of_socket) != !pipe || (one->child && one->child == id)) continue;
    if (pipe && !may_use(process, file, one->kind == end_of_pipe_to_read)) continue;
    if (id) add_process(&one->others, id);
    else one->own++;
  }
}

// `id` 0: the process that is looked at. What relatives have that may not be read (setuid, another user) is not known; strangers hardly have
// such a descriptor.
static void look_in(looked_for *all, const char *process, uint32_t id, uint32_t *files) {
  char path[64], target[64];
  snprintf(path, sizeof path, "/proc/%s/fd", process);
  DIR *folder = opendir(path);
  if (!folder) {
    if (errno == EACCES && process_is_related(id)) all->is_whole = false;
    return;
  }
  for (const struct dirent *file; (file = readdir(folder));) {
    if (file->d_name[0] == '.') continue;
    if (++*files > most_files) all->is_whole = false;
    if (!all->is_whole) break;
    ssize_t length = readlinkat(dirfd(folder), file->d_name, target, sizeof target - 1);
    if (length <= 0) continue;
    target[length] = 0;
    note_file(all, process, id, file->d_name, target);
  }
  closedir(folder);
}

static void look(looked_for *all) {
  uint32_t processes = 0, files = 0, own = process_looked_at();
  look_in(all, all->process, 0, &files);
  DIR *folder = opendir("/proc");
  if (!folder) {
    all->is_whole = false;
    return;
  }
  // A filter of system calls waits until this is over.
  for (const struct dirent *process; all->is_whole && (process = readdir(folder));) {
    if (system_is_filtered()) all->is_whole = false;
    uint32_t id = (uint32_t)strtoul(process->d_name, NULL, 10);
    if (!id || id == own) continue;
    if (++processes > most_processes) all->is_whole = false;
    else look_in(all, process->d_name, id, &files);
  }
  closedir(folder);
  all->looked = all->count;
}

// ---- The answer --------------------------------------------------------------------------------------------------------

typedef struct {
  uint32_t end, process;
} answer;

static process_call call_known(looked_for *all, uint32_t process) {
  for (uint32_t i = 0; i < all->call_count; i++)
    if (all->calls[i].process == process) return all->calls[i].call;
  if (all->call_count == most_calls) return (process_call){.process = process};
  process_call call = call_of_process(process);
  all->calls[all->call_count].process = process;
  all->calls[all->call_count++].call = call;
  return call;
}

// A process that is stopped, or waits for this process alone, like the one that waits for it.
static answer answer_of_process(looked_for *all, uint32_t process) {
  process_call call = call_known(all, process);
  wanted_end end;
  char text[16];
  if (call.is_stopped) return (answer){optrace_event_end_stopped, call.process};
  snprintf(text, sizeof text, "%u", call.process);
  if (!call.has_file || !other_end(all, text, call.process, call.file, !call.writes, call.writes, &end))
    return (answer){optrace_event_end_other, process};
  const wanted_end *found = find(all, &end);
  if (!found || found->others.count || !found->own) return (answer){optrace_event_end_other, process};
  return (answer){call.writes ? optrace_event_end_writer : optrace_event_end_reader, call.process};
}

// The descriptors of one call.
typedef struct {
  looked_for *all;
  int files;
  bool has_unknown;       // One that nobody can know …
  bool has_new;           // … and one that will be looked for.
  process_list others;
} files_of_call;

static void visit(void *context, uint32_t file, bool reads, bool writes) {
  files_of_call *call = context;
  wanted_end end;
  call->files++;
  // One that nobody can know is enough.
  if (call->has_unknown || events_only_from_here(file)) return;
  bool can_be_known = other_end(call->all, call->all->process, 0, file, reads, writes, &end);
  const wanted_end *found = can_be_known ? find(call->all, &end) : NULL;
  call->has_unknown |= !can_be_known || (found && !found->others.count && !found->own);
  call->has_new |= can_be_known && !found;
  for (uint32_t i = 0; found && i < found->others.count; i++) add_process(&call->others, i < most_others ? found->others.all[i] : 0);
}

// One process that does not wait for this one is enough.
static answer answer_of_processes(looked_for *all, const process_list *list) {
  answer first = answer_of_process(all, list->all[0]);
  for (uint32_t i = 1; i < list->count; i++) {
    answer next = i < most_others ? answer_of_process(all, list->all[i]) : (answer){optrace_event_end_other, list->all[0]};
    if (first.end != optrace_event_end_other && next.end == optrace_event_end_other) first = next;
  }
  return first;
}

static answer answer_of_files(looked_for *all, const sleeping_call *of) {
  files_of_call call = {.all = all};
  int count = events_visit(of->call, of->arguments, visit, &call);
  if (!count || count != call.files || call.has_unknown || call.has_new) return (answer){0};
  return call.others.count ? answer_of_processes(all, &call.others) : (answer){optrace_event_end_own, 0};
}

static answer explain(looked_for *all, const sleeping_call *of) {
  if (of->reason->kind == sleep_child) {
    uint32_t child = child_waited_for(of->call, of->arguments);
    return child ? answer_of_process(all, child) : (answer){0};
  }
  uint32_t holder = file_lock_holder(of->call, of->arguments);
  if (holder && holder == process_looked_at()) return (answer){optrace_event_end_own, 0};
  return holder ? (answer){optrace_event_end_other, holder} : answer_of_files(all, of);
}

// Whether nobody can ask for the time limit that a call on a descriptor may have: that of another process's socket.
static bool may_be_timed(uint32_t file) {
  char process[16], target[64];
  if (!peek_process()) return false;
  snprintf(process, sizeof process, "%u", process_looked_at());
  return !target_of(process, file, target, sizeof target) || inode_in(target, "socket:");
}

static bool is_asked_for(const sleeping_call *of) {
  sleep_kind kind = of->reason->kind;
  if (kind == sleep_child) return true;
  if (of->reason->timed) return false;
  uint32_t file;
  bool writes;
  if (kind == sleep_input) return events_file_of(of->call, of->arguments, &file, &writes) && !may_be_timed(file);
  return kind == sleep_poll && events_are_endless(of->call, of->arguments);
}

static void note(const sleeping_call *of, answer found) {
  if (found.process > optrace_event_end_largest_process) return;
  of->reason->lock |= (uint64_t)found.end << optrace_event_end_shift | (uint64_t)found.process << optrace_event_end_process_shift;
}

static void explain_all(looked_for *all, const sleeping_call *calls, size_t count, bool is_noted) {
  for (size_t i = 0; i < count; i++) {
    if (!is_asked_for(&calls[i])) continue;
    answer found = explain(all, &calls[i]);
    if (is_noted) note(&calls[i], found);
  }
}

void ends_explain(const sleeping_call *calls, size_t count) {
  enum { most_looks = 2 };  // What the process at the other end waits for is known after the first.
  size_t asked = 0;
  for (size_t i = 0; i < count; i++) asked += is_asked_for(&calls[i]);
  // Of a core there is nothing to ask. Filters of system calls may kill whoever asks.
  if (!asked || peek_process() == peek_nobody || system_began_filtered() || !system_call_begins()) return;
  looked_for *all = calloc(1, sizeof *all);
  if (!all) return system_call_ends();
  int error = errno;
  all->is_whole = true;
  if (peek_process()) snprintf(all->process, sizeof all->process, "%u", process_looked_at());
  else strcpy(all->process, "self");
  for (int looks = 0; all->is_whole && looks < most_looks; looks++) {
    explain_all(all, calls, count, false);
    if (all->count == all->looked) break;
    look(all);
  }
  if (all->is_whole) explain_all(all, calls, count, true);
  free(all);
  errno = error;
  system_call_ends();
}

#else

void ends_explain(const sleeping_call *calls, size_t count) { (void)calls, (void)count; }

#endif
