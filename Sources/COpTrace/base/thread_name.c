#include "thread_name.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "COpTrace.h"
#include "filter.h"

// By calls that programs with a filter of system calls allow themselves.
static void read_name(char *out, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%u/comm", optrace_thread_id());
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ssize_t count = read(file, out, size - 1);
  close(file);
  if (count > 0 && out[count - 1] == '\n') count--;
  out[count > 0 ? count : 0] = 0;
}

void own_thread_name(char *out, size_t size) {
  out[0] = 0;
  if (!system_call_begins()) return read_name(out, size);
  if (pthread_getname_np(pthread_self(), out, size) != 0) out[0] = 0;
  system_call_ends();
}
