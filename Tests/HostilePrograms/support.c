// What Swift can't do by itself. Compiled without unwind tables for some of the tests.
#if defined(__linux__)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "support.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

bool call_library(const char *path, void *context, body call) {
  void *library = dlopen(path, RTLD_NOW);
  void (*enter)(body, void *) = library ? (void (*)(body, void *))dlsym(library, "enter") : NULL;
  if (!enter) return false;
  enter(call, context);
  return dlclose(library) == 0;
}

static body pending;
static void *pending_context;

static void handle(int number) {
  (void)number;
  pending(pending_context);
}

void call_on_signal_stack(body call, void *context) {
  size_t size = 256 * 1024;
  stack_t stack = {.ss_sp = malloc(size), .ss_size = size}, before;
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK}, old;
  pending = call;
  pending_context = context;
  sigaltstack(&stack, &before);
  sigaction(SIGUSR1, &action, &old);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &old, NULL);
  sigaltstack(&before, NULL);
  free(stack.ss_sp);
}

static ucontext_t outside, inside;

static void run_fiber(void) { pending(pending_context); }

void call_on_fiber(body call, void *context) {
  size_t size = 256 * 1024;
  pending = call;
  pending_context = context;
  getcontext(&inside);
  inside.uc_stack.ss_sp = malloc(size);
  inside.uc_stack.ss_size = size;
  inside.uc_link = &outside;
  makecontext(&inside, run_fiber, 0);
  swapcontext(&outside, &inside);
  free(inside.uc_stack.ss_sp);
}

__attribute__((noinline)) static void wait_here(void) {
  void **frame = __builtin_frame_address(0);
  void *saved = *frame;
  *(void *volatile *)frame = frame;
  for (;;) pause();
  *(void *volatile *)frame = saved;
}

static void *wait_always(void *unused) {
  wait_here();
  return unused;
}

void wait_in_a_loop(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait_always, NULL);
}

int make_child(void) { return fork(); }
#endif
