#include "unwind.h"

#include <stdatomic.h>

#if defined(__linux__) && defined(__aarch64__)
#include <signal.h>
#include <ucontext.h>
#endif

#include "bounds.h"
#include "instructions.h"
#include "modules.h"
#include "peek.h"

#if OPTRACE_STACKS

// ---- A cache of rules

// The loader's own list, which needs no lock (glibc 2.35 and newer): struct dl_find_object in <dlfcn.h>.
typedef struct {
  unsigned long long flags;
  void *low, *high, *map, *frame_header;
  unsigned long long reserved[7];
} found_object;
extern int find_object(void *address, found_object *out) __asm__("_dl_find_object") __attribute__((weak));

// `in_pieces`: the module may have unmapped addresses between `low` and `high`.
static bool find_module(uint64_t address, uint64_t *low, uint64_t *high, uint64_t *header, bool *in_pieces) {
  *in_pieces = false;
  if (find_object && !peek_process()) {
    found_object found;
    if (find_object((void *)(uintptr_t)address, &found) != 0) return false;
    *low = (uint64_t)(uintptr_t)found.low;
    *high = (uint64_t)(uintptr_t)found.high;
    *header = (uint64_t)(uintptr_t)found.frame_header;
    if (*header >= *low && *header < *high) return true;
    // If there are gaps between the program's segments, this describes only the segment with the address, and the rules are in another
    // one. That happens when segments are aligned for larger pages than the system's, as on arm64.
    *in_pieces = true;
  }
  const module *one = module_at(module_of(address));
  if (!one) return false;
  *low = one->low;
  *high = one->high;
  *header = one->frame_header;
  return *header >= *low && *header < *high;
}

static unwind_rule make_rule(uint64_t address, bool careful, uint64_t generation, uint64_t *start) {
  uint64_t low, high, header;
  bool in_pieces;
  if (!find_module(address, &low, &high, &header, &in_pieces)) return 0;
  unwind_image image;
  image.bytes = careful || in_pieces ? NULL : (const uint8_t *)(uintptr_t)low;
  // Another process may load and unload modules at any time, so no copies of its pages are kept.
  image.generation = peek_process() ? 0 : generation;
  image.low = low;
  image.high = high;
  image.window_at = image.window_bytes = 0;
  return rule_find(&image, header, address, start);
}

// Caches for some thousand addresses. The key is mixed with the value and with the count of unloadings. So a key and a value that were
// stored by different threads do not match any address, and neither does an entry from before an unloading.
enum { rule_slots = 8192, function_slots = 1024 };
typedef struct {
  _Atomic uint64_t key, value;
} memo;
static memo rules[rule_slots] __attribute__((aligned(64))), functions[function_slots] __attribute__((aligned(64)));

static inline uint64_t spread(uint64_t value) {
  value *= 0x9E3779B97F4A7C15ull;
  return value ^ value >> 32;
}

static inline bool recall(memo *slot, uint64_t address, uint64_t generation, uint64_t *value) {
  uint64_t key = atomic_load_explicit(&slot->key, memory_order_relaxed);
  *value = atomic_load_explicit(&slot->value, memory_order_relaxed);
  return __builtin_expect((key ^ spread(*value + generation)) == address, 1);
}

static inline void remember(memo *slot, uint64_t address, uint64_t generation, uint64_t value) {
  atomic_store_explicit(&slot->key, address ^ spread(value + generation), memory_order_relaxed);
  atomic_store_explicit(&slot->value, value, memory_order_relaxed);
}

static inline unwind_rule rule_at(uint64_t address, bool careful, uint64_t generation) {
  memo *slot = &rules[spread(address) >> 40 & (rule_slots - 1)];
  uint64_t rule;
  if (recall(slot, address, generation, &rule)) return rule;
  rule = make_rule(address, careful, generation, NULL);
  remember(slot, address, generation, rule);
  return rule;
}

// Where the function at an address begins; 0: not known.
static uint64_t function_at(uint64_t address, uint64_t generation) {
  memo *slot = &functions[spread(address) >> 40 & (function_slots - 1)];
  uint64_t start;
  if (recall(slot, address, generation, &start)) return start;
  start = 0;
  make_rule(address, true, generation, &start);
  remember(slot, address, generation, start);
  return start;
}

// The factor is odd, and unlike any difference between two rules.
static inline uint64_t generation_now(void) { return modules_generation() * 0xD6E8FEB86659FD93ull + 1; }

unwind_rule unwind_rule_at(uint64_t address, bool careful) { return rule_at(address, careful, generation_now()); }
uint64_t unwind_function_at(uint64_t address) { return function_at(address, generation_now()); }

// ---- Reading memory

// Reads a word at any address, because a guess may be wrong and not point into a stack.
typedef struct __attribute__((packed, may_alias)) {
  uint64_t value;
} loose_word;

// Not instrumented: sanitizers poison some words of a stack.
__attribute__((no_sanitize("address", "thread"), noinline))
static bool read_slowly(const stack_memory *memory, uint64_t address, uint64_t *out) {
  return memory->beyond && peek_all(address, out, 8);
}

__attribute__((no_sanitize("address", "thread")))
static inline bool read_word(const stack_memory *memory, uint64_t address, uint64_t *out) {
  if (__builtin_expect(address >= memory->low && address < memory->high && memory->high - address >= 8, 1)) {
    *out = ((const loose_word *)(const void *)(memory->bytes + (address - memory->low)))->value;
    return true;
  }
  return read_slowly(memory, address, out);
}

// A return address may be signed in its upper bits.
static inline uint64_t plain(uint64_t address) {
#if defined(__aarch64__)
  register uint64_t x30 __asm__("x30") = address;
  __asm__("hint #7" : "+r"(x30));
  return x30;
#else
  return address;
#endif
}

// ---- Without a rule

// The registers during a walk. `ra`: the register that calls leave the return address in, if the processor has one; 0: not known.
typedef struct {
  uint64_t pc, sp, bp, ra;
  bool lost_sp;  // sp is not known: the guess has found the saved bp, but not the end of that frame.
} registers;

#if defined(__aarch64__)

// Finds the pair of saved x29 and x30 that each function with a frame stores: at sp or the next pair above it, else where x29 points.
static bool guess(const stack_memory *memory, registers *r) {
  enum { farthest = 64 };
  uint64_t at = r->sp, outer, word, target;
  for (int i = 0; i <= farthest; i++, at += 8) {
    if (i == farthest) at = r->bp;
    if (at % 8 || at < r->sp || !read_word(memory, at, &outer) || !read_word(memory, at + 8, &word)) continue;
    if ((outer && (outer <= at || outer % 8)) || !is_behind_call(plain(word), &target)) continue;
    *r = (registers){plain(word), at + 16, outer, 0, true};
    return true;
  }
  return false;
}

// The registers of the interrupted function, as the kernel stores them at sp.
static bool step_out_of_signal(const stack_memory *memory, registers *r) {
  uint64_t at = r->sp + sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext);
  registers outer = {0};
  if (!read_word(memory, at + offsetof(mcontext_t, pc), &outer.pc) || !read_word(memory, at + offsetof(mcontext_t, sp), &outer.sp) ||
      !read_word(memory, at + offsetof(mcontext_t, regs[29]), &outer.bp) ||
      !read_word(memory, at + offsetof(mcontext_t, regs[30]), &outer.ra))
    return false;
  outer.ra = plain(outer.ra);
  *r = outer;
  return r->pc != 0;
}

#else

static bool step_out_of_signal(const stack_memory *memory, registers *r) { return (void)memory, (void)r, false; }

// Looks for a return address within three words of sp; else takes the saved bp, and the word above it as the return address.
static bool guess(const stack_memory *memory, registers *r) {
  uint64_t word, target;
  for (int i = 0; i < 3; i++) {
    uint64_t at = r->sp + (uint64_t)i * 8;
    if (!read_word(memory, at, &word) || !is_behind_call(plain(word), &target)) continue;
    // The function has saved bp right below its return address, and bp points there.
    if (at == r->bp + 8 && !read_word(memory, r->bp, &r->bp)) return false;
    r->pc = plain(word);
    r->sp = at + 8;
    return true;
  }
  uint64_t outer;
  if (r->bp % 8 || r->bp < r->sp) return false;
  if (!read_word(memory, r->bp, &outer) || !read_word(memory, r->bp + 8, &word)) return false;
  if (!is_behind_call(plain(word), &target)) return false;
  r->pc = plain(word);
  r->sp = r->bp + 16;
  r->bp = outer;
  return true;
}

#endif

// ---- The walk

// Steps to the caller by the unwind rule. False: there is no rule, or its result is not in a stack.
static inline bool step(const stack_memory *memory, unwind_rule rule, registers *r) {
  uint64_t base = rule & rule_by_bp ? r->bp : r->sp, cfa = base + (uint64_t)rule_cfa(rule), ra = r->ra, bp = r->bp;
  // In a function with a frame pointer, bp points to the saved bp.
  if (has_register_ra && r->lost_sp && !(rule & rule_by_bp)) {
    if ((rule & (rule_indirect | rule_ra_by_base | rule_saves_bp | rule_bp_by_base)) != rule_saves_bp) return false;
    cfa = r->bp - (uint64_t)rule_bp(rule);
  }
  if ((rule & rule_indirect) && !read_word(memory, cfa, &cfa)) return false;
  // The caller's sp must be higher, except that a signal handler may have its own stack, and a leaf function may need no stack at all.
  if (cfa <= r->sp && !(rule & rule_signal) && !(rule_ra_in_register(rule) && cfa == r->sp)) return false;
  if (!rule_ra_in_register(rule) && !read_word(memory, (rule & rule_ra_by_base ? base : cfa) + (uint64_t)rule_ra(rule), &ra))
    return false;
  uint64_t bp_from = rule & rule_bp_by_base ? base : cfa;
  uint64_t bp_at = bp_from + (uint64_t)rule_bp(rule);
  // After `pop %rbp` LLVM's rules still say that bp is saved. The location is below sp by then, and bp already has the caller's value.
  if ((rule & rule_saves_bp) && bp_at >= r->sp && !read_word(memory, bp_at, &bp)) return false;
  *r = (registers){plain(ra), cfa, bp, 0, false};
  return r->pc != 0;
}

// ---- A sleeping thread

enum { broken_stack = 100 };

// Counts how badly the frames behind a caller fit together: the call before each return address should have the next inner function as
// its target, if the target can be seen. Tail calls do not fit either, so one misfit is not proof: the candidate with the fewest wins.
static int count_doubts(const stack_memory *memory, registers r, uint64_t generation) {
  enum { most_steps = 48 };
  int doubts = 0;
  for (int i = 0; i < most_steps; i++) {
    unwind_rule rule = rule_at(r.pc - 1, true, generation);
    uint64_t function = function_at(r.pc - 1, generation), target;
    if (rule & rule_end) return doubts;
    if (!(rule & rule_frame) || (rule & rule_signal)) return broken_stack;
    if (!step(memory, rule, &r) || !is_behind_call(r.pc, &target)) return broken_stack;
    doubts += target && !leads_to(target, function);
  }
  return doubts;
}

// Whether bp may point here: to a saved bp and a return address from which a walk reaches the end of the stack.
static bool fits_bp(const stack_memory *memory, unwind_rule rule, uint64_t bp, uint64_t generation) {
  uint64_t cfa = bp + (uint64_t)rule_cfa(rule), ra, outer, target;
  if (!read_word(memory, cfa + (uint64_t)rule_ra(rule), &ra) || !is_behind_call(plain(ra), &target)) return false;
  if (!read_word(memory, cfa + (uint64_t)rule_bp(rule), &outer)) return false;
  return count_doubts(memory, (registers){.pc = plain(ra), .sp = cfa, .bp = outer}, generation) < broken_stack;
}

// For a sleeping thread only pc and sp are known, and the innermost functions may not have changed bp. If an unwind rule is relative to
// bp, bp is found in one of these ways:
// - for certain, if the function's prologue shows the distance from sp to bp (and the function has not moved sp since);
// - for certain, by a pair of saved bp and return address, if the call before that address calls the function;
// - else by the first of the pairs with the fewest misfits, because old pairs may still be on the stack.
// False: there is none.
static bool find_bp(const stack_memory *memory, unwind_rule rule, uint64_t address, uint64_t generation, registers *r,
                    bool *is_sure) {
  enum { farthest = 512, most_pairs = 16 };
  uint64_t function = function_at(address, generation), best = 0, bp = (r->sp + 7) & ~7ull;
  int fewest = 1000, pairs = 0;
  if ((rule & (rule_indirect | rule_ra_by_base | rule_saves_bp | rule_bp_by_base)) != rule_saves_bp) return false;
  uint64_t below;
  if (frame_below_bp(function, address, &below) && fits_bp(memory, rule, r->sp + below, generation)) {
    r->bp = r->sp + below;
    return *is_sure = true;
  }
  *is_sure = false;
  for (int i = 0; i < farthest && pairs < most_pairs; i++, bp += 8) {
    uint64_t cfa = bp + (uint64_t)rule_cfa(rule), ra, outer, target;
    if (cfa <= r->sp) continue;
    if (cfa + 16 > memory->high || !read_word(memory, cfa + (uint64_t)rule_ra(rule), &ra)) break;
    if (!is_behind_call(plain(ra), &target) || !read_word(memory, cfa + (uint64_t)rule_bp(rule), &outer)) continue;
    if (leads_to(target, function)) {
      r->bp = bp;
      return *is_sure = true;
    }
    pairs++;
    int doubts = count_doubts(memory, (registers){.pc = plain(ra), .sp = cfa, .bp = outer}, generation) + (target != 0);
    if (doubts >= fewest) continue;
    fewest = doubts;
    best = bp;
  }
  r->bp = best;
  return best != 0;
}

size_t stack_walk_far(const stack_start *start, const stack_memory *memory, uint64_t *pcs, uint64_t *sps, size_t most,
                      size_t *guessed, bool *is_whole) {
  registers r = {.pc = start->pc, .sp = start->sp, .bp = start->bp};
  uint64_t generation = generation_now();
  size_t count = 0, first_guess = SIZE_MAX;
  *is_whole = false;
  bool is_exact = true;  // pc is not a return address, so it may be a function's first instruction.
  while (count < most && r.pc) {
    if (sps) sps[count] = r.sp;
    pcs[count++] = r.pc;
    uint64_t address = r.pc - !is_exact;
    unwind_rule rule = rule_at(address, memory->foreign || first_guess != SIZE_MAX, generation);
    if (rule & rule_end) {
      *is_whole = true;
      break;
    }
    is_exact = rule & rule_signal;
    if (__builtin_expect(!(rule & rule_frame) || is_exact, 0) && leaves_signal(r.pc)) {
      is_exact = true;
      if (!step_out_of_signal(memory, &r)) break;
      continue;
    }
    // A function whose return address is still in a register, which is not known here.
    if (__builtin_expect(rule_ra_in_register(rule) && !r.ra, 0)) rule = 0;
    if (__builtin_expect((rule & (rule_frame | rule_by_bp)) == (rule_frame | rule_by_bp) && !r.bp, 0)) {
      bool is_sure;
      if (!find_bp(memory, rule, address, generation, &r, &is_sure)) break;
      if (!is_sure && first_guess == SIZE_MAX) first_guess = count;
    }
    if (__builtin_expect(rule & rule_frame, 1)) {
      if (!step(memory, rule, &r)) break;
      continue;
    }
    if (first_guess == SIZE_MAX) first_guess = count;
    if (!guess(memory, &r)) break;
  }
  if (!r.pc) *is_whole = true;
  if (guessed) *guessed = first_guess < count ? first_guess : count;
  return count;
}

size_t stack_walk(const stack_start *start, const stack_memory *memory, uint64_t *pcs, size_t most, size_t *guessed) {
  bool is_whole;
  return stack_walk_far(start, memory, pcs, NULL, most, guessed, &is_whole);
}

size_t stack_walk_here(const stack_start *start, uint64_t *pcs, size_t most, size_t *guessed) {
  stack_bounds bounds = stack_own_bounds();
  stack_memory memory = {.beyond = true};
  if (start->sp >= bounds.low && start->sp < bounds.high) memory.low = start->sp;
  // The stack is not the thread's own. A signal handler's stack leads back to that one, whose lowest pages may never have been touched.
  else memory.low = bounds.high;
  memory.high = bounds.high;
  memory.bytes = (const uint8_t *)(uintptr_t)memory.low;
  return stack_walk(start, &memory, pcs, most, guessed);
}

// The most common rule with the same base and offset, with or without a saved bp.
static inline unwind_rule common_rule(unwind_rule rule) {
  const uint64_t ra = (uint64_t)(uint16_t)-1 << 32, bp = (uint64_t)(uint16_t)-2 << 48;
  uint64_t base = rule & (0xFFFFFF00ull | rule_saves_bp);
  return base | rule_frame | ra | (rule & rule_saves_bp ? bp : 0);
}

__attribute__((no_sanitize("address", "thread"))) static inline stack_start outside_of(uint64_t cfa, uint64_t bp, unwind_rule rule) {
  const uint64_t *end = (const uint64_t *)(uintptr_t)cfa;
  return (stack_start){plain(end[-1]), cfa, rule & rule_saves_bp ? end[-2] : bp};
}

stack_start stack_outside(const stack_start *start, bool returns) {
  stack_bounds bounds = stack_own_bounds();
  bool is_inside = start->sp >= bounds.low && start->sp < bounds.high;
  unwind_rule rule = rule_at(start->pc - returns, false, generation_now());
  // The common case: the return address and the caller's bp are stored at the outer end of the frame.
  if (is_inside && (rule & ~(unwind_rule)rule_by_bp) == common_rule(rule)) {
    uint64_t cfa = (rule & rule_by_bp ? start->bp : start->sp) + (uint64_t)rule_cfa(rule);
    if (cfa > start->sp && cfa <= bounds.high && cfa % 8 == 0) return outside_of(cfa, start->bp, rule);
  }
  stack_memory memory = {.low = is_inside ? start->sp : 0, .high = is_inside ? bounds.high : 0, .beyond = !is_inside};
  memory.bytes = (const uint8_t *)(uintptr_t)memory.low;
  registers r = {.pc = start->pc, .sp = start->sp, .bp = start->bp};
  if (!(rule & rule_frame) || !step(&memory, rule, &r)) return (stack_start){0, 0, 0};
  return (stack_start){r.pc, r.sp, r.bp};
}

#else

stack_start stack_outside(const stack_start *start, bool returns) {
  (void)start, (void)returns;
  return (stack_start){0, 0, 0};
}

unwind_rule unwind_rule_at(uint64_t address, bool careful) {
  (void)address, (void)careful;
  return 0;
}

uint64_t unwind_function_at(uint64_t address) { return (void)address, 0; }

size_t stack_walk_far(const stack_start *start, const stack_memory *memory, uint64_t *pcs, uint64_t *sps, size_t most,
                      size_t *guessed, bool *is_whole) {
  (void)sps;
  *is_whole = false;
  return stack_walk(start, memory, pcs, most, guessed);
}

size_t stack_walk(const stack_start *start, const stack_memory *memory, uint64_t *pcs, size_t most, size_t *guessed) {
  (void)start, (void)memory, (void)pcs, (void)most;
  if (guessed) *guessed = 0;
  return 0;
}

size_t stack_walk_here(const stack_start *start, uint64_t *pcs, size_t most, size_t *guessed) {
  return stack_walk(start, NULL, pcs, most, guessed);
}

#endif
