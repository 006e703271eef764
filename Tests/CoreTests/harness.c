#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// A test that hangs is ended by a signal. None takes more than some seconds, also under a sanitizer or an emulator.
enum { longest_seconds = 300 };
enum { status_passed = 0, status_failed = 1, status_skipped = 3 };

static core_test *tests;
// Of the one that this process runs.
static int outcome;
static _Atomic int complaints;
// What all of them complain of, to be said once more at the end: of a long list people see the end.
static FILE *complained;

void core_test_add(core_test *test) {
  core_test **place = &tests;
  while (*place && strcmp((*place)->name, test->name) < 0) place = &(*place)->next;
  test->next = *place;
  *place = test;
}

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...) {
  FILE *places[] = {stdout, complained};
  for (int i = 0; i < 2 && places[i]; i++) {
    va_list list;
    va_start(list, format);
    vfprintf(places[i], format, list);
    va_end(list);
    fflush(places[i]);
  }
}

void core_test_fail(const char *file, int line, const char *format, ...) {
  char what[1024];
  va_list list;
  const char *slash = strrchr(file, '/');
  enum { most_told = 5 };
  outcome = status_failed;
  if (complaints++ >= most_told) return;
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  complain("  %s:%d: %s (seed %llu)\n", slash ? slash + 1 : file, line, what, (unsigned long long)core_test_seed());
}

void core_test_skip(const char *why) {
  outcome = status_skipped;
  printf("  not shown here: %s\n", why);
  fflush(stdout);
}

bool is_emulated(void) {
  const char *says = getenv("CORE_TESTS_EMULATED");
  return says && *says;
}

uint64_t core_test_seed(void) {
  const char *says = getenv("CORE_TESTS_SEED");
  return says ? strtoull(says, NULL, 10) : 1;
}

bool is_sanitized(void) {
#if defined(CORE_TESTS_SANITIZED)
  return true;
#else
  return false;
#endif
}

static void remove_folder(const char *path) {
  DIR *folder = opendir(path);
  for (const struct dirent *entry; folder && (entry = readdir(folder));) {
    char file[4096];
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (snprintf(file, sizeof file, "%s/%s", path, entry->d_name) < (int)sizeof file) unlink(file);
  }
  if (folder) closedir(folder);
  rmdir(path);
}

static int run(const core_test *test) {
  char folder[4096];
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/core-tests-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(folder)) {
    printf("%s: there is no folder for it: %s\n", test->name, strerror(errno));
    return status_failed;
  }
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(longest_seconds);
    if (chdir(folder) != 0) _exit(status_failed);
    test->body();
    // In order, so that a sanitizer has its say.
    exit(outcome);
  }
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  remove_folder(folder);
  if (child > 0 && WIFEXITED(status)) return WEXITSTATUS(status);
  if (child > 0 && WIFSIGNALED(status)) complain("  ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return status_failed;
}

static void say_complaints_again(void) {
  printf("\nWhat failed:\n");
  if (!complained) return;
  rewind(complained);
  for (int each; (each = getc(complained)) != EOF;) putchar(each);
}

// Without arguments all of them, else those whose names contain one.
int main(int count, char **arguments) {
  int passed = 0, failed = 0, skipped = 0;
  complained = tmpfile();
  for (const core_test *test = tests; test; test = test->next) {
    bool wanted = count < 2;
    for (int i = 1; i < count; i++) wanted |= strstr(test->name, arguments[i]) != NULL;
    if (!wanted) continue;
    int status = run(test);
    bool has_failed = status != status_passed && status != status_skipped;
    if (has_failed) complain("FAILED  %s\n", test->name);
    else printf("%s %s\n", status == status_passed ? "passed " : "skipped", test->name);
    passed += status == status_passed;
    skipped += status == status_skipped;
    failed += has_failed;
  }
  if (failed) say_complaints_again();
  printf("%d passed, %d skipped, %d failed\n", passed, skipped, failed);
  return failed || !passed;
}
