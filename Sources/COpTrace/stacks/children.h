// The child that a thread waits for, what another process waits for, and who has the lock of a file, from /proc.
#ifndef OPTRACE_CHILDREN_H
#define OPTRACE_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>

// The process whose threads are looked at: this one, or another one that `peek` reads.
uint32_t process_looked_at(void);

// For wait4 and waitid, in that process: the child; 0: not known, or one of several.
uint32_t child_waited_for(int32_t call, const uint64_t arguments[6]);

typedef struct {
  uint32_t process;       // The one that was asked for, or the descendant that it waits for in turn.
  bool is_stopped;        // By a signal, until somebody continues it.
  bool has_file;          // It has one thread, which sleeps while it reads or writes `file`, one of its own descriptors.
  bool writes;
  uint32_t file;
} process_call;

// What a process does. All false: something else, or the system does not tell.
process_call call_of_process(uint32_t process);

// Whether a process is that one's parent, child, or of its session: then it may have descriptors of that one.
bool process_is_related(uint32_t process);

// For flock, and fcntl that locks: the process that has the lock; one that is not this process, if there is one. 0: it is not known.
uint32_t file_lock_holder(int32_t call, const uint64_t arguments[6]);

#endif
