// A jump of five bytes stands where the function began. It leads to a piece of code of its own:
//
//   who called?      the return address on the stack is compared with the library's range
//   jmp hook         where it is outside
//   first bytes      of the function, moved, where it is inside; `*call` leads here, too
//   jmp function+n
//
// It touches no register and nothing of the stack.
#include "entries.h"

#include <errno.h>
#include <string.h>

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
  [entry_unaligned] = "it begins at no even place",
};

const char *entry_result_text(entry_result result) {
  return (unsigned)result < sizeof texts / sizeof *texts ? texts[result] : "it is not known why";
}

static bool threads_are_allowed;
void entries_allow_threads(bool are_allowed) { threads_are_allowed = are_allowed; }

#if defined(OPTRACE_HAS_ENTRIES)

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../stacks/peek.h"

enum { jump_size = 5, word_size = 8 };

// Since glibc 2.32.
extern char __libc_single_threaded __attribute__((weak));

// Counted without memory of the C library's: this may run before it is ready.
bool entries_is_alone(void) {
  char list[1024];
  int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Without /proc the C library says it; it may be too careful.
  if (folder < 0) return &__libc_single_threaded && __libc_single_threaded;
  long bytes, threads = 0;
  while (threads < 2 && (bytes = syscall(SYS_getdents64, folder, list, sizeof list)) > 0) {
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
  return threads == 1;
}

// ---- Who called ------------------------------------------------------------------------------------------------------

static void put_compare(code_text *text, bool is_high_half, uint32_t with) {
  if (is_high_half) code_put(text, "\x81\x7C\x24\x04", 4);  // cmpl with, 4(%rsp)
  else code_put(text, "\x81\x3C\x24", 3);                   // cmpl with, (%rsp)
  code_put(text, &with, 4);
}

enum { below = 0x72, not_below = 0x73, not_equal = 0x75, above = 0x77 };

// A short jump whose end comes later.
static size_t put_short(code_text *text, uint8_t opcode) {
  uint8_t jump[2] = {opcode, 0};
  code_put(text, jump, sizeof jump);
  return text->count - 1;
}

static void end_here(code_text *text, size_t jump) {
  if (!text->is_full) text->bytes[jump] = (uint8_t)(text->count - jump - 1);
}

// By halves: no instruction compares memory with eight bytes, and no register is free.
static void put_check(code_text *text, entry_range library, uint64_t hook) {
  if (library.low >= library.high) return code_put_jump(text, hook);
  // A return address stands behind its call: the first one of the library is behind `low`, the last one may be `high`.
  uint64_t low = library.low + 1, high = library.high == UINT64_MAX ? library.high : library.high + 1;
  uint32_t low_high = (uint32_t)(low >> 32), high_high = (uint32_t)(high >> 32);
  if (low_high == high_high) {
    put_compare(text, true, low_high);
    size_t elsewhere = put_short(text, not_equal);
    put_compare(text, false, (uint32_t)low);
    size_t before = put_short(text, below);
    put_compare(text, false, (uint32_t)high);
    size_t inside = put_short(text, below);
    end_here(text, elsewhere);
    end_here(text, before);
    code_put_jump(text, hook);
    end_here(text, inside);
    return;
  }
  put_compare(text, true, low_high);
  size_t before = put_short(text, below), beyond_low = put_short(text, above);
  put_compare(text, false, (uint32_t)low);
  size_t just_before = put_short(text, below);
  end_here(text, beyond_low);
  put_compare(text, true, high_high);
  size_t inside = put_short(text, below), behind = put_short(text, above);
  put_compare(text, false, (uint32_t)high);
  size_t just_inside = put_short(text, below);
  end_here(text, before);
  end_here(text, just_before);
  end_here(text, behind);
  code_put_jump(text, hook);
  end_here(text, inside);
  end_here(text, just_inside);
}

// ---- Taking it -------------------------------------------------------------------------------------------------------

static bool is_taken_already(uint64_t function, const uint8_t *bytes) {
  int32_t distance;
  memcpy(&distance, bytes + 1, 4);
  return bytes[0] == 0xE9 && room_has(function + jump_size + (uint64_t)(int64_t)distance);
}

static entry_result of_move(moved_result result) {
  switch (result) {
    case moved_well: return entry_taken;
    case moved_too_short: return entry_too_short;
    case moved_too_far: return entry_no_room;
    default: return entry_unknown_code;
  }
}

static bool put_jump(uint64_t function, uint64_t to) {
  int64_t distance = (int64_t)(to - function - jump_size);
  int32_t short_distance = (int32_t)distance;
  if (distance != short_distance) return false;
  uint8_t bytes[word_size];
  uint64_t base = function & ~(uint64_t)(word_size - 1);
  memcpy(bytes, (const void *)(uintptr_t)base, sizeof bytes);
  bytes[function - base] = 0xE9;
  memcpy(bytes + (function - base) + 1, &short_distance, 4);
  return write_code(base, bytes, sizeof bytes);
}

static entry_result take(uint64_t function, uint64_t size, entry_range library, uint64_t hook, void **call) {
  uint8_t bytes[64] = {0};
  if (function % word_size + jump_size > word_size) return entry_unaligned;
  // As far as it can be read: what matters may be the last of its page.
  size_t count = peek(function, bytes, sizeof bytes);
  if (count < jump_size) return entry_unknown_code;

  code_text text = {.address = 0};
  size_t taken;
  bool again = is_taken_already(function, bytes);
  text.address = room_find(function, sizeof text.bytes);
  if (!text.address) return entry_no_room;
  put_check(&text, library, hook);
  uint64_t moved = text.address + text.count;
  moved_result result = code_move(&text, function, bytes, count, again ? 0 : (size_t)size, jump_size, &taken);
  if (result != moved_well) return of_move(result);
  if (!again && size && code_returns_there(function, size, taken)) return entry_unknown_code;

  if (!write_code(text.address, text.bytes, text.count)) return entry_unwritable;
  void *before = *call;
  // The hook may be called as soon as the jump stands there.
  __atomic_store_n(call, (void *)(uintptr_t)moved, __ATOMIC_RELEASE);
  if (!put_jump(function, text.address)) {
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

entry_result entry_take(void *function, uint64_t size, entry_range library, void *hook, void **call) {
  int error = errno;
  entry_result result = !function || !hook || !call            ? entry_unknown_code
                      : !threads_are_allowed && !entries_is_alone() ? entry_many_threads
                                                            : entries_possible();
  if (result == entry_taken) result = take((uint64_t)(uintptr_t)function, size, library, (uint64_t)(uintptr_t)hook, call);
  errno = error;
  return result;
}

#else

bool entries_is_alone(void) { return false; }
entry_result entries_possible(void) { return entry_unsupported; }

entry_result entry_take(void *function, uint64_t size, entry_range library, void *hook, void **call) {
  (void)function, (void)size, (void)library, (void)hook, (void)call, (void)threads_are_allowed;
  return entry_unsupported;
}

#endif
