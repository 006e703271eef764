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

// ---- Rules, remembered

// The loader's own list, which needs no lock (glibc 2.35 and newer): struct dl_find_object in <dlfcn.h>.
typedef struct {
  unsigned long long flags;
  void *low, *high, *map, *frame_header;
  unsigned long long reserved[7];
} found_object;
extern int find_object(void *address, found_object *out) __asm__("_dl_find_object") __attribute__((weak));

// `in_pieces`: there may be unmapped addresses between `low` and `high`.
static bool find_module(uint64_t address, uint64_t *low, uint64_t *high, uint64_t *header, bool *in_pieces) {
  *in_pieces = false;
  if (find_object && !peek_process()) {
    found_object found;
    if (find_object((void *)(uintptr_t)address, &found) != 0) return false;
    *low = (uint64_t)(uintptr_t)found.low;
    *high = (uint64_t)(uintptr_t)found.high;
    *header = (uint64_t)(uintptr_t)found.frame_header;
    if (*header >= *low && *header < *high) return true;
    // If the segments of a program do not touch, this describes the one with the address, and the rules are in another. That
    // happens when they are aligned for larger pages than the system's, as on arm64.
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
  // Another process may change at any time.
  image.generation = peek_process() ? 0 : generation;
  image.low = low;
  image.high = high;
  image.window_at = image.window_bytes = 0;
  return rule_find(&image, header, address, start);
}

// Caches for some thousand addresses. The key is mixed with the value and with the number of unloadings, so that two words of
// different writers, and what was true before an unloading, match no address.
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

// Unlike the differences between rules, and odd.
static inline uint64_t generation_now(void) { return modules_generation() * 0xD6E8FEB86659FD93ull + 1; }

unwind_rule unwind_rule_at(uint64_t address, bool careful) { return rule_at(address, careful, generation_now()); }

// ---- Reading memory

// At any address: a guess need not lead to a stack.
typedef struct __attribute__((packed, may_alias)) {
  uint64_t value;
} loose_word;

// Sanitizers may watch words of a stack.
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
  bool lost_sp;  // The guess found where bp was saved, but not where that frame ends.
} registers;

#if defined(__aarch64__)

// The pair of saved x29 and x30 that each function with a frame has: the one at sp or the next above it, else the one that x29
// points to.
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

// A return address within three words of sp; else the saved bp and the word beside it.
static bool guess(const stack_memory *memory, registers *r) {
  uint64_t word, target;
  for (int i = 0; i < 3; i++) {
    uint64_t at = r->sp + (uint64_t)i * 8;
    if (!read_word(memory, at, &word) || !is_behind_call(plain(word), &target)) continue;
    // The function has saved bp right below its return address, and has set it to where that is.
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

// Steps to the caller, by the rule. False: there is none, or the rule does not lead to a stack.
static inline bool step(const stack_memory *memory, unwind_rule rule, registers *r) {
  uint64_t base = rule & rule_by_bp ? r->bp : r->sp, cfa = base + (uint64_t)rule_cfa(rule), ra = r->ra, bp = r->bp;
  // In functions with a frame, bp points to where it was saved.
  if (has_register_ra && r->lost_sp && !(rule & rule_by_bp)) {
    if ((rule & (rule_indirect | rule_ra_by_base | rule_saves_bp | rule_bp_by_base)) != rule_saves_bp) return false;
    cfa = r->bp - (uint64_t)rule_bp(rule);
  }
  if ((rule & rule_indirect) && !read_word(memory, cfa, &cfa)) return false;
  // A signal may have come on a stack of its own. A function that makes no calls may need no stack.
  if (cfa <= r->sp && !(rule & rule_signal) && !(rule_ra_in_register(rule) && cfa == r->sp)) return false;
  if (!rule_ra_in_register(rule) && !read_word(memory, (rule & rule_ra_by_base ? base : cfa) + (uint64_t)rule_ra(rule), &ra))
    return false;
  uint64_t bp_from = rule & rule_bp_by_base ? base : cfa;
  uint64_t bp_at = bp_from + (uint64_t)rule_bp(rule);
  // Behind `pop %rbp` LLVM's rules still say where bp was saved: that is below sp by now, and bp has its value back.
  if ((rule & rule_saves_bp) && bp_at >= r->sp && !read_word(memory, bp_at, &bp)) return false;
  *r = (registers){plain(ra), cfa, bp, 0, false};
  return r->pc != 0;
}

// ---- A thread that sleeps

enum { broken_stack = 100 };

// How well the frames behind a caller fit together: each function should be the target of the call before its return address, if
// that can be seen. Tail calls do not fit either, so the number of misfits counts.
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

// Whether bp may point here: at a saved bp and a return address from which the stack goes on to its end.
static bool fits_bp(const stack_memory *memory, unwind_rule rule, uint64_t bp, uint64_t generation) {
  uint64_t cfa = bp + (uint64_t)rule_cfa(rule), ra, outer, target;
  if (!read_word(memory, cfa + (uint64_t)rule_ra(rule), &ra) || !is_behind_call(plain(ra), &target)) return false;
  if (!read_word(memory, cfa + (uint64_t)rule_bp(rule), &outer)) return false;
  return count_doubts(memory, (registers){.pc = plain(ra), .sp = cfa, .bp = outer}, generation) < broken_stack;
}

// For a sleeping thread only pc and sp are known, and the first functions may not have touched bp. If a rule is relative to bp,
// bp is found: for sure, where the function's first instructions tell how far it is from sp (what takes more room later does not
// fit); else by the pair of saved bp and return address that it points to: for sure, if the call before that address leads to
// the function; else by the first of the pairs with the fewest misfits, because old pairs may still be on the stack. False: there
// is none.
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

size_t stack_walk_far(const stack_start *start, const stack_memory *memory, uint64_t *pcs, size_t most, size_t *guessed,
                      bool *is_whole) {
  registers r = {.pc = start->pc, .sp = start->sp, .bp = start->bp};
  uint64_t generation = generation_now();
  size_t count = 0, first_guess = SIZE_MAX;
  *is_whole = false;
  bool is_exact = true;  // No call precedes pc, so it may be a function's first instruction.
  while (count < most && r.pc) {
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
    // The return address is not known.
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
  return stack_walk_far(start, memory, pcs, most, guessed, &is_whole);
}

size_t stack_walk_here(const stack_start *start, uint64_t *pcs, size_t most, size_t *guessed) {
  stack_bounds bounds = stack_own_bounds();
  stack_memory memory = {.beyond = true};
  if (start->sp >= bounds.low && start->sp < bounds.high) memory.low = start->sp;
  // An unknown stack. A signal's leads back to the thread's own, which may be untouched below.
  else memory.low = bounds.high;
  memory.high = bounds.high;
  memory.bytes = (const uint8_t *)(uintptr_t)memory.low;
  return stack_walk(start, &memory, pcs, most, guessed);
}

// The common rule with this one's base and offset, with or without a saved bp.
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
  // The common case: the caller's address and bp are stored at the outer end of the frame.
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

size_t stack_walk_far(const stack_start *start, const stack_memory *memory, uint64_t *pcs, size_t most, size_t *guessed,
                      bool *is_whole) {
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
