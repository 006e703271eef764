#include "pauses.h"

#include <errno.h>
#include <stdio.h>

#include "../base/own_call.h"
#include "../base/wiped.h"
#include "../base/word.h"
#include "../orders/recording.h"
#include "COpTrace.h"
#include "COpTraceFormat.h"
#include "chance.h"
#include "meeting.h"
#include "plan.h"

struct pauses {
  _Atomic uint32_t kind;
  _Atomic uint32_t count;
  plan plan;
  _Atomic uint32_t arrivals[plan_most_places];
  meeting meeting;
  chance chance;
};
static pauses *_Atomic all;
_Atomic uint32_t *_Atomic pauses_wanted;

const char *pauses_begin(const char *text) {
  pauses *made = atomic_load(&all) ? atomic_load(&all) : wiped_pages(sizeof *made);
  if (!made) return "memory is out";
  if (!plan_read(&made->plan, text)) return "OPTRACE_PAUSES is not as 'optrace provoke' or 'optrace shake' sets it";
  atomic_store(&all, made);
  atomic_store(&made->kind, made->plan.is_by_chance ? pauses_by_chance : pauses_planned);
  atomic_store_explicit(&pauses_wanted, &made->kind, memory_order_release);
  return NULL;
}

// Null: the recorder itself calls, or nothing is recorded any more.
static pauses *here(void) { return held_recording() && !is_own_call ? atomic_load_explicit(&all, memory_order_acquire) : NULL; }

static void mark(const char *format, uint32_t number, uint32_t other) {
  char text[96];
  int length = snprintf(text, sizeof text, format, number, other);
  optrace_recorder *recorder = orders_recorder();
  if (recorder && length > 0) optrace_emit_here(recorder, optrace_kind_mark, 0, (const uint8_t *)text, (size_t)length);
}

// Whether there was not enough of it in this process.
static bool may_pause(pauses *in, uint32_t most) {
  return atomic_load_explicit(&in->count, memory_order_relaxed) < most &&
         atomic_fetch_add_explicit(&in->count, 1, memory_order_relaxed) < most;
}

// ---- At the places of a plan -----------------------------------------------------------------------------------------

// A place that all the program comes by is not paused at each time: the first few times, and then ever more seldom.
static bool is_rare(pauses *in, uint64_t places) {
  enum { first_times = 4 };
  bool is_so = false;
  for (uint32_t i = 0; i < in->plan.places; i++) {
    if (!(places >> i & 1)) continue;
    uint32_t time = atomic_fetch_add_explicit(&in->arrivals[i], 1, memory_order_relaxed) + 1;
    is_so |= time <= first_times || (time & (time - 1)) == 0;
  }
  return is_so;
}

static void wait_for_others(pauses *in, uint64_t object, uint8_t kind, place at) {
  enum { most = 64 };
  held_stack *held = held_here();
  uint64_t places = held ? plan_places_here(&in->plan, held, kind, at) : 0;
  if (!places || !is_rare(in, places) || !may_pause(in, most)) return;
  uint32_t first = (uint32_t)__builtin_ctzll(places);
  mark("optrace: held at side %2$u of finding %1$u", in->plan.place[first].finding, in->plan.place[first].index + 1u);
  bool was = own_call_begins();
  uint32_t finding = meeting_wait(&in->meeting, &in->plan, places, held, object, kind);
  own_call_ends(was);
  if (finding) mark("optrace: all sides of finding %1$u have met", finding, 0);
}

// ---- By chance -------------------------------------------------------------------------------------------------------

static void pause_by_chance(pauses *in, uint64_t place) {
  enum { most = 32 };
  const uint64_t a_millisecond = 1000000;
  uint32_t milliseconds = chance_pause(&in->chance, in->plan.seed, place);
  if (!milliseconds || !may_pause(in, most)) return;
  mark("optrace: held for %1$u ms", milliseconds, 0);
  _Atomic uint32_t nobody = 0;
  bool was = own_call_begins();
  uint64_t end = optrace_clock_monotonic() + milliseconds * a_millisecond, now;
  while ((now = optrace_clock_monotonic()) < end) word_wait(&nobody, 0, end - now);
  own_call_ends(was);
}

// ---- Both ------------------------------------------------------------------------------------------------------------

void pauses_before_taking(uint64_t object, uint8_t kind, place at) {
  pauses *in = here();
  if (!in) return;
  int error = errno;
  if (pauses_are_wanted() == pauses_planned) wait_for_others(in, object, kind, at);
  else pause_by_chance(in, chance_place(at));
  errno = error;
}

void pauses_at(place at) {
  pauses *in = here();
  int error = errno;
  if (in) pause_by_chance(in, chance_place(at));
  errno = error;
}

void pauses_of_work(uint32_t number, uint32_t what) {
  pauses *in = number ? here() : NULL;
  int error = errno;
  if (in) pause_by_chance(in, chance_work(number, what));
  errno = error;
}
