#include "CRecorderTestSupport.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int test_run_in_fork(void (*body)(void)) {
  pid_t child = fork();
  if (child == 0) {
    body();
    _exit(7);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

static void call(void *body) { ((void (*)(void))body)(); }

void test_at_thread_exit(void (*body)(void)) {
  // Destructors of one round run in the order of the keys: the newest is last.
  pthread_key_t key;
  if (pthread_key_create(&key, call) == 0) pthread_setspecific(key, (void *)body);
}

void test_limit_file_size(unsigned long long bytes) {
  struct rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

void test_buffer_lines(void) { setvbuf(stdout, NULL, _IOLBF, 0); }
