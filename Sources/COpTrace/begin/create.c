#include "create.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "header.h"
#include "paths.h"
#include "../base/own_lock.h"

enum { most_numbers = 1000, most_rounds = 500, rounds_when_empty = 50, pause_microseconds = 2000 };

// -1, and errno.
static int open_new(const char *path) {
  int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return -1;
  if (descriptor <= STDERR_FILENO) {
    // The program has closed a standard stream. With such a low number, whatever it still writes there would go into the trace.
    int low = descriptor, error;
    descriptor = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    error = errno;
    close(low);
    if (descriptor < 0) {
      unlink(path);
      errno = error;
      return -1;
    }
  }
  // Until the first word is written, the lock shows other recorders that the file is in use. It is released with the descriptor, at
  // the latest when the process ends. On a file system without locks they wait for as long as a file usually stays empty.
  flock(descriptor, LOCK_EX | LOCK_NB);
  return descriptor;
}

// ---- The file that already has the name -----------------------------------------------------------------------------

typedef enum { finished_trace, live_trace, another } occupant;

static bool is_zero(const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (bytes[i]) return false;
  return true;
}

// Whether the file has only reserved space, because its process was killed before it wrote the first word.
static bool is_unwritten(int descriptor) {
  uint8_t bytes[4096];
  for (off_t offset = 0;;) {
    ssize_t count = pread(descriptor, bytes, sizeof bytes, offset);
    if (count <= 0) return count == 0;
    if (!is_zero(bytes, (size_t)count)) return false;
    offset += count;
  }
}

// Whether the process that writes an open trace is alive. The start time is compared, too, because a process id may be reused.
static bool is_alive(const uint8_t *header) {
  uint8_t boot[16];
  uint32_t process;
  uint64_t start, now;
  memcpy(&process, header + optrace_header_process_id, sizeof process);
  memcpy(&start, header + optrace_header_process_start, sizeof start);
  optrace_boot_id(boot);
  now = optrace_process_start(process);
  return memcmp(header + optrace_header_boot_id, boot, sizeof boot) == 0 && now != 0 && now == start;
}

static occupant examine(int descriptor) {
  uint8_t header[optrace_header_size] = {0};
  struct stat info;
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) return another;
  ssize_t count = pread(descriptor, header, sizeof header, 0);
  // The file is empty, or has only reserved space: perhaps another recorder is starting at this moment.
  for (int round = 0; round < most_rounds && is_zero(header, trace_magic_size); round++) {
    if (flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) return live_trace;
    flock(descriptor, LOCK_UN);
    if (count == 0 && round >= rounds_when_empty) return finished_trace;
    usleep(pause_microseconds);
    count = pread(descriptor, header, sizeof header, 0);
  }
  if (count < trace_magic_size || memcmp(header, TRACE_MAGIC, trace_magic_size) != 0)
    return is_unwritten(descriptor) ? finished_trace : another;
  uint32_t state;
  memcpy(&state, header + optrace_header_state, sizeof state);
  if (count != sizeof header || state != optrace_file_state_open) return finished_trace;
  return is_alive(header) ? live_trace : finished_trace;
}

static occupant occupant_of(const char *path) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return another;
  occupant found = examine(descriptor);
  close(descriptor);
  return found;
}

// ---- Creating ------------------------------------------------------------------------------------------------------

// A new file under a temporary name, then renamed over the old one. -1, and errno.
static int replace(const char *path) {
  char end[48];
  uint32_t number = (uint32_t)(optrace_clock_ticks() * 0x9E3779B97F4A7C15ull >> 32);
  snprintf(end, sizeof end, ".%ld-%u", (long)getpid(), number);
  size_t length = strlen(path), rest = strlen(end) + 1;
  char *temporary = malloc(length + rest);
  if (!temporary) {
    errno = ENOMEM;
    return -1;
  }
  memcpy(temporary, path, length);
  memcpy(temporary + length, end, rest);
  int descriptor = open_new(temporary);
  if (descriptor >= 0 && rename(temporary, path) != 0) {
    int error = errno;
    close(descriptor);
    unlink(temporary);
    errno = error;
    descriptor = -1;
  }
  int error = errno;
  free(temporary);
  errno = error;
  return descriptor;
}

static created_file outcome(creation result, int descriptor, int error, const char *path) {
  created_file made = {result, descriptor, error, strdup(path)};
  if (made.path || descriptor < 0) return made;
  unlink(path);
  close(descriptor);
  return (created_file){not_created, -1, ENOMEM, NULL};
}

// `named`: the path for error messages.
static created_file replaced(const char *named) {
  int descriptor = replace(named);
  return descriptor >= 0 ? outcome(created, descriptor, 0, named) : outcome(not_created, -1, errno, named);
}

static created_file create_alone(const char *path) {
  char *candidate = strdup(path);
  created_file made = outcome(not_created, -1, candidate ? EEXIST : ENOMEM, path);
  for (int number = 2; candidate && number <= most_numbers; number++) {
    int descriptor = open_new(candidate), error = errno;
    occupant found = descriptor < 0 && error == EEXIST ? occupant_of(candidate) : another;
    if (found == live_trace) {
      char text[16];
      snprintf(text, sizeof text, "-%d", number);
      free(candidate);
      candidate = path_inserting(text, path);
      continue;
    }
    free(made.path);
    if (descriptor >= 0) made = outcome(created, descriptor, 0, candidate);
    else if (error != EEXIST) made = outcome(not_created, -1, error, path);
    else made = found == finished_trace ? replaced(candidate) : outcome(is_no_trace, -1, 0, candidate);
    break;
  }
  free(candidate);
  return made;
}

// One at a time: two recorders that start together must not both replace the same finished trace.
created_file trace_file_create(const char *path) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  own_lock(&lock);
  created_file made = create_alone(path);
  pthread_mutex_unlock(&lock);
  return made;
}
