// Systems that guard code: which way is left to change it, or that it is refused and nothing is changed. A filter of system calls
// stands for the rules that cannot be had everywhere.
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <pthread.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../Sources/COpTrace/entries/entries.h"
#include "../../Sources/COpTrace/entries/write.h"
#include "entries.h"
#include "harness.h"

// Refuses a system call where these bits of its argument are as they are said to be.
typedef struct {
  int number, argument;
  uint32_t bits, equal;
} forbidden;

#define STATEMENT(code, k) (struct sock_filter) BPF_STMT(code, (uint32_t)(k))
#define JUMP_IF_EQUAL(k, then, otherwise) (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(k), then, otherwise)
static bool forbid(const forbidden *calls, int count, int error) {
  struct sock_filter program[64];
  int at = 0;
  const unsigned load = BPF_LD | BPF_W | BPF_ABS;
  program[at++] = STATEMENT(load, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < count; i++) {
    const forbidden *one = &calls[i];
    program[at++] = JUMP_IF_EQUAL(one->number, 0, 5);
    program[at++] = STATEMENT(load, offsetof(struct seccomp_data, args) + 8 * (unsigned)one->argument);
    program[at++] = STATEMENT(BPF_ALU | BPF_AND | BPF_K, one->bits);
    program[at++] = JUMP_IF_EQUAL(one->equal, 0, 1);
    program[at++] = STATEMENT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error);
    program[at++] = STATEMENT(load, offsetof(struct seccomp_data, nr));
  }
  program[at++] = STATEMENT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog filter = {(unsigned short)at, program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}
#define FORBID(error, ...)                                                                              \
  do {                                                                                                  \
    const forbidden calls_[] = {__VA_ARGS__};                                                           \
    SKIP_IF(!forbid(calls_, sizeof calls_ / sizeof *calls_, error), "no filters of system calls here"); \
  } while (0)

// As systemd's MemoryDenyWriteExecute.
#define NO_WRITTEN_CODE                                                                              \
  {SYS_mmap, 2, PROT_WRITE | PROT_EXEC, PROT_WRITE | PROT_EXEC}, {SYS_mprotect, 2, PROT_EXEC, PROT_EXEC}, \
    {SYS_pkey_mprotect, 2, PROT_EXEC, PROT_EXEC}
#define NO_WRITES_AT_A_PLACE {SYS_pwrite64, 0, 0, 0}
#define NO_FILES_TO_READ_AND_WRITE {SYS_openat, 2, O_ACCMODE, O_RDWR}
#define NO_FILES_IN_MEMORY {SYS_memfd_create, 0, 0, 0}

#if defined(__aarch64__)
// clang-format off
ENTRY(guarded, "stp x29, x30, [sp, #-16]!\n add x0, x0, x1\n add x0, x0, #3\n ldp x29, x30, [sp], #16\n ret")
ENTRY(guarded_too, "adrp x0, entries_value\n ldr x0, [x0, :lo12:entries_value]\n ret")
// clang-format on
#else
// clang-format off
ENTRY(guarded, "push %rbp\n mov %rsp, %rbp\n lea 3(%rdi,%rsi), %rax\n pop %rbp\n ret")
ENTRY(guarded_too, "lea entries_value(%rip), %rax\n mov (%rax), %rax\n ret")
// clang-format on
#endif

static void expect_taken(void) {
  machine_registers given = {.general = {[number_first] = 1, [number_second] = 2}};
  void *calls[2];
  EXPECT_EQUAL(entries_possible(), entry_taken);
  EXPECT_EQUAL(entry_take(entries_guarded, SIZE_OF(guarded), (book_range){0, 0}, hook, &calls[0]), entry_taken);
  EXPECT_EQUAL(entry_take(entries_guarded_too, SIZE_OF(guarded_too), (book_range){0, 0}, hook, &calls[1]), entry_taken);
  hook_call = calls[0];
  EXPECT(call_with(entries_guarded, &given) == 6 && heard_count == 1);
  hook_call = calls[1];
  EXPECT(call_with(entries_guarded_too, &given) == 4711 && heard_count == 2);
}

static void expect_refused(entry_result why, bool can_be_written) {
  machine_registers given = {.general = {[number_first] = 1, [number_second] = 2}};
  uint8_t before[8], after[8];
  void *call = NULL;
  memcpy(before, (void *)entries_guarded, sizeof before);
  EXPECT_EQUAL(entries_possible(), can_be_written ? entry_taken : why);
  EXPECT_EQUAL(entry_take(entries_guarded, SIZE_OF(guarded), (book_range){0, 0}, hook, &call), why);
  memcpy(after, (void *)entries_guarded, sizeof after);
  EXPECT(memcmp(before, after, sizeof before) == 0 && !call);
  EXPECT(call_with(entries_guarded, &given) == 6 && heard_count == 0);
}

TEST(code_is_changed_by_each_way) {
  SKIP_IF(is_emulated(), "where memory is written behind its back, the emulator goes on with what it has translated");
  for (write_way way = write_by_memory; way < write_ways; way++) EXPECT(write_prove(way));
  // And back: none takes a right away that the next one needs.
  for (int way = write_ways - 1; way >= write_by_memory; way--) EXPECT(write_prove((write_way)way));
  EXPECT_EQUAL(write_proven(), write_by_memory);
  expect_taken();
}

TEST(code_is_changed_where_nothing_written_may_be_executed) {
  enum { set_mdwe = 65, refuse_gain = 1 };
  SKIP_IF(prctl(set_mdwe, refuse_gain, 0, 0, 0) != 0, "no PR_SET_MDWE before Linux 6.3");
  EXPECT(write_prove(write_by_memory) && write_prove(write_by_page) && !write_prove(write_by_protection));
  expect_taken();
  EXPECT_EQUAL(write_proven(), write_by_memory);
}

TEST(code_is_changed_there_through_a_file_in_memory) {
  enum { set_mdwe = 65, refuse_gain = 1 };
  SKIP_IF(prctl(set_mdwe, refuse_gain, 0, 0, 0) != 0, "no PR_SET_MDWE before Linux 6.3");
  FORBID(EPERM, NO_WRITES_AT_A_PLACE);
  expect_taken();
  EXPECT_EQUAL(write_proven(), write_by_page);
}

TEST(code_is_changed_under_a_filter_like_systemds) {
  FORBID(EPERM, NO_WRITTEN_CODE);
  EXPECT(!write_prove(write_by_protection));
  // It has taken nothing away.
  EXPECT(write_prove(write_by_memory));
  expect_taken();
}

TEST(code_is_changed_under_a_filter_without_files_in_memory) {
  FORBID(EPERM, NO_WRITTEN_CODE, NO_FILES_IN_MEMORY);
  expect_taken();
  EXPECT_EQUAL(write_proven(), write_by_memory);
}

TEST(code_is_changed_where_memory_is_no_file_that_can_be_written) {
  FORBID(EACCES, NO_FILES_TO_READ_AND_WRITE, NO_WRITTEN_CODE);
  expect_taken();
  EXPECT_EQUAL(write_proven(), write_by_page);
}

TEST(code_is_changed_where_it_may_be_written_for_a_moment) {
  FORBID(EPERM, NO_WRITES_AT_A_PLACE, NO_FILES_IN_MEMORY);
  expect_taken();
  EXPECT_EQUAL(write_proven(), write_by_protection);
}

// The right to execute can be taken from the page, and not be given back.
TEST(code_stays_executable_where_it_cannot_be_made_so_again) {
  FORBID(EACCES, NO_WRITES_AT_A_PLACE, NO_FILES_IN_MEMORY, NO_WRITTEN_CODE);
  expect_refused(entry_unwritable, false);
  for (write_way way = write_by_memory; way < write_ways; way++) EXPECT(!write_prove(way));
}

TEST(code_stays_where_no_memory_can_be_executed_that_could_not_before) {
  FORBID(EACCES, {SYS_mmap, 2, PROT_EXEC, PROT_EXEC}, NO_WRITTEN_CODE);
  expect_refused(entry_no_room, true);
}

TEST(code_is_changed_where_only_files_may_be_executed) {
  SKIP_IF(is_sanitized(), "the sanitizer maps memory that is no file");
  FORBID(EACCES, {SYS_mmap, 3, MAP_ANONYMOUS, MAP_ANONYMOUS}, NO_FILES_IN_MEMORY, NO_WRITTEN_CODE);
  expect_taken();
}

// Our own file is not there any more, or is no file of this system.
TEST(code_is_changed_where_no_file_of_ours_can_be_opened) {
  FORBID(EACCES, {SYS_openat, 2, O_ACCMODE | O_DIRECTORY, O_RDONLY}, NO_WRITTEN_CODE);
  expect_taken();
}

static void *do_nothing(void *unused) { return unused; }

TEST(where_threads_cannot_be_counted_the_c_library_says_who_is_alone) {
  SKIP_IF(is_sanitized(), "the sanitizer counts threads itself");
  FORBID(ENOENT, {SYS_openat, 2, O_DIRECTORY, O_DIRECTORY});
  // From its first thread on it says no.
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, do_nothing, NULL) == 0);
  expect_refused(entry_many_threads, true);
  entries_allow_threads(true);
  expect_taken();
  pthread_join(thread, NULL);
}

TEST(code_is_changed_without_any_privilege) {
  SKIP_IF(geteuid() != 0, "this is run by nobody in particular");
  // The program's file need not be readable to whom it runs as.
  if (setgid(65534) != 0 || setuid(65534) != 0) return core_test_skip("there is nobody to become");
  FORBID(EPERM, NO_WRITTEN_CODE);
  expect_taken();
}

// Taken before a fork, it is taken in the child, and what the child takes is not taken in the parent.
static void take_as_a_child(void) {
  machine_registers given = {.general = {[number_first] = 1, [number_second] = 2}};
  heard_count = 0;
  bool is_well = call_with(entries_guarded, &given) == 6 && heard_count == 1;
  is_well &= entry_take(entries_guarded_too, 0, (book_range){0, 0}, hook, &hook_call) == entry_taken;
  is_well &= call_with(entries_guarded_too, &given) == 4711 && heard_count == 2;
  _exit(is_well ? 0 : 1);
}

#include "CRecorderTestSupport.h"
TEST(a_child_takes_functions_of_its_own) {
  machine_registers given = {.general = {[number_first] = 1, [number_second] = 2}};
  REQUIRE(entry_take(entries_guarded, 0, (book_range){0, 0}, hook, &hook_call) == entry_taken);
  EXPECT_EQUAL(test_run_in_fork(take_as_a_child), 0);
  EXPECT(call_with(entries_guarded_too, &given) == 4711 && heard_count == 0);
  EXPECT(call_with(entries_guarded, &given) == 6 && heard_count == 1);
}

#else

typedef int no_systems_are_tested_here;

#endif
