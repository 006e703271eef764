// Runs a program as containers and services are run: with fewer rights.
// usage: jail RESTRICTION... -- PROGRAM ARGUMENTS     status 77: the system does not know a restriction
//   mdwe      memory that can be written is never executable (PR_SET_MDWE)
//   exec      the same by a filter of system calls, as systemd's MemoryDenyWriteExecute
//   nopwrite  nothing is written at a place of a file (pwrite64), so not to /proc/self/mem either
//   nobody    as a user without rights
#if defined(__linux__)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ARGUMENT(i) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (i))
#define IF(test, value, yes, no) BPF_JUMP(BPF_JMP | test | BPF_K, value, yes, no)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static void filter(struct sock_filter *steps, unsigned short count) {
  struct sock_fprog program = {count, steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(77);
}

static void refuse_written_code(void) {
  enum { write_and_execute = 2 | 4, execute = 4 };
  struct sock_filter steps[] = {
    NUMBER, IF(BPF_JEQ, SYS_mprotect, 0, 3), ARGUMENT(2), IF(BPF_JSET, execute, 0, 1), REFUSE,
    NUMBER, IF(BPF_JEQ, SYS_mmap, 0, 4), ARGUMENT(2), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, write_and_execute),
    IF(BPF_JEQ, write_and_execute, 0, 1), REFUSE, ALLOW,
  };
  filter(steps, sizeof steps / sizeof *steps);
}

static void refuse_writes_at_a_place(void) {
  struct sock_filter steps[] = {NUMBER, IF(BPF_JEQ, SYS_pwrite64, 0, 1), REFUSE, ALLOW};
  filter(steps, sizeof steps / sizeof *steps);
}

int main(int count, char **words) {
  for (int i = 1; i < count; i++) {
    if (strcmp(words[i], "--") == 0) {
      execvp(words[i + 1], words + i + 1);
      return 127;
    }
    if (strcmp(words[i], "mdwe") == 0 && prctl(65, 1, 0, 0, 0) != 0) return 77;
    if (strcmp(words[i], "nobody") == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 77;
    if (strcmp(words[i], "exec") == 0) refuse_written_code();
    if (strcmp(words[i], "nopwrite") == 0) refuse_writes_at_a_place();
  }
  return 64;
}
#else
int main(void) { return 77; }
#endif
