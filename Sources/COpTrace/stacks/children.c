#include "children.h"

#include "supported.h"

#if OPTRACE_STACKS && defined(__linux__)

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/small_file.h"
#include "calls.h"
#include "events.h"
#include "peek.h"

enum { most_processes = 4096, deepest = 8 };

static bool read_of(uint32_t process, const char *name, char *out, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%u/%s", process, name);
  return small_file_read(path, out, size) > 0;
}

// ---- Children ----------------------------------------------------------------------------------------------------------

typedef struct {
  char state;
  uint32_t parent, session, threads;
} process_stat;

// "12 (a name) S 1 ...": the name may contain anything. The state is the third field, the session the sixth, the number of threads the 20th.
static bool read_stat(uint32_t process, process_stat *out) {
  char text[1024];
  if (!read_of(process, "stat", text, sizeof text)) return false;
  const char *at = strrchr(text, ')');
  if (!at || at[1] != ' ') return false;
  out->state = at[2];
  out->parent = (uint32_t)strtoul(at + 3, NULL, 10);
  out->session = 0;
  for (int field = 2; at && field < 20; field++) {
    at = strchr(at + 1, ' ');
    if (at && field == 5) out->session = (uint32_t)strtoul(at, NULL, 10);
  }
  out->threads = at ? (uint32_t)strtoul(at, NULL, 10) : 0;
  return true;
}

uint32_t process_looked_at(void) {
  uint32_t other = peek_process();
  return other && other != peek_nobody ? other : (uint32_t)getpid();
}

bool process_is_related(uint32_t process) {
  process_stat stat, own;
  if (!read_stat(process, &stat)) return false;
  // Of one that is gone nothing is known.
  if (!read_stat(process_looked_at(), &own)) return true;
  return stat.parent == process_looked_at() || process == own.parent || stat.session == own.session;
}

static uint32_t only_child(uint32_t of) {
  DIR *folder = opendir("/proc");
  uint32_t found = 0, count = 0, processes = 0;
  for (const struct dirent *one; folder && (one = readdir(folder)) && processes <= most_processes;) {
    uint32_t process = (uint32_t)strtoul(one->d_name, NULL, 10);
    process_stat stat;
    if (!process) continue;
    processes++;
    if (!read_stat(process, &stat) || stat.parent != of) continue;
    found = process;
    count++;
  }
  if (folder) closedir(folder);
  return count == 1 && processes <= most_processes ? found : 0;
}

// The child that a process waits for in this call.
static uint32_t child_in(uint32_t process, int32_t call, const uint64_t arguments[6]) {
  int32_t asked = -1;
  if (call == SYS_wait4) {
    asked = (int32_t)arguments[0];
    if (asked == 0 || asked < -1) return 0;
  } else {
    if (arguments[0] == P_PID) asked = (int32_t)arguments[1];
    else if (arguments[0] != P_ALL) return 0;
  }
  return asked > 0 ? (uint32_t)asked : only_child(process);
}

// The system call in which the main thread of a process sleeps.
static bool read_call(uint32_t process, int32_t *call, uint64_t arguments[6]) {
  char text[256], *at;
  if (!read_of(process, "syscall", text, sizeof text)) return false;
  *call = (int32_t)strtol(text, &at, 10);
  if (at == text || *call < 0) return false;
  for (int i = 0; i < 6; i++) arguments[i] = strtoull(at, &at, 16);
  return true;
}

uint32_t child_waited_for(int32_t call, const uint64_t arguments[6]) { return child_in(process_looked_at(), call, arguments); }

process_call call_of_process(uint32_t process) {
  process_call found = {.process = process};
  for (int depth = 0; depth < deepest; depth++) {
    process_stat stat;
    int32_t call;
    uint64_t arguments[6];
    if (!read_stat(process, &stat)) break;
    found.process = process;
    found.is_stopped = stat.state == 'T';
    if (found.is_stopped || stat.threads != 1 || stat.state != 'S' || !read_call(process, &call, arguments)) break;
    const sleep_call *known = sleep_call_find(call);
    found.has_file = events_file_of(call, arguments, &found.file, &found.writes);
    if (!known || known->kind != sleep_child || !(process = child_in(process, call, arguments))) break;
  }
  return found;
}

// ---- Locks of files ----------------------------------------------------------------------------------------------------

// The word for the kind of lock in /proc/locks; null: the call waits for none, or for one of which the system does not tell the holder.
static const char *kind_of_lock(int32_t call, const uint64_t arguments[6]) {
  if (call == SYS_flock) return "FLOCK";
  return call == SYS_fcntl && (int32_t)arguments[1] == F_SETLKW ? "POSIX" : NULL;
}

// "1: FLOCK  ADVISORY  WRITE 123 08:02:456 0 EOF"; with "->" behind the number for who waits.
static uint32_t holder_in(const char *line, const char *kind, const struct statx *of) {
  char type[16], rest[3][16];
  long process;
  unsigned major_number, minor_number;
  unsigned long long inode;
  if (sscanf(line, "%*d: %15s %15s %15s %ld %x:%x:%llu", type, rest[0], rest[1], &process, &major_number, &minor_number, &inode) != 7)
    return 0;
  bool is_it = strcmp(type, kind) == 0 && inode == of->stx_ino && major_number == of->stx_dev_major && minor_number == of->stx_dev_minor;
  return is_it && process > 0 ? (uint32_t)process : 0;
}

uint32_t file_lock_holder(int32_t call, const uint64_t arguments[6]) {
  const char *kind = kind_of_lock(call, arguments);
  struct statx of;
  // Never asks a server of files, which may be what the program waits for.
  if (!kind || statx((int)arguments[0], "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &of) != 0) return 0;
  FILE *locks = fopen("/proc/locks", "re");
  char line[256];
  uint32_t found = 0, own = (uint32_t)getpid();
  while (locks && fgets(line, sizeof line, locks)) {
    uint32_t holder = holder_in(line, kind, &of);
    if (holder && (!found || found == own)) found = holder;
  }
  if (locks) fclose(locks);
  // Of POSIX locks a process never waits for its own.
  return found == own && call != SYS_flock ? 0 : found;
}

#else

uint32_t process_looked_at(void) { return 0; }

uint32_t child_waited_for(int32_t call, const uint64_t arguments[6]) {
  (void)call, (void)arguments;
  return 0;
}

process_call call_of_process(uint32_t process) {
  (void)process;
  return (process_call){0};
}

bool process_is_related(uint32_t process) {
  (void)process;
  return false;
}

uint32_t file_lock_holder(int32_t call, const uint64_t arguments[6]) {
  (void)call, (void)arguments;
  return 0;
}

#endif
