// Who has the other end of what a thread waits for.
#if defined(__linux__)
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../Sources/COpTrace/stacks/moment.h"
#include "COpTraceFormat.h"
#include "harness.h"

// ---- A thread that waits -----------------------------------------------------------------------------------------------

typedef struct {
  void (*wait)(void);
  _Atomic uint32_t id;
  moment_thread seen;
  uint64_t lock, before;  // What is known of its wait, and how often that was the same in a row.
  int times;
} waiter;

static int ends[2];   // The thread waits at the first one.
static int limit = -1;
static pid_t child;

static void *run(void *context) {
  waiter *w = context;
  atomic_store(&w->id, (uint32_t)syscall(SYS_gettid));
  w->wait();
  return NULL;
}

static uint32_t no_stack(void *context, const thread_seen *seen) {
  (void)context, (void)seen;
  return 1;
}

static void note(void *context, const moment_thread *thread) {
  waiter *w = context;
  if (thread->id == atomic_load(&w->id)) w->seen = *thread;
}

// Looks until the thread sleeps in a call that waits for descriptors or children, and what is known of it is the `expected` one.
static void expect_end(void (*wait)(void), uint64_t expected, uint32_t process) {
  waiter w = {.wait = wait};
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, run, &w) == 0);
  const threads_options options = {.but = (uint32_t)syscall(SYS_gettid)};
  const moment_calls calls = {.stack_id = no_stack, .report = note, .context = &w};
  uint64_t end = 0, other = 0;
  bool is_right = false;
  // A child may not have got to its call yet, so the answer may come late. It must not go again.
  for (int i = 0, same = 0; i < 60000 && same < 3; i++, usleep(1000)) {
    threads_count count;
    w.seen = (moment_thread){0};
    if (moment_take(&options, &calls, &count) != threads_visited || !w.seen.is_still) continue;
    sleep_kind kind = w.seen.reason.kind;
    if (kind != sleep_poll && kind != sleep_input && kind != sleep_child) continue;
    end = w.seen.reason.lock >> optrace_event_end_shift & 0xF;
    other = w.seen.reason.lock >> optrace_event_end_process_shift;
    is_right = end == expected && other == process;
    same = is_right ? same + 1 : 0;
    if (!is_right && i > 2000) break;
  }
  if (!is_right) core_test_fail(__FILE__, __LINE__, "the end is %llu of process %llu, and not %llu of %u", (unsigned long long)end,
                                (unsigned long long)other, (unsigned long long)expected, process);
}

// The address sanitizer stops all threads when a process exits, and a read with a time limit is not restarted then.
static void wait_in_read(void) {
  char byte;
  while (read(ends[0], &byte, 1) < 0)
    if (errno != EINTR) abort();
}

static void wait_in_write(void) {
  static char bytes[1 << 20];
  if (write(ends[0], bytes, sizeof bytes) < 0) abort();
}

static void wait_in_poll(void) {
  struct pollfd one = {.fd = ends[0], .events = POLLIN};
  poll(&one, 1, limit);
}

static void wait_in_select(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  select(ends[0] + 1, &set, NULL, NULL, NULL);
}

static void wait_in_epoll(void) {
  int set = epoll_create1(EPOLL_CLOEXEC), event = eventfd(0, EFD_CLOEXEC);
  struct epoll_event one = {.events = EPOLLIN};
  epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &one);
  epoll_ctl(set, EPOLL_CTL_ADD, event, &one);
  epoll_wait(set, &one, 1, limit);
}

// As a run loop does: the set is polled, and its members count.
static void wait_in_poll_of_epoll(void) {
  int set = epoll_create1(EPOLL_CLOEXEC), event = eventfd(0, EFD_CLOEXEC);
  struct epoll_event one = {.events = EPOLLIN};
  epoll_ctl(set, EPOLL_CTL_ADD, event, &one);
  if (ends[0]) epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &one);
  struct pollfd polled = {.fd = set, .events = POLLIN};
  ppoll(&polled, 1, NULL, NULL);
}

static void wait_for_child(void) { waitpid(child, NULL, 0); }
static void wait_for_any_child(void) { waitpid(-1, NULL, 0); }

// ---- Pipes and sockets -------------------------------------------------------------------------------------------------

TEST(a_pipe_that_only_this_process_writes_is_its_own) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  REQUIRE(pipe(ends) == 0);
  expect_end(wait_in_read, optrace_event_end_own, 0);
  expect_end(wait_in_poll, optrace_event_end_own, 0);
  expect_end(wait_in_select, optrace_event_end_own, 0);
  expect_end(wait_in_epoll, optrace_event_end_own, 0);
  expect_end(wait_in_poll_of_epoll, optrace_event_end_own, 0);
}

static void wait_for_many(void) {
  int set = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event one = {.events = EPOLLIN};
  for (int i = 0; i < 20; i++) {
    int made[2];
    if (i % 2 ? pipe(made) != 0 : socketpair(AF_UNIX, SOCK_STREAM, 0, made) != 0) abort();
    epoll_ctl(set, EPOLL_CTL_ADD, made[0], &one);
  }
  epoll_wait(set, &one, 1, -1);
}

TEST(many_ends_are_looked_for_at_once) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  expect_end(wait_for_many, optrace_event_end_own, 0);
}

TEST(a_set_that_is_polled_is_known_by_its_members) {
  int set = epoll_create1(EPOLL_CLOEXEC), event = eventfd(0, EFD_CLOEXEC);
  struct epoll_event one = {.events = EPOLLIN};
  struct pollfd polled = {.fd = set, .events = POLLIN};
  const struct timespec soon = {.tv_sec = 1};
  uint64_t endless[6] = {(uint64_t)(uintptr_t)&polled, 1}, timed[6] = {(uint64_t)(uintptr_t)&polled, 1, (uint64_t)(uintptr_t)&soon};
  REQUIRE(epoll_ctl(set, EPOLL_CTL_ADD, event, &one) == 0);
  EXPECT_EQUAL(locks_explain(SYS_ppoll, endless).kind, sleep_events);
  EXPECT_EQUAL(locks_explain(SYS_ppoll, timed).kind, sleep_poll);
  REQUIRE(pipe(ends) == 0 && epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &one) == 0);
  sleep_reason both = locks_explain(SYS_ppoll, endless);
  EXPECT_EQUAL(both.kind, sleep_poll);
  EXPECT_EQUAL(both.lock, optrace_event_source_pipe);
  // A set within itself, by way of another one, is no loop without end.
  int outer = epoll_create1(EPOLL_CLOEXEC);
  REQUIRE(epoll_ctl(outer, EPOLL_CTL_ADD, set, &one) == 0);
  polled.fd = outer;
  EXPECT_EQUAL(locks_explain(SYS_ppoll, endless).lock, optrace_event_source_pipe);
}

TEST(a_pipe_that_only_this_process_reads_is_its_own) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  int made[2];
  REQUIRE(pipe(made) == 0);
  ends[0] = made[1];
  expect_end(wait_in_write, optrace_event_end_own, 0);
}

TEST(a_wait_with_a_time_limit_has_no_end) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  limit = 1000000;
  REQUIRE(pipe(ends) == 0);
  expect_end(wait_in_poll, 0, 0);
  expect_end(wait_in_epoll, 0, 0);
}

// A child that waits for a signal, and has all descriptors of this process.
static pid_t begin_child(void) {
  pid_t begun = fork();
  if (begun == 0)
    for (;;) pause();
  return begun;
}

static void end_child(void) {
  kill(child, SIGKILL);
  while (waitpid(child, NULL, 0) < 0) {}
}

TEST(a_pipe_whose_end_a_child_has_is_not_its_own) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  REQUIRE(pipe(ends) == 0 && (child = begin_child()) > 0);
  expect_end(wait_in_read, optrace_event_end_other, (uint32_t)child);
  expect_end(wait_in_poll, optrace_event_end_other, (uint32_t)child);
  end_child();
  expect_end(wait_in_read, optrace_event_end_own, 0);
}

TEST(a_child_that_can_only_read_a_pipe_writes_nothing) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  child = fork();
  if (child == 0) {
    close(ends[1]);
    for (;;) pause();
  }
  REQUIRE(child > 0);
  expect_end(wait_in_read, optrace_event_end_own, 0);
  end_child();
}

TEST(a_pair_of_sockets_is_the_processs_own) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  expect_end(wait_in_read, optrace_event_end_own, 0);
  expect_end(wait_in_epoll, optrace_event_end_own, 0);
  REQUIRE((child = begin_child()) > 0);
  expect_end(wait_in_read, optrace_event_end_other, (uint32_t)child);
  end_child();
}

static int listen_at(struct sockaddr_in *place) {
  socklen_t size = sizeof *place;
  *place = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int file = socket(AF_INET, SOCK_STREAM, 0);
  return bind(file, (struct sockaddr *)place, sizeof *place) == 0 && listen(file, 1) == 0 &&
                 getsockname(file, (struct sockaddr *)place, &size) == 0
             ? file
             : -1;
}

TEST(a_connection_to_oneself_is_the_processs_own) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  struct sockaddr_in place;
  int listening = listen_at(&place);
  REQUIRE(listening >= 0);
  ends[0] = socket(AF_INET, SOCK_STREAM, 0);
  REQUIRE(connect(ends[0], (struct sockaddr *)&place, sizeof place) == 0);
  // Not accepted yet: only who listens can do that.
  expect_end(wait_in_read, optrace_event_end_own, 0);
  ends[1] = accept(listening, NULL, NULL);
  REQUIRE(ends[1] >= 0);
  expect_end(wait_in_read, optrace_event_end_own, 0);
  // Anybody may connect.
  ends[0] = listening;
  expect_end(wait_in_poll, 0, 0);
}

TEST(a_socket_with_a_time_limit_has_no_end) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const struct timeval limit_of_reads = {.tv_sec = 1000};
  REQUIRE(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit_of_reads, sizeof limit_of_reads) == 0);
  expect_end(wait_in_read, 0, 0);
}

static void wait_in_terminal(void) {
  struct pollfd files[] = {{.fd = ends[0], .events = POLLIN}, {.fd = open("/dev/ptmx", O_RDWR | O_NOCTTY), .events = POLLIN}};
  if (files[1].fd < 0) abort();
  poll(files, 2, -1);
}

TEST(one_end_that_is_not_known_is_enough) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  REQUIRE(pipe(ends) == 0);
  SKIP_IF(access("/dev/ptmx", R_OK | W_OK) != 0, "there is no terminal to open");
  expect_end(wait_in_terminal, 0, 0);
}

// ---- Locks of files ----------------------------------------------------------------------------------------------------

static void wait_in_flock(void) { flock(ends[0], LOCK_EX); }
static void wait_in_fcntl(void) {
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  fcntl(ends[0], F_SETLKW, &all);
}

TEST(a_file_that_this_process_has_locked_is_its_own) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  ends[0] = open("locked", O_RDWR | O_CREAT, 0600);
  ends[1] = open("locked", O_RDWR);
  REQUIRE(ends[0] >= 0 && ends[1] >= 0 && flock(ends[1], LOCK_EX) == 0);
  expect_end(wait_in_flock, optrace_event_end_own, 0);
}

TEST(a_range_of_a_file_that_this_process_has_locked_is_never_what_it_waits_for) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  int ready[2];
  char byte;
  struct flock first = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 1};
  ends[0] = open("locked", O_RDWR | O_CREAT, 0600);
  REQUIRE(ends[0] >= 0 && fcntl(ends[0], F_SETLK, &first) == 0 && pipe(ready) == 0);
  child = fork();
  if (child == 0) {
    struct flock start = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    int file = open("locked", O_RDWR);
    if (fcntl(file, F_SETLKW, &start) != 0 || write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  REQUIRE(child > 0 && read(ready[0], &byte, 1) == 1);
  expect_end(wait_in_fcntl, optrace_event_end_other, (uint32_t)child);
  end_child();
}

static void wait_in_splice(void) { splice(ends[0], NULL, ends[1], NULL, 1 << 20, 0); }

TEST(a_call_that_waits_for_one_of_two_descriptors_has_no_end) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  int from[2], to[2];
  REQUIRE(pipe(from) == 0 && pipe(to) == 0);
  ends[0] = from[0];
  ends[1] = to[1];
  expect_end(wait_in_splice, 0, 0);
}

TEST(a_file_that_a_child_has_locked_is_not_its_own) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  int ready[2];
  char byte;
  ends[0] = open("locked", O_RDWR | O_CREAT, 0600);
  REQUIRE(ends[0] >= 0 && pipe(ready) == 0);
  child = fork();
  if (child == 0) {
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int file = open("locked", O_RDWR);
    if (flock(file, LOCK_EX) != 0 || fcntl(file, F_SETLKW, &all) != 0 || write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  REQUIRE(child > 0 && read(ready[0], &byte, 1) == 1);
  expect_end(wait_in_flock, optrace_event_end_other, (uint32_t)child);
  expect_end(wait_in_fcntl, optrace_event_end_other, (uint32_t)child);
  end_child();
}

// ---- Children ----------------------------------------------------------------------------------------------------------

TEST(a_child_that_does_something_else_is_told_with_its_number) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  REQUIRE((child = begin_child()) > 0);
  expect_end(wait_for_child, optrace_event_end_other, (uint32_t)child);
  expect_end(wait_for_any_child, optrace_event_end_other, (uint32_t)child);
  kill(child, SIGKILL);
}

TEST(a_child_that_is_stopped_is_told_so) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  REQUIRE((child = begin_child()) > 0);
  kill(child, SIGSTOP);
  expect_end(wait_for_child, optrace_event_end_stopped, (uint32_t)child);
  kill(child, SIGCONT);
  expect_end(wait_for_child, optrace_event_end_other, (uint32_t)child);
  kill(child, SIGKILL);
}

// A pair of processes that each wait for the other: this one for what the child writes, the child for what this one does.
TEST(a_process_at_the_other_end_that_waits_for_this_one_is_told_so) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  int to[2], from[2];
  char byte;
  REQUIRE(pipe(to) == 0 && pipe(from) == 0);
  child = fork();
  if (child == 0) {
    close(to[1]);
    close(from[0]);
    _exit(read(to[0], &byte, 1) < 0);
  }
  close(from[1]);
  REQUIRE(child > 0);
  ends[0] = from[0];
  expect_end(wait_in_read, optrace_event_end_reader, (uint32_t)child);
  expect_end(wait_in_epoll, optrace_event_end_reader, (uint32_t)child);
  kill(child, SIGKILL);
}

// A child and its own child have the other end of a socket, as when Foundation runs a shell that starts a program.
TEST(all_processes_at_the_other_end_have_to_wait_for_this_one) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  int from[2], told[2];
  pid_t own;
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && pipe(from) == 0 && pipe(told) == 0);
  child = fork();
  if (child == 0) {
    static char bytes[1 << 20];
    close(from[0]);
    close(ends[0]);
    own = fork();
    if (own == 0) _exit(write(from[1], bytes, sizeof bytes) < 0);
    if (write(told[1], &own, sizeof own) != sizeof own) _exit(1);
    waitpid(own, NULL, 0);
    for (;;) pause();
  }
  REQUIRE(child > 0 && read(told[0], &own, sizeof own) == sizeof own);
  close(from[1]);
  close(ends[1]);
  expect_end(wait_in_epoll, optrace_event_end_writer, (uint32_t)own);
  kill(own, SIGKILL);
  // The child itself waits for a signal now.
  expect_end(wait_in_epoll, optrace_event_end_other, (uint32_t)child);
  end_child();
}

// A child that writes more than a pipe holds, or reads what nobody writes.
static pid_t begin_at_pipe(bool writes) {
  static char bytes[1 << 20];
  pid_t begun = fork();
  if (begun) return begun;
  close(ends[writes ? 0 : 1]);
  _exit(writes ? write(ends[1], bytes, sizeof bytes) < 0 : read(ends[0], bytes, 1) < 0);
}

TEST(a_child_that_waits_for_its_parent_is_told_so) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  for (int writes = 0; writes < 2; writes++) {
    REQUIRE(pipe(ends) == 0 && (child = begin_at_pipe(writes)) > 0);
    expect_end(wait_for_child, writes ? optrace_event_end_writer : optrace_event_end_reader, (uint32_t)child);
    kill(child, SIGKILL);
    while (waitpid(child, NULL, WNOHANG) >= 0) {}
  }
}

TEST(a_child_whose_pipe_another_child_reads_does_not_wait_for_its_parent) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  REQUIRE(pipe(ends) == 0);
  pid_t other = begin_child();
  REQUIRE(other > 0 && (child = begin_at_pipe(true)) > 0);
  expect_end(wait_for_child, optrace_event_end_other, (uint32_t)child);
  kill(child, SIGKILL);
  kill(other, SIGKILL);
}

TEST(a_childs_own_child_that_waits_for_this_process_is_told_so) {
  SKIP_IF(is_emulated(), "the emulator tells nothing of system calls");
  int told[2];
  pid_t own;
  REQUIRE(pipe(ends) == 0 && pipe(told) == 0);
  child = fork();
  if (child == 0) {
    own = begin_at_pipe(true);
    if (write(told[1], &own, sizeof own) != sizeof own) _exit(1);
    close(ends[0]);
    close(ends[1]);
    waitpid(own, NULL, 0);
    _exit(0);
  }
  REQUIRE(child > 0 && read(told[0], &own, sizeof own) == sizeof own);
  expect_end(wait_for_child, optrace_event_end_writer, (uint32_t)own);
  kill(own, SIGKILL);
}
#endif
