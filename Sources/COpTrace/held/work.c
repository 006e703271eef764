#include "work.h"

#include <sys/mman.h>

#include "COpTraceFormat.h"

// The queues of the work that was given to queues last: where there is other work in the place of some, its queue is not known.
enum { entries = 1 << 16, how_shift = 28, kind_shift = 24, largest_queue = (1 << kind_shift) - 1 };
static _Atomic uint64_t *_Atomic table;

static _Atomic uint64_t *get(void) {
  _Atomic uint64_t *known = atomic_load_explicit(&table, memory_order_acquire);
  if (known) return known;
  void *made = mmap(NULL, entries * sizeof *known, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) return NULL;
  if (atomic_compare_exchange_strong(&table, &known, (_Atomic uint64_t *)made)) return made;
  munmap(made, entries * sizeof *known);
  return known;
}

void held_add_work(uint32_t number, uint32_t queue, uint8_t kind, uint8_t how) {
  _Atomic uint64_t *known = queue && number && queue <= largest_queue ? get() : NULL;
  if (!known) return;
  uint64_t what = queue | (uint64_t)kind << kind_shift | (uint64_t)how << how_shift;
  atomic_store_explicit(&known[number % entries], (uint64_t)number << 32 | what, memory_order_release);
}

void held_begin_work(uint32_t number) {
  held_stack *held = held_here();
  _Atomic uint64_t *known = held && number ? get() : NULL;
  if (!known) return;
  uint64_t entry = atomic_load_explicit(&known[number % entries], memory_order_acquire);
  if (entry >> 32 != number) return;
  if (held->count == held_most) return held_count_deep();
  uint64_t queue = entry & largest_queue;
  uint16_t what = held_kind_and_how((uint8_t)(entry >> kind_shift & 15), (uint8_t)(entry >> how_shift & 15));
  held_enter(held);
  held_thing *next = &held->things[held->count];
  uint64_t outer_way = held->count ? (next - 1)->way : 0;
  bool is_same = held_is(next, queue, what, 0, 0) && next->outer_way == outer_way && held->epoch == held_epoch();
  *next = (held_thing){.object = queue, .way = is_same ? next->way : 0, .outer_way = outer_way, .strand = number, .times = 1, .kind_and_how = what};
  held->count++;
  held_leave(held);
}

void held_end_work(uint32_t number) {
  held_stack *held = held_here();
  for (int i = held && number ? (int)held->count - 1 : -1; i >= 0; i--) {
    const held_thing *thing = &held->things[i];
    bool is_of_work = !thing->pc && (thing->kind == optrace_held_queue || thing->kind == optrace_held_slot);
    if (!is_of_work || thing->strand != number) continue;
    // What the work has locked stays locked.
    if (i + 1 == (int)held->count) held->count--;
    else held_remove(held, i);
    return;
  }
}
