#include "COpTraceAttach.h"

#include "code.h"

#if OPTRACE_CAN_ATTACH
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

// How the kernel says inside of a stopped thread that a call was interrupted. They never reach a program.
enum { restart_sys = -512, restart_no_interrupt = -513, restart_no_handler = -514, restart_block = -516 };
// `syscall`.
enum { call_size = 2 };

bool optrace_attach_is_supported(void) { return true; }

// ---- Which calls ---------------------------------------------------------------------------------------------------

static bool waits_for_ever(uint64_t milliseconds) { return (int32_t)milliseconds < 0; }

bool optrace_attach_suits(int64_t call, const uint64_t arguments[6], bool (*is_plain)(void *context, uint64_t descriptor), void *context) {
  enum { wait = 0, wait_bitset = 9, command = 0x7F };
  switch (call) {
    case SYS_futex: return (arguments[1] & command) == wait || (arguments[1] & command) == wait_bitset;
    case SYS_nanosleep: case SYS_clock_nanosleep: case SYS_poll: case SYS_wait4: case SYS_waitid: case SYS_pause: case SYS_rt_sigsuspend:
      return true;
    // Interrupted, it says so; see `hold`.
    case SYS_epoll_wait: return waits_for_ever(arguments[3]);
    case SYS_epoll_pwait: return waits_for_ever(arguments[3]) && !arguments[4];
    case SYS_ppoll: return !arguments[3];
    // A socket with a time limit would say that it was interrupted.
    case SYS_read: return is_plain(context, arguments[0]);
    default: return false;
  }
}

static optrace_again again(const struct user_regs_struct *registers) {
  switch ((int64_t)registers->rax) {
    case restart_sys: case restart_no_interrupt: case restart_no_handler: return optrace_again_call;
    case restart_block: return optrace_again_restart;
    default: return optrace_again_never;
  }
}

// ---- Holding -------------------------------------------------------------------------------------------------------

static void leave(int32_t thread, int32_t signal) { ptrace(PTRACE_DETACH, thread, NULL, (void *)(intptr_t)signal); }

// `epoll_wait` tells the program that it was interrupted, unless a signal's handler runs: then it must. The kernel has a number for that.
static bool is_epoll(const struct user_regs_struct *registers) {
  return ((int64_t)registers->orig_rax == SYS_epoll_wait || (int64_t)registers->orig_rax == SYS_epoll_pwait) &&
         (int64_t)registers->rax == -EINTR && waits_for_ever(registers->r10);
}

optrace_hold_result optrace_attach_hold(int32_t thread, optrace_held *out) {
  *out = (optrace_held){.thread = thread, .call = -1};
  if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0) return errno == ESRCH ? optrace_hold_ended : optrace_hold_refused;
  if (ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) != 0) return optrace_hold_ended;
  int status = 0;
  pid_t found;
  do found = waitpid(thread, &status, __WALL);
  while (found < 0 && errno == EINTR);
  if (found != thread || !WIFSTOPPED(status)) return optrace_hold_ended;
  if (status >> 16 != PTRACE_EVENT_STOP) {
    // A signal has come first. It is as if nobody had been here.
    out->signal = WSTOPSIG(status);
    return optrace_hold_done;
  }
  // All of the process is stopped, by a signal.
  if (WSTOPSIG(status) != SIGTRAP) return optrace_hold_done;
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, thread, NULL, &registers) != 0) return optrace_hold_ended;
  if (is_epoll(&registers)) {
    registers.rax = (uint64_t)restart_no_handler;
    ptrace(PTRACE_SETREGS, thread, NULL, &registers);
  }
  out->call = (int64_t)registers.orig_rax;
  out->again = again(&registers);
  out->pc = registers.rip;
  out->sp = registers.rsp;
  out->bp = registers.rbp;
  return optrace_hold_done;
}

void optrace_attach_let_go(const optrace_held *held) { leave(held->thread, held->signal); }

// ---- Lending -------------------------------------------------------------------------------------------------------

size_t optrace_attach_code_size(void) { return (size_t)(attach_code_end - attach_code_begin); }

bool optrace_attach_is_code(const uint8_t *bytes, size_t size) {
  return size == optrace_attach_code_size() && memcmp(bytes, attach_code_begin, size) == 0;
}

static bool read_from(uint32_t process, uint64_t address, void *to, size_t size) {
  struct iovec here = {to, size}, there = {(void *)(uintptr_t)address, size};
  return process_vm_readv((pid_t)process, &here, 1, &there, 1, 0) == (ssize_t)size;
}

static bool write_to(uint32_t process, uint64_t address, const void *from, size_t size) {
  struct iovec here = {(void *)(uintptr_t)from, size}, there = {(void *)(uintptr_t)address, size};
  return process_vm_writev((pid_t)process, &here, 1, &there, 1, 0) == (ssize_t)size;
}

// Also into pages that are not writable; the process gets a copy of the page.
static bool poke(int32_t thread, uint64_t address, const uint8_t *bytes, size_t size) {
  for (size_t at = 0; at < size; at += 8) {
    uint64_t word = 0;
    errno = 0;
    if (size - at < 8) word = (uint64_t)ptrace(PTRACE_PEEKDATA, thread, (void *)(uintptr_t)(address + at), NULL);
    if (errno) return false;
    memcpy(&word, bytes + at, size - at < 8 ? size - at : 8);
    if (ptrace(PTRACE_POKEDATA, thread, (void *)(uintptr_t)(address + at), (void *)(uintptr_t)word) != 0) return false;
  }
  return true;
}

static bool put_code(int32_t thread, const optrace_attach_plan *plan) {
  enum { most = 1024 };
  uint8_t bytes[most];
  size_t size = optrace_attach_code_size();
  if (size > most || !read_from(plan->process, plan->code, bytes, size)) return false;
  return optrace_attach_is_code(bytes, size) || poke(thread, plan->code, attach_code_begin, size);
}

static bool fill(attached_block *block, const optrace_attach_plan *plan) {
  size_t length = strlen(plan->library);
  if (length >= sizeof block->path || plan->settings_size > sizeof block->settings) return false;
  block->detach = plan->functions.pthread_detach;
  block->open = plan->functions.dlopen;
  block->find = plan->functions.dlsym;
  block->complain = plan->functions.dlerror;
  block->command = (uint32_t)getpid();
  strcpy(block->entry, "optrace_attached");
  memcpy(block->path, plan->library, length);
  memcpy(block->settings, plan->settings, plan->settings_size);
  return true;
}

// In the order of addresses: a lease, the block's content, and the other registers.
enum { red_zone = 128, alignment = 64, most_vectors = 16 * 1024, vectors_legacy = 512, vectors_header = 64 };

// How large the thread's other registers are; 0: not known.
static size_t size_of_vectors(int32_t thread) {
  static uint8_t room[most_vectors];
  struct iovec all = {room, sizeof room};
  if (ptrace(PTRACE_GETREGSET, thread, (void *)(uintptr_t)NT_X86_XSTATE, &all) != 0) return 0;
  return all.iov_len < sizeof room && all.iov_len >= vectors_legacy + vectors_header ? all.iov_len : 0;
}

static size_t rounded(size_t size) { return (size + alignment - 1) / alignment * alignment; }

static attach_lease lease_of(const struct user_regs_struct *r, const optrace_held *held, const optrace_attach_plan *plan, uint64_t mask) {
  return (attach_lease){
    .r15 = r->r15, .r14 = r->r14, .r13 = r->r13, .r12 = r->r12, .rbp = r->rbp, .rbx = r->rbx, .r10 = r->r10, .r9 = r->r9, .r8 = r->r8,
    .rax = held->again == optrace_again_restart ? SYS_restart_syscall : r->orig_rax,
    .rdx = r->rdx, .rsi = r->rsi, .rdi = r->rdi, .rip = r->rip - call_size, .flags = r->eflags, .rsp = r->rsp, .mask = mask,
    .errno_location = plan->functions.errno_location, .pthread_create = plan->functions.pthread_create,
    .block = plan->block, .block_size = attached_block_size, .content_size = offsetof(attached_block, text),
  };
}

static optrace_lend_result refuse(const optrace_held *held, optrace_lend_result why) {
  int error = errno;
  optrace_attach_let_go(held);
  errno = error;
  return why;
}

optrace_lend_result optrace_attach_lend(const optrace_held *held, const optrace_attach_plan *plan) {
  static attached_block block;
  memset(&block, 0, sizeof block);
  if (!fill(&block, plan)) return refuse(held, optrace_lend_too_long);
  block.command_start = plan->command_start;
  struct user_regs_struct registers;
  uint64_t mask = 0;
  size_t vectors = size_of_vectors(held->thread);
  if (ptrace(PTRACE_GETREGS, held->thread, NULL, &registers) != 0 ||
      ptrace(PTRACE_GETSIGMASK, held->thread, (void *)sizeof mask, &mask) != 0)
    return refuse(held, optrace_lend_ended);
  errno = ENOTSUP;
  uint8_t call[call_size] = {0};
  if (held->again == optrace_again_never || !vectors ||
      !read_from(plan->process, registers.rip - call_size, call, call_size) || call[0] != 0x0F || call[1] != 0x05)
    return refuse(held, optrace_lend_cannot_write);
  attach_lease lease = lease_of(&registers, held, plan, mask);
  lease.vectors = (registers.rsp - red_zone - rounded(vectors)) / alignment * alignment;
  lease.content = lease.vectors - rounded(lease.content_size);
  uint64_t at = (lease.content - rounded(sizeof lease)) / alignment * alignment;
  static const uint8_t no_header[vectors_header];
  if (!write_to(plan->process, lease.vectors + vectors_legacy, no_header, sizeof no_header) ||
      !write_to(plan->process, lease.content, &block, lease.content_size) || !write_to(plan->process, at, &lease, sizeof lease) ||
      !put_code(held->thread, plan))
    return refuse(held, optrace_lend_cannot_write);
  registers.rbx = registers.rsp = at;
  registers.rip = plan->code;
  // So that the kernel does not make the call again itself.
  registers.orig_rax = (uint64_t)-1;
  // As functions expect it: direction and trap flags are off.
  registers.eflags &= ~(uint64_t)(1 << 10 | 1 << 8);
  if (ptrace(PTRACE_SETREGS, held->thread, NULL, &registers) != 0) return refuse(held, optrace_lend_ended);
  // No handler of the program runs meanwhile, nor is the thread cancelled, and the new thread gets none. The C library waits for
  // its own signal that changes the user of all threads (33).
  uint64_t all = ~(UINT64_C(1) << (33 - 1));
  ptrace(PTRACE_SETSIGMASK, held->thread, (void *)sizeof all, &all);
  leave(held->thread, 0);
  return optrace_lend_done;
}

// ---- The block -----------------------------------------------------------------------------------------------------

bool optrace_attach_read(uint32_t process, uint64_t block, uint32_t *state, int32_t *error, char *text, size_t size) {
  attached_block copy;
  // The state first: it is set last.
  uint32_t seen = 0;
  if (!read_from(process, block, &seen, sizeof seen) || !read_from(process, block, &copy, sizeof copy)) return false;
  *state = seen;
  *error = copy.error;
  size_t length = copy.text_length < sizeof copy.text ? copy.text_length : sizeof copy.text - 1;
  if (length >= size) length = size - 1;
  memcpy(text, copy.text, length);
  text[length] = 0;
  return true;
}

bool optrace_attach_ask(uint32_t process, uint64_t block, uint32_t what) {
  return write_to(process, block + offsetof(attached_block, asked), &what, sizeof what);
}

#else

bool optrace_attach_is_supported(void) { return false; }
bool optrace_attach_suits(int64_t call, const uint64_t arguments[6], bool (*is_plain)(void *context, uint64_t descriptor), void *context) {
  (void)call, (void)arguments, (void)is_plain, (void)context;
  return false;
}
optrace_hold_result optrace_attach_hold(int32_t thread, optrace_held *out) {
  *out = (optrace_held){.thread = thread, .call = -1};
  return optrace_hold_refused;
}
void optrace_attach_let_go(const optrace_held *held) { (void)held; }
size_t optrace_attach_code_size(void) { return 0; }
bool optrace_attach_is_code(const uint8_t *bytes, size_t size) {
  (void)bytes, (void)size;
  return false;
}
optrace_lend_result optrace_attach_lend(const optrace_held *held, const optrace_attach_plan *plan) {
  (void)held, (void)plan;
  return optrace_lend_ended;
}
bool optrace_attach_read(uint32_t process, uint64_t block, uint32_t *state, int32_t *error, char *text, size_t size) {
  (void)process, (void)block, (void)state, (void)error, (void)text, (void)size;
  return false;
}
bool optrace_attach_ask(uint32_t process, uint64_t block, uint32_t what) {
  (void)process, (void)block, (void)what;
  return false;
}
#endif
