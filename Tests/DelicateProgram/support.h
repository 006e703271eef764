// What Swift cannot name itself: variables of its runtime, and functions that take any number of arguments.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int unshare(int flags);

// What a server needs for its files, sockets, threads and memory, and libdispatch for its threads.
static const unsigned usual_calls[] = {
  SYS_read, SYS_write, SYS_openat, SYS_close, SYS_fstat, SYS_newfstatat, SYS_lseek, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_brk,
  SYS_futex, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_clock_gettime, SYS_clock_nanosleep, SYS_clone, SYS_set_robust_list,
  SYS_rseq, SYS_exit, SYS_exit_group, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2, SYS_timerfd_create,
  SYS_timerfd_settime, SYS_ioctl, SYS_gettid, SYS_sched_yield, SYS_setpriority,
#if defined(SYS_clone3)
  SYS_clone3,
#endif
#if defined(SYS_epoll_wait)
  SYS_epoll_wait,
#endif
};

// Installs a filter that kills the process for any other system call: for this thread and those that it creates, or for all. 0 or an errno.
static inline int filter_calls(int for_all) {
  enum { count = sizeof usual_calls / sizeof *usual_calls };
  struct sock_filter steps[2 * count + 6];
  unsigned short at = 0;
  steps[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < count; i++) {
    steps[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, usual_calls[i], 0, 1);
    steps[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  // Threads get names.
  steps[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3);
  steps[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args));
  steps[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_NAME, 0, 1);
  steps[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  steps[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  struct sock_fprog program = {at, steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  long result = for_all ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program)
                        : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  return result == 0 ? 0 : errno;
}

// 0 or an errno.
static inline int enter_user_namespace(int by_number) {
  enum { new_user = 0x10000000 };
  return (by_number ? syscall(SYS_unshare, new_user) : unshare(new_user)) == 0 ? 0 : errno;
}

// Variables of Swift's runtime that some libraries set for a while, after they have asked whether they are set.
extern void *swift_task_enqueueGlobal_hook;
extern void *swift_task_enqueueMainExecutor_hook;
static inline void **global_enqueue_hook(void) { return &swift_task_enqueueGlobal_hook; }
static inline void **main_enqueue_hook(void) { return &swift_task_enqueueMainExecutor_hook; }
