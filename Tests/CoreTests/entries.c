// Functions that are taken at their entry: what they do stays, and their calls are heard.
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../../Sources/COpTrace/entries/entries.h"
#include "harness.h"

TEST(every_result_of_taking_a_function_has_a_text) {
  for (entry_result result = entry_taken; result <= entry_unaligned; result++) EXPECT(strlen(entry_result_text(result)) > 8);
  EXPECT(strlen(entry_result_text((entry_result)99)) > 8);
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../Sources/COpTrace/entries/room.h"
#include "entries.h"

static const book_range nobody = {0, 0};

// ---- All ways to begin -----------------------------------------------------------------------------------------------

// By the table in the design: what stands in Swift's libraries, and more.
#if defined(__aarch64__)
// clang-format off
ENTRY(plain, "stp x29, x30, [sp, #-16]!\n mov x29, sp\n add x0, x0, x1\n ldp x29, x30, [sp], #16\n ret")
ENTRY(announced, "hint #34\n add x0, x0, x1\n add x0, x0, #7\n ret")
ENTRY(names_an_address, "adrp x2, entries_value\n ldr x2, [x2, :lo12:entries_value]\n add x0, x0, x2\n ret")
ENTRY(names_a_value, "adr x2, 7f\n ldr w2, [x2]\n sub x0, x2, x1\n ret\n 7: .long 4711")
ENTRY(goes_on_elsewhere, "b entries_plain")
ENTRY(goes_on_late, "nop\n mov x0, x1\n b entries_announced")
ENTRY(branches_nearby, "cbz x0, 7f\n mov x0, x1\n ret\n 7: mov x0, #9\n ret")
ENTRY(branches_far, "tbnz x0, #1, 7f\n mov x0, x1\n ret\n .skip 400\n 7: mov x0, #9\n ret")
ENTRY(branches_always, "b.al 7f\n mov x0, x1\n ret\n 7: mov x0, #9\n ret")
ENTRY(calls, "str x30, [sp, #-16]!\n bl entries_plain\n add x0, x0, #100\n ldr x30, [sp], #16\n ret")
ENTRY(uses_vectors, "fadd v0.2d, v0.2d, v1.2d\n fmov x0, d0\n ret")
// clang-format on

#else
// clang-format off
ENTRY(plain, "push %rbp\n mov %rsp, %rbp\n lea (%rdi,%rsi), %rax\n pop %rbp\n ret")
ENTRY(locked, "lock decq 0x30(%rdi)\n mov 0x30(%rdi), %rax\n ret")
ENTRY(announced, "endbr64\n lea 7(%rdi,%rsi), %rax\n ret")
ENTRY(names_an_address, "lea entries_value(%rip), %rax\n add (%rax), %rdi\n mov %rdi, %rax\n ret")
ENTRY(names_a_value, "mov entries_value(%rip), %rax\n sub %rsi, %rax\n ret")
ENTRY(compares_a_value, "cmpl $4711, entries_value(%rip)\n sete %al\n movzx %al, %eax\n ret")
ENTRY(goes_on_nearby, "mov %edi, %eax\n jmp 7f\n .balign 16, 0x90\n 7: add %rsi, %rax\n ret")
ENTRY(goes_on_elsewhere, "jmp entries_plain")
ENTRY(goes_on_late, "nop\n mov %rsi, %rax\n mov %rax, %rdx\n jmp entries_announced")
ENTRY(goes_by_a_pointer, "jmp *entries_pointer(%rip)")
ENTRY(branches_nearby, "test %rdi, %rdi\n js 7f\n mov %rsi, %rax\n ret\n 7: mov $-1, %rax\n ret")
ENTRY(branches_far, "cmp %rsi, %rdi\n ja 7f\n mov $1, %eax\n ret\n .skip 300, 0xCC\n 7: mov $2, %eax\n ret")
ENTRY(branches_twice, "dec %edi\n js 7f\n jz 8f\n mov $3, %eax\n ret\n 7: mov $1, %eax\n ret\n 8: mov $2, %eax\n ret")
ENTRY(calls, "push %rbx\n call entries_plain\n add $100, %rax\n pop %rbx\n ret")
ENTRY(calls_at_once, "call entries_plain\n add $100, %rax\n ret")
ENTRY(reads_its_caller, "mov (%rsp), %rax\n sub %rax, %rax\n lea 1(%rax), %rax\n ret")
ENTRY(is_short, "mov %edi, %eax\n ret")
ENTRY(is_empty, "ret")
ENTRY(uses_vectors, "addpd %xmm1, %xmm0\n vmovq %xmm0, %rax\n ret")
// clang-format on
#endif

static const struct {
  const char *name;
  void *function;
  const char *end;
} taken_ones[] = {
#if defined(__aarch64__)
  IN_TABLE(plain), IN_TABLE(announced), IN_TABLE(names_an_address), IN_TABLE(names_a_value), IN_TABLE(goes_on_elsewhere),
  IN_TABLE(goes_on_late), IN_TABLE(branches_nearby), IN_TABLE(branches_far), IN_TABLE(branches_always), IN_TABLE(calls),
  IN_TABLE(uses_vectors),
#else
  IN_TABLE(plain), IN_TABLE(announced), IN_TABLE(names_an_address), IN_TABLE(names_a_value),
  IN_TABLE(compares_a_value), IN_TABLE(goes_on_nearby), IN_TABLE(goes_on_elsewhere), IN_TABLE(goes_on_late),
  IN_TABLE(goes_by_a_pointer), IN_TABLE(branches_nearby), IN_TABLE(branches_far), IN_TABLE(branches_twice),
  IN_TABLE(calls), IN_TABLE(calls_at_once), IN_TABLE(reads_its_caller), IN_TABLE(is_short),
  IN_TABLE(is_empty), IN_TABLE(uses_vectors),
#endif
};
enum { taken_count = sizeof taken_ones / sizeof *taken_ones };

static const uint64_t first_arguments[] = {0, 1, 2, 3, (uint64_t)-5, 1ull << 40};
enum { argument_count = sizeof first_arguments / sizeof *first_arguments };

static machine_registers arguments(uint64_t first) {
  machine_registers r;
  for (int i = 0; i < general_count; i++) r.general[i] = 0x1122334455660000ull + (uint64_t)i * 0x0101010101ull;
  for (uint64_t i = 0; i < 16; i++) {
    r.vectors[i][0] = 0x3FF0000000000000ull + first * 64 + i;
    r.vectors[i][1] = ~i;
  }
  r.general[number_first] = first;
  r.general[number_second] = 2;
  return r;
}

static void check_heard(const char *name, const machine_registers *given) {
  for (int i = 0; i < general_count; i++)
    if (IS_KEPT(i) && heard.general[i] != given->general[i])
      core_test_fail(__FILE__, __LINE__, "%s: register %d differs", name, i);
  if (memcmp(heard.vectors, given->vectors, sizeof heard.vectors) != 0)
    core_test_fail(__FILE__, __LINE__, "%s: vectors differ", name);
  // The stack is that of the call.
  EXPECT_EQUAL(heard.general[number_stack], called_stack - bytes_of_a_call);
  EXPECT_EQUAL(heard_caller, (uintptr_t)behind_call);
}

TEST(a_taken_function_does_what_it_did_and_is_heard) {
  uint64_t before[taken_count][argument_count];
  void *calls[taken_count];
  for (int i = 0; i < taken_count; i++)
    for (int a = 0; a < argument_count; a++) {
      machine_registers given = arguments(first_arguments[a]);
      before[i][a] = call_with(taken_ones[i].function, &given);
    }
  // Each has the place of its own call, though all have one hook. Those that others go on in come last.
  for (int i = taken_count - 1; i >= 0; i--) {
    uint64_t size = (uint64_t)((uintptr_t)taken_ones[i].end - (uintptr_t)taken_ones[i].function);
    entry_result result = entry_take(taken_ones[i].function, size, nobody, hook, &calls[i]);
    if (result != entry_taken) core_test_fail(__FILE__, __LINE__, "%s: %s", taken_ones[i].name, entry_result_text(result));
    hook_call = calls[i];
    for (int a = 0; a < argument_count; a++) {
      machine_registers given = arguments(first_arguments[a]);
      uint64_t heard_before = heard_count;
      if (call_with(taken_ones[i].function, &given) != before[i][a])
        core_test_fail(__FILE__, __LINE__, "%s: another answer to argument %d", taken_ones[i].name, a);
      if (heard_count != heard_before + 1) core_test_fail(__FILE__, __LINE__, "%s: is not heard once", taken_ones[i].name);
      check_heard(taken_ones[i].name, &given);
      // Unheard by what calls it.
      EXPECT(call_with(calls[i], &given) == before[i][a] && heard_count == heard_before + 1);
    }
  }
}

#if defined(__x86_64__)
TEST(a_function_whose_first_instruction_is_whole_is_taken) {
  uint64_t words[8] = {0};
  machine_registers given = arguments((uint64_t)(uintptr_t)words);
  words[6] = 10;
  REQUIRE(entry_take(entries_locked, 0, nobody, hook, &hook_call) == entry_taken);
  EXPECT(call_with(entries_locked, &given) == 9 && call_with(entries_locked, &given) == 8 && words[6] == 8);
  EXPECT_EQUAL(heard_count, 2);
}
#endif

// ---- What is refused -------------------------------------------------------------------------------------------------

#if defined(__aarch64__)
// clang-format off
ENTRY(is_stopped_at, "brk #1\n mov x0, x1\n ret")
ENTRY(is_no_code, ".long 0\n ret")
ENTRY(calls_at_once, "bl entries_plain\n ret")
ENTRY(reads_nearby, "ldr x0, 7f\n ret\n 7: .quad 4711")
ENTRY(signs, "hint #25\n ret")
ENTRY(returns_to_its_begin, "7: subs x0, x0, #1\n b.ne 7b\n ret")
ENTRY(returns_there_late, "hint #34\n 7: subs x0, x0, #1\n .rept 2000\n nop\n .endr\n b.ne 7b\n ret")
ENTRY(is_followed_closely, "hint #34\n nop")
// clang-format on
#else
// clang-format off
ENTRY(loops, "mov %rdi, %rcx\n 7: loop 7b\n ret")
ENTRY(is_stopped_at, "int3\n mov %rdi, %rax\n ret")
ENTRY(is_no_code, ".byte 0x06, 0x07, 0x0E, 0x1E, 0x27, 0x2F")
ENTRY(calls_a_pointer, "call *%rax\n ret")
ENTRY(returns_to_its_begin, "mov %rdi, %rax\n 7: dec %rax\n jnz 7b\n nop\n nop\n ret")
ENTRY(returns_there_late, "mov %edi, %eax\n 7: dec %eax\n xor %ecx, %ecx\n .skip 5000, 0x90\n jnz 7b\n ret")
ENTRY(begins_again, "mov %edi, %eax\n dec %edi\n jnz entries_begins_again\n ret")
ENTRY(is_followed_closely, "mov %edi, %eax\n ret\n mov %esi, %eax\n ret")
ENTRY(holds_an_odd_one, "mov %edi, %eax\n ret\n .balign 8\n .skip 5, 0x90\n mov $7, %eax\n ret")
// clang-format on
#endif

static void refuse(const char *name, void *function, uint64_t size, entry_result expected) {
  uint8_t before[16], after[16];
  void *call = &before;
  memcpy(before, function, sizeof before);
  entry_result result = entry_take(function, size, nobody, hook, &call);
  memcpy(after, function, sizeof after);
  if (result != expected) core_test_fail(__FILE__, __LINE__, "%s: %s", name, entry_result_text(result));
  EXPECT(memcmp(before, after, sizeof before) == 0 && call == &before);
}
#define REFUSE(name, expected) refuse(#name, entries_##name, SIZE_OF(name), expected)

TEST(what_cannot_be_taken_is_refused_and_stays) {
#if defined(__aarch64__)
  REFUSE(calls_at_once, entry_unknown_code);
  REFUSE(reads_nearby, entry_unknown_code);
  REFUSE(signs, entry_unknown_code);
  refuse("is_followed_closely", entries_is_followed_closely, 4, entry_too_short);
#else
  REFUSE(loops, entry_unknown_code);
  REFUSE(calls_a_pointer, entry_unknown_code);
  REFUSE(begins_again, entry_unknown_code);
  REFUSE(is_followed_closely, entry_too_short);
  // As its symbol would say, and though another function begins behind it.
  refuse("is_followed_closely", entries_is_followed_closely, 3, entry_too_short);
  refuse("plain, of two bytes", entries_plain, 2, entry_too_short);
  refuse("holds_an_odd_one", (uint8_t *)(void *)entries_holds_an_odd_one + 13, 6, entry_unaligned);
#endif
  REFUSE(is_stopped_at, entry_unknown_code);
  REFUSE(is_no_code, entry_unknown_code);
  REFUSE(returns_to_its_begin, entry_unknown_code);
  REFUSE(returns_there_late, entry_unknown_code);
}

TEST(what_is_no_function_is_refused) {
  void *call = NULL;
  uint8_t *pages = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  EXPECT_EQUAL(entry_take(pages + 64, 100, nobody, hook, &call), entry_unknown_code);
  EXPECT_EQUAL(entry_take((void *)16, 0, nobody, hook, &call), entry_unknown_code);
  EXPECT_EQUAL(entry_take((void *)(UINT64_MAX - 15), 0, nobody, hook, &call), entry_unknown_code);
  EXPECT_EQUAL(entry_take(NULL, 0, nobody, hook, &call), entry_unknown_code);
  EXPECT_EQUAL(entry_take(entries_plain, 0, nobody, NULL, &call), entry_unknown_code);
  EXPECT_EQUAL(entry_take(entries_plain, 0, nobody, hook, NULL), entry_unknown_code);
  EXPECT(!call);
}

// ---- Whose calls are heard -------------------------------------------------------------------------------------------

TEST(a_librarys_own_calls_are_not_heard) {
  machine_registers given = arguments(5);
  book_range library = {(uintptr_t)library_begin, (uintptr_t)library_end};
  REQUIRE(entry_take(library_function, 0, library, hook, &hook_call) == entry_taken);
  EXPECT(call_with(library_calls, &given) == 17 && heard_count == 0);
  EXPECT(call_with(library_calls_last, &given) == 7 && heard_count == 0);
  EXPECT(call_with(library_function, &given) == 7 && heard_count == 1);
}

TEST(a_call_of_the_program_may_end_what_a_library_calls) {
  machine_registers given = arguments(5);
  book_range library = {(uintptr_t)library_begin, (uintptr_t)library_end};
  REQUIRE(entry_take(library_function, 0, library, hook, &hook_call) == entry_taken);
  EXPECT(call_with(library_calls_what_jumps, &given) == 7 && heard_count == 1);
}

typedef struct {
  uint64_t low, high;
  bool is_heard;
} placed_library;

// A return address is behind its call: so it may be the end, and not the begin.
static bool place_library(unsigned number, uint64_t caller, placed_library *library) {
  const uint64_t far = 1ull << 32;
  const placed_library libraries[] = {
    {caller - 1, caller, false},         {caller, caller + 1, true},        {caller - 2, caller - 1, true},
    {0, caller, false},                  {0, caller - 1, true},             {caller - far, caller + far, false},
    {caller - far, caller - 1, true},    {caller, caller + 2 * far, true},  {caller - 1, caller + 2 * far, false},
    {caller - 2 * far, caller, false},   {1, UINT64_MAX, false},            {caller + far, caller + 2 * far, true},
    {caller - 2 * far, caller - far, true}, {caller + 5, caller, true},     {caller, caller, true},
  };
  if (number >= sizeof libraries / sizeof *libraries) return false;
  *library = libraries[number];
  return true;
}

TEST(a_library_may_lie_anywhere_and_be_of_any_size) {
  placed_library library;
  for (unsigned i = 0; place_library(i, (uintptr_t)calls_alike + 16 * i + bytes_until_return, &library); i++) {
    machine_registers given = arguments(i);
    void *function = (uint8_t *)(void *)alike + 16 * i, *caller = (uint8_t *)(void *)calls_alike + 16 * i;
    heard_count = 0;
    REQUIRE(entry_take(function, 0, (book_range){library.low, library.high}, hook, &hook_call) == entry_taken);
    EXPECT_EQUAL(call_with(caller, &given), i + 2);
    if (heard_count != library.is_heard) core_test_fail(__FILE__, __LINE__, "library %u: heard %d times", i, (int)heard_count);
    EXPECT_EQUAL(call_with(function, &given), i + 2);
    check_heard("alike", &given);
  }
}

// A function that adds, to be copied.
#if defined(__aarch64__)
static const uint32_t adds[] = {0x8B010000, 0xD65F03C0};
#else
static const uint8_t adds[] = {0x48, 0x8D, 0x04, 0x37, 0x90, 0x90, 0xC3};
#endif

static char order[8];
static void *call_one, *call_two;
static uint64_t hook_one(uint64_t a, uint64_t b) {
  strcat(order, "1");
  return ((uint64_t(*)(uint64_t, uint64_t))call_one)(a, b) * 10;
}
static uint64_t hook_two(uint64_t a, uint64_t b) {
  strcat(order, "2");
  return ((uint64_t(*)(uint64_t, uint64_t))call_two)(a + 1, b) + 3;
}

TEST(a_function_is_taken_again_and_the_last_hook_hears_it_first) {
  machine_registers given = arguments(5);
  REQUIRE(entry_take(entries_plain, SIZE_OF(plain), nobody, hook_one, &call_one) == entry_taken);
  EXPECT_EQUAL(call_with(entries_plain, &given), 70);
  REQUIRE(entry_take(entries_plain, SIZE_OF(plain), nobody, hook_two, &call_two) == entry_taken);
  order[0] = 0;
  EXPECT_EQUAL(call_with(entries_plain, &given), 83);
  EXPECT(strcmp(order, "21") == 0);
}

// ---- Where -----------------------------------------------------------------------------------------------------------

// A program may lie anywhere, and so may its libraries: each gets a room of its own. Here each function is the last of its page.
TEST(code_far_away_has_a_room_of_its_own) {
  const uint64_t places[] = {0x10000000, 0x200000000000, 0x300000000000, 0x600000000000};
  for (int i = 0; i < 4; i++) {
    uint8_t *page = mmap((void *)places[i], 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (page == MAP_FAILED) continue;
    uint8_t *function = page + 4080;
    memcpy(function, adds, sizeof adds);
    REQUIRE(mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0);
    machine_registers given = arguments(5);
    heard_count = 0;
    EXPECT_EQUAL(entry_take(function, sizeof adds, nobody, hook, &hook_call), entry_taken);
    EXPECT(call_with(function, &given) == 7 && heard_count == 1);
    EXPECT(room_has((uintptr_t)hook_call) && !room_has((uintptr_t)function));
  }
}

TEST(many_functions_need_several_rooms) {
  enum { many = 3000 };
  uint8_t *pages = mmap(NULL, many * 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  for (int i = 0; i < many; i++) memcpy(pages + 16 * i, adds, sizeof adds);
  REQUIRE(mprotect(pages, many * 16, PROT_READ | PROT_EXEC) == 0);
  book_range library = {(uintptr_t)library_begin, (uintptr_t)library_end};
  for (int i = 0; i < many; i++) {
    machine_registers given = arguments((uint64_t)i);
    REQUIRE(entry_take(pages + 16 * i, sizeof adds, library, hook, &hook_call) == entry_taken);
    EXPECT(call_with(pages + 16 * i, &given) == (uint64_t)i + 2 && heard_count == (uint64_t)i + 1);
  }
}

// ---- Threads ---------------------------------------------------------------------------------------------------------

static void *wait_for_lock(void *lock) {
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
  return NULL;
}

TEST(nothing_is_taken_while_other_threads_run) {
  SKIP_IF(is_emulated(), "the emulator has threads of its own");
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_t thread;
  machine_registers given = arguments(5);
  pthread_mutex_lock(&lock);
  REQUIRE(pthread_create(&thread, NULL, wait_for_lock, &lock) == 0);
  REFUSE(plain, entry_many_threads);
  EXPECT_EQUAL(call_with(entries_plain, &given), 7);
  entries_allow_threads(true);
  EXPECT_EQUAL(entry_take(entries_plain, SIZE_OF(plain), nobody, hook, &hook_call), entry_taken);
  EXPECT(call_with(entries_plain, &given) == 7 && heard_count == 1);
  entries_allow_threads(false);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
}

TEST(errno_stays_as_it_was) {
  errno = 77;
  void *call;
  EXPECT(entry_take(entries_plain, 0, nobody, hook, &call) == entry_taken && errno == 77);
  EXPECT(entries_possible() == entry_taken && errno == 77);
}

#else

TEST(no_function_is_taken_on_other_systems) {
  void *call = NULL;
  int (*function)(const char *, const char *) = strcmp;
  EXPECT(entries_possible() == entry_unsupported);
  entries_allow_threads(true);
  void *hook = (void *)(uintptr_t)function;
  EXPECT(entry_take(hook, 0, (book_range){0, 0}, hook, &call) == entry_unsupported && !call);
}

#endif
