#include "thread_name.h"

#include <pthread.h>
#include <stdio.h>

#include "COpTrace.h"
#include "filter.h"
#include "small_file.h"

// By calls that programs with a filter of system calls allow themselves.
static void read_name(char *out, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%u/comm", optrace_thread_id());
  size_t count = small_file_read(path, out, size);
  if (count && out[count - 1] == '\n') out[count - 1] = 0;
}

void own_thread_name(char *out, size_t size) {
  out[0] = 0;
  if (!system_call_begins()) return read_name(out, size);
  if (pthread_getname_np(pthread_self(), out, size) != 0) out[0] = 0;
  system_call_ends();
}
