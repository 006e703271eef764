// Recordings that are begun from C: what the environment asks for, the file and its header, and that it is closed when the process
// exits.
#if defined(__linux__)
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../Sources/COpTrace/describe/code.h"
#include "../../Sources/COpTrace/describe/texts.h"
#include "../../Sources/COpTrace/begin/create.h"
#include "../../Sources/COpTrace/begin/header.h"
#include "../../Sources/COpTrace/begin/paths.h"
#include "COpTraceBegin.h"
#include "COpTraceHooks.h"
#include "harness.h"
#include "reader.h"
#include "recording.h"

// ---- Paths and sizes -----------------------------------------------------------------------------------------------

static void expect_path(char *made, const char *expected) {
  const char *is = made ? made : "none";
  if (strcmp(is, expected) != 0) core_test_fail(__FILE__, __LINE__, "'%s' and not '%s'", is, expected);
  free(made);
}

TEST(paths_get_a_text_before_their_ending) {
  expect_path(path_inserting("-2", "run.optrace"), "run-2.optrace");
  expect_path(path_inserting("-2", "a.b/run"), "a.b/run-2");
  expect_path(path_inserting("-2", "a/.hidden"), "a/.hidden-2");
  expect_path(path_inserting("-2", "a.b.c"), "a.b-2.c");
  expect_path(path_inserting("-2", ""), "-2");
  expect_path(path_inserting(".%p", "\xff\xfe.x"), "\xff\xfe.%p.x");
  expect_path(path_absolute("/a/../b"), "/a/../b");
  char here[PATH_MAX], expected[PATH_MAX + 64], number[32];
  REQUIRE(getcwd(here, sizeof here));
  snprintf(expected, sizeof expected, "%s/\xffrun", here);
  expect_path(path_absolute("\xffrun"), expected);
  REQUIRE(chdir("/") == 0);
  expect_path(path_absolute("run"), "/run");
  snprintf(number, sizeof number, "%ld", (long)getpid());
  snprintf(expected, sizeof expected, "%s-%s.%%q%s", number, number, number);
  expect_path(path_numbered("%p-%p.%q%p"), expected);
}

TEST(sizes_are_read_as_people_write_them) {
  static const struct { const char *text; uint64_t bytes; } sizes[] = {
    {"4096", 4096}, {"512K", 512 << 10}, {"16m", 16 << 20}, {"1G", 1 << 30}, {"16MB", 16 << 20}, {"+4", 4}, {"5B", 5},
    {"9223372036854775807", INT64_MAX}, {"9223372036854775808", 0}, {"8589934592G", 0}, {"8589934591G", 8589934591ull << 30},
    {"", 0}, {"B", 0}, {"K", 0}, {"KB", 0}, {"+", 0}, {"-5", 0}, {"0", 0}, {"4.5", 0}, {"16 M", 0}, {"12X", 0}, {"0x10", 0},
    {"99999999999999999999", 0},
  };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (optrace_bytes(sizes[i].text) != sizes[i].bytes) core_test_fail(__FILE__, __LINE__, "'%s'", sizes[i].text);
}

// ---- Files ---------------------------------------------------------------------------------------------------------

static void write_file(const char *path, const void *bytes, size_t count) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  EXPECT(file >= 0 && write(file, bytes, count) == (ssize_t)count);
  if (file >= 0) close(file);
}

// An empty file is created, or what else there is said; `to`: where.
static void expect_creation(const char *path, creation expected, const char *to) {
  created_file made = trace_file_create(path);
  EXPECT_EQUAL(made.result, expected);
  if (!made.path || strcmp(made.path, to) != 0) core_test_fail(__FILE__, __LINE__, "%s: '%s'", path, made.path ? made.path : "none");
  struct stat info = {0};
  if (made.result == created) {
    EXPECT(fstat(made.descriptor, &info) == 0 && info.st_size == 0 && (info.st_mode & 07777) == 0600);
    EXPECT(made.descriptor > STDERR_FILENO && fcntl(made.descriptor, F_GETFD) == FD_CLOEXEC);
    close(made.descriptor);
  }
  free(made.path);
}

TEST(files_replace_finished_traces_and_nothing_else) {
  static uint8_t zeros[70000];
  uint8_t header[optrace_header_size] = {0};
  trace_header_make(header, true, false, NULL);
  write_file("text", "hello", 5);
  write_file("empty", "", 0);
  write_file("zeros", zeros, sizeof zeros);
  write_file("cut", TRACE_MAGIC, trace_magic_size);
  // An open trace of this very process; and of one that was killed.
  uint32_t open_state = optrace_file_state_open, nobody = 0x7fffffff;
  memcpy(header + optrace_header_state, &open_state, sizeof open_state);
  write_file("live.optrace", header, sizeof header);
  write_file("live-2.optrace", header, sizeof header);
  memcpy(header + optrace_header_process_id, &nobody, sizeof nobody);
  write_file("killed", header, sizeof header);
  EXPECT(symlink("text", "link") == 0 && symlink("nowhere", "dangling") == 0);
  EXPECT(mkdir("folder", 0700) == 0 && mkfifo("pipe", 0600) == 0);

  expect_creation("new", created, "new");
  expect_creation("empty", created, "empty");
  expect_creation("zeros", created, "zeros");
  expect_creation("cut", created, "cut");
  expect_creation("killed", created, "killed");
  expect_creation("live.optrace", created, "live-3.optrace");
  static const char *const others[] = {"text", "link", "dangling", "folder", "pipe"};
  for (int i = 0; i < 5; i++) expect_creation(others[i], is_no_trace, others[i]);
  expect_creation("nowhere/run", not_created, "nowhere/run");
  rmdir("folder");
}

TEST(a_header_has_the_name_that_a_program_gives_itself) {
  uint8_t header[optrace_header_size] = {0};
  trace_header_make(header, true, false, "photo-import");
  EXPECT(strcmp((const char *)header + optrace_header_process_name, "photo-import") == 0);
}

TEST(a_file_that_another_recorder_begins_is_left_to_it) {
  int file = open("run", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0);
  expect_creation("run", created, "run-2");
}

// However long the first takes for its first word, as on a machine that has a hundred others to run.
TEST(files_that_are_begun_at_once_are_different_ones) {
  created_file files[3];
  static const char *const names[] = {"run", "run-2", "run-3"};
  for (int i = 0; i < 3; i++) {
    files[i] = trace_file_create("run");
    EXPECT(files[i].result == created && strcmp(files[i].path, names[i]) == 0);
  }
  for (int i = 0; i < 3; i++) close(files[i].descriptor), free(files[i].path);
  // Nobody is at it any more, and there is nothing in it.
  expect_creation("run", created, "run");
}

TEST(closed_standard_streams_are_left_closed) {
  for (int i = 0; i <= STDERR_FILENO; i++) close(i);
  created_file made = trace_file_create("run");
  // Nothing can be printed any more.
  if (made.result != created || made.descriptor <= STDERR_FILENO || fcntl(0, F_GETFD) != -1) _exit(1);
  _exit(0);
}

// ---- Whole recordings ----------------------------------------------------------------------------------------------

// Where there are no hooks, as with other compilers than clang, nothing is begun.
#if defined(__clang__)
// Begins one in a process of its own, which exits as a program does. `body` may record.
static int in_a_process(const char *says, void (*body)(optrace_recorder *recorder)) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    int file = open(says, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file >= 0) dup2(file, STDERR_FILENO);
    optrace_begin_from_outside();
    optrace_recorder *recorder = optrace_default();
    // There is one, and no second call changes it.
    if (recorder) optrace_begin_from_outside();
    if (recorder && body) body(recorder);
    exit(recorder ? 0 : 5);
  }
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect_text(const char *path, const char *expected) {
  char text[4096] = {0};
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    if (read(file, text, sizeof text - 1) < 0) text[0] = 0;
    close(file);
  }
  if (strcmp(text, expected) != 0) core_test_fail(__FILE__, __LINE__, "it says: %s", text);
}

static void describe(optrace_recorder *recorder) {
  static char longest[3000];
  memset(longest, 'x', sizeof longest);
  // A character across the place where texts are cut.
  memcpy(longest + optrace_format_longest_text - 1, "\xc3\xa4", 2);
  uint32_t work = optrace_class_id(recorder, "Work", 4, "App", 3, 0), code = optrace_code_id(recorder, (uint64_t)(uintptr_t)&describe);
  if (!work || !code || optrace_class_id(recorder, "Work", 4, "App", 3, 0) != work || optrace_code_id(recorder, (uint64_t)(uintptr_t)&describe) != code) _exit(11);
  if (optrace_class_id(recorder, "Work", 4, "App", 3, code) == work || optrace_text_id(recorder, "Work", 4) != work || optrace_text_id(recorder, "Wor", 3) == work) _exit(12);
  if (optrace_text_id(recorder, longest, sizeof longest) != optrace_text_id(recorder, longest, sizeof longest) || optrace_code_id(recorder, 1)) _exit(13);
  uint64_t stack[] = {(uint64_t)(uintptr_t)&describe + 1, 7, (uint64_t)(uintptr_t)&in_a_process + 9};
  uint32_t id = code_stack_id(recorder, stack, 3, 1, code_now);
  if (!id || code_stack_id(recorder, stack, 3, 1, code_now) != id || code_stack_id(recorder, stack, 3, 2, code_now) == id) _exit(14);
  optrace_emit1(recorder, optrace_kind_started, 1);
  // A child of the program neither records nor closes.
  pid_t child = fork();
  if (child == 0) {
    if (optrace_text_id(recorder, "new", 3) || optrace_code_id(recorder, (uint64_t)(uintptr_t)&expect_text)) _exit(1);
    // The recorder's memory is wiped there, which a sanitizer takes for a leak.
    if (is_sanitized()) _exit(0);
    exit(0);
  }
  int status = -1;
  if (waitpid(child, &status, 0) != child || status != 0) _exit(15);
}

TEST(a_recording_that_is_begun_from_c_is_closed_at_exit) {
  setenv("OPTRACE_OUTPUT", "run.optrace", 1);
  EXPECT_EQUAL(in_a_process("says", describe), 0);
  expect_text("says", "");
  trace t = trace_read("run.optrace");
  REQUIRE(!t.wrong);
  EXPECT_EQUAL(trace_header(&t, optrace_header_state) & UINT32_MAX, optrace_file_state_closed);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_started), 1);
  EXPECT_EQUAL(trace_count(&t, optrace_kind_class_described), 2);
  // Of the function; of the two stacks, which share their outermost frame.
  EXPECT_EQUAL(trace_count(&t, optrace_kind_frame), 6);
  EXPECT_EQUAL(trace_lost(&t), 0);
  uint32_t longest = 0;
  for (size_t i = 0; i < t.count; i++)
    if (t.records[i].kind == optrace_kind_string && t.records[i].length > longest) longest = t.records[i].length;
  EXPECT_EQUAL(longest, optrace_format_longest_text - 1);
  EXPECT(strcmp((const char *)t.bytes + optrace_header_process_name, "core-tests") == 0);
  EXPECT(strcmp((const char *)t.bytes + optrace_header_writer_version, OPTRACE_VERSION) == 0);
  trace_free(&t);
}

static void mark_much(optrace_recorder *recorder) {
  for (uint32_t i = 1; i <= 40000; i++) {
    optrace_emit2(recorder, optrace_kind_operation_created, i, 0);
    if (i > 3) optrace_emit1(recorder, optrace_kind_finished, i);
  }
}

TEST(a_flight_recorder_that_is_begun_from_c_keeps_what_is_not_over) {
  setenv("OPTRACE_OUTPUT", "run.optrace", 1);
  // Raised to the smallest that is of use.
  setenv("OPTRACE_FLIGHT_RECORDER", "1k", 1);
  setenv("OPTRACE_STACKS", "off", 1);
  EXPECT_EQUAL(in_a_process("says", mark_much), 0);
  trace t = trace_read("run.optrace");
  EXPECT_NOTHING(t.wrong);
  EXPECT_EQUAL(t.size, 256 * 1024);
  EXPECT_EQUAL(trace_lost(&t), 0);
  uint32_t oldest = 0;
  for (size_t i = 0; i < t.count; i++) oldest += t.records[i].kind == optrace_kind_operation_created && t.records[i].subject <= 3;
  EXPECT_EQUAL(oldest, 3);
  trace_free(&t);
}

TEST(what_cannot_be_recorded_is_said_and_reported) {
  char here[PATH_MAX / 2], expected[PATH_MAX + 128];
  REQUIRE(getcwd(here, sizeof here) && mkdir("notes", 0700) == 0);
  snprintf(expected, sizeof expected, "%s/notes", here);
  setenv("OPTRACE_RECORD", expected, 1);
  EXPECT_EQUAL(in_a_process("says", NULL), 5);
  expect_text("says", "");
  setenv("OPTRACE_FLIGHT_RECORDER", "much", 1);
  EXPECT_EQUAL(in_a_process("says", NULL), 5);
  expect_text("says", "optrace: OPTRACE_FLIGHT_RECORDER needs OPTRACE_OUTPUT; nothing is recorded\n");
  setenv("OPTRACE_OUTPUT", "nowhere/%p", 1);
  EXPECT_EQUAL(in_a_process("says", NULL), 5);
  expect_text("says", "optrace: OPTRACE_FLIGHT_RECORDER='much' is not a size such as 512K, 16M or 1G; nothing is recorded\n");
  setenv("OPTRACE_FLIGHT_RECORDER", "", 1);
  setenv("OPTRACE_STACKS", "some", 1);
  EXPECT_EQUAL(in_a_process("says", NULL), 5);
  expect_text("says", "optrace: OPTRACE_STACKS='some' is not off, waits or all; nothing is recorded\n");
  setenv("OPTRACE_STACKS", "all", 1);
  setenv("OPTRACE_OUTPUT", "text%p", 1);
  EXPECT_EQUAL(in_a_process("says", NULL), 0);
  // One note of each process, behind its sign.
  int signs[128] = {0};
  FILE *list = popen("for note in notes/*; do readlink $note; rm $note; done; rm -f text*; rmdir notes", "r");
  for (int c = 0, last = '\n'; list && (c = fgetc(list)) != EOF; last = c)
    if (last == '\n' && c < 128) signs[c]++;
  if (list) pclose(list);
  EXPECT(signs['-'] == 3 && signs['+'] == 1);
}

TEST(a_file_that_has_no_room_is_removed) {
  char here[PATH_MAX / 2], expected[PATH_MAX + 256];
  struct rlimit limit = {10000, 10000};
  REQUIRE(getcwd(here, sizeof here) && setrlimit(RLIMIT_FSIZE, &limit) == 0);
  setenv("OPTRACE_OUTPUT", "run.optrace", 1);
  EXPECT_EQUAL(in_a_process("says", NULL), 5);
  snprintf(expected, sizeof expected, "optrace: cannot reserve space for the trace '%s/run.optrace': File too large (the limit of "
           "file sizes, ulimit -f, leaves no room for it); nothing is recorded\n", here);
  expect_text("says", expected);
  EXPECT(access("run.optrace", F_OK) != 0);
}
#endif
#endif
