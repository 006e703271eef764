// The function's first bytes are replaced with a jump to a piece of code that was made for it:
//
//   who called?      compares the return address with the library's range
//   jmp hook         if it is outside
//   first bytes      if it is inside: the function's first bytes, moved here; `*call` leads here, too
//   jmp function+n
//
// This code changes no register and nothing on the stack (arm64: x16 and x17, which a call may change anyway).
#include "entries.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "check.h"
#include "move.h"
#include "room.h"
#include "write.h"

static const char *const texts[] = {
  [entry_taken] = "it is taken",
  [entry_unsupported] = "functions are not taken on this system",
  [entry_unknown_code] = "its first bytes are not known",
  [entry_too_short] = "it is too short",
  [entry_many_threads] = "other threads run already",
  [entry_unwritable] = "this system does not let code be changed",
  [entry_no_room] = "there is no room near it",
  [entry_unaligned] = "its address is not aligned",
};

const char *entry_result_text(entry_result result) {
  return (unsigned)result < sizeof texts / sizeof *texts ? texts[result] : "it is not known why";
}

static bool threads_are_allowed;
void entries_allow_threads(bool are_allowed) { threads_are_allowed = are_allowed; }

// Counts each thread from just before it is created until just before it ends. At these two moments the count does not match the list
// of threads, and `entries_is_alone` says false.
static _Atomic int own_threads;
void entries_own_thread(bool begins) { atomic_fetch_add(&own_threads, begins ? 1 : -1); }

#if defined(OPTRACE_HAS_ENTRIES)

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../stacks/peek.h"

// Available since glibc 2.32.
extern char __libc_single_threaded __attribute__((weak));

// Counts threads without allocating memory, because this may run before the C library is ready.
bool entries_is_alone(void) {
  char list[1024];
  int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Without /proc ask the C library, which may say "no" although there is only one thread.
  if (folder < 0) return &__libc_single_threaded && __libc_single_threaded;
  long bytes, threads = 0, most = 1 + atomic_load(&own_threads);
  while (threads <= most && (bytes = syscall(SYS_getdents64, folder, list, sizeof list)) > 0) {
    // struct linux_dirent64: the length of the entry at 16, the name at 19.
    for (long at = 0; at + 20 <= bytes;) {
      uint16_t length;
      memcpy(&length, list + at + 16, sizeof length);
      if (list[at + 19] >= '0' && list[at + 19] <= '9') threads++;
      if (!length) break;
      at += length;
    }
  }
  close(folder);
  return threads == most;
}

// ---- Taking it -------------------------------------------------------------------------------------------------------

static entry_result of_move(moved_result result) {
  switch (result) {
    case moved_well: return entry_taken;
    case moved_too_short: return entry_too_short;
    case moved_too_far: return entry_no_room;
    default: return entry_unknown_code;
  }
}

static entry_result take(uint64_t function, uint64_t size, book_range library, uint64_t hook, void **call) {
  uint8_t bytes[64] = {0}, word[code_word_size];
  // Read as much as possible: the function may be at the end of the last readable page.
  size_t count = peek(function, bytes, sizeof bytes);
  if (count < code_jump_size) return entry_unknown_code;
  size_t place = code_jump_place(bytes, count), taken;
  uint64_t at = function + place, offset = at % code_word_size;
  if (offset + code_jump_size > code_word_size) return entry_unaligned;

  // If it has been hooked before, its first instruction is our jump, whatever was there originally.
  bool again = room_has(code_jump_target(at, bytes + place));
  code_text text = {.address = room_find(function, sizeof text.bytes)};
  if (!text.address) return entry_no_room;
  code_put_check(&text, library.low, library.high, hook);
  uint64_t moved = text.address + text.count;
  moved_result result = code_move(&text, function, bytes, count, again ? 0 : (size_t)size, &taken);
  if (result != moved_well) return of_move(result);
  if (!again && size && code_returns_there(function, size, taken)) return entry_unknown_code;

  // The aligned word with the jump in it; its other bytes stay as they are.
  uint8_t jump[code_jump_size];
  if (!code_make_jump(at, text.address, jump)) return entry_no_room;
  memcpy(word, (const void *)(uintptr_t)(at - offset), sizeof word);
  memcpy(word + offset, jump, sizeof jump);
  const code_part parts[] = {{text.address, text.bytes, text.count}, {at - offset, word, sizeof word}};
  // Set *call first: the hook may be called as soon as the jump is written.
  void *before = *call;
  __atomic_store_n(call, (void *)(uintptr_t)moved, __ATOMIC_RELEASE);
  if (!write_code(parts, 2)) {
    __atomic_store_n(call, before, __ATOMIC_RELEASE);
    return entry_unwritable;
  }
  room_keep(text.count);
  return entry_taken;
}

entry_result entries_possible(void) {
  int error = errno;
  entry_result result = write_proven() < write_ways ? entry_taken : entry_unwritable;
  errno = error;
  return result;
}

entry_result entry_take(void *function, uint64_t size, book_range library, void *hook, void **call) {
  int error = errno;
  entry_result result = entry_unknown_code;
  if (function && hook && call) result = threads_are_allowed || entries_is_alone() ? entries_possible() : entry_many_threads;
  if (result == entry_taken) result = take((uint64_t)(uintptr_t)function, size, library, (uint64_t)(uintptr_t)hook, call);
  errno = error;
  return result;
}

#else

bool entries_is_alone(void) { return false; }
entry_result entries_possible(void) { return entry_unsupported; }

entry_result entry_take(void *function, uint64_t size, book_range library, void *hook, void **call) {
  (void)function, (void)size, (void)library, (void)hook, (void)call, (void)threads_are_allowed;
  return entry_unsupported;
}

#endif
