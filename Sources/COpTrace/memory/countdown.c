#include "countdown.h"

#include "../base/clock.h"
#include "COpTrace.h"

_Thread_local countdown countdown_here;

static const double ln2 = 0.693147180559945309417;

double countdown_log(double number) {
  union { double number; uint64_t bits; } parts = {.number = number};
  int exponent = (int)(parts.bits >> 52 & 0x7FF) - 1023;
  parts.bits = (parts.bits & 0xFFFFFFFFFFFFFull) | 1023ull << 52;
  // ln m = 2 artanh((m - 1)/(m + 1)), of which 11 terms are enough for m between 1 and 2.
  double t = (parts.number - 1) / (parts.number + 1), square = t * t, sum = 0;
  for (int i = 21; i >= 1; i -= 2) sum = sum * square + 1.0 / i;
  return 2 * t * sum + exponent * ln2;
}

double countdown_exp_minus(double x) {
  if (x > 700) return 0;
  int halves = (int)(x / ln2);
  double rest = x - halves * ln2, sum = 1;
  for (int i = 16; i >= 1; i--) sum = 1 - rest / i * sum;
  union { uint64_t bits; double number; } power = {.bits = (uint64_t)(1023 - halves) << 52};
  return sum * power.number;
}

// xorshift64*. The seed differs from thread to thread, and from run to run.
static uint64_t next_random(countdown *own) {
  if (!own->random) {
    uint64_t seed = (optrace_clock_ticks() ^ (uint64_t)(uintptr_t)own << 20) * 0x9E3779B97F4A7C15ull;
    own->random = seed ? seed : 1;
  }
  own->random ^= own->random >> 12;
  own->random ^= own->random << 25;
  own->random ^= own->random >> 27;
  return own->random * 0x2545F4914F6CDD1Dull;
}

// 53 random bits, as a whole number from 1 on.
static const double most = 9007199254740992.0;
static double next_number(countdown *own) { return (double)((next_random(own) >> 11) + 1); }

uint64_t countdown_draw(countdown *own, uint64_t interval) {
  if (interval <= 1) return 0;
  // -ln(u) for u = number / 2^53.
  double distance = (53 * ln2 - countdown_log(next_number(own))) * (double)interval;
  return distance > 0 ? (uint64_t)distance : 0;
}

double countdown_chance(uint64_t size, uint64_t interval) {
  return interval <= 1 ? 1 : 1 - countdown_exp_minus((double)size / (double)interval);
}

bool countdown_toss(countdown *own, double chance) { return next_number(own) <= chance * most; }
