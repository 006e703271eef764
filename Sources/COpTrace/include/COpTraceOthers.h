// Stacks and locks of another process, or of one that a core file has kept. Its memory comes from functions of the caller, so it does
// not matter where it is. Only for programs that record nothing themselves, and only one process at a time.
#ifndef COPTRACE_OTHERS_H
#define COPTRACE_OTHERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "COpTraceHere.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  void *context;
  uint32_t process;  // Whose descriptors in /proc tell what a thread waits for; 0: there is none.
  // Copies the bytes at an address, as far as there are any; returns how many.
  size_t (*read)(void *context, uint64_t address, void *out, size_t size);
  bool (*has_thread)(void *context, uint32_t id);
} optrace_others;

// From now until `optrace_others_end` the functions below are about that process. False: another one is being looked at.
bool optrace_others_begin(const optrace_others *others);
void optrace_others_end(void);
// Adds the program or a library, whose first page is at this address. False: there is none.
bool optrace_others_add(uint64_t address, const char *path);

enum { optrace_others_deepest = 512 };
typedef struct {
  uint32_t depth;    // How many addresses are in `pcs`: the pc itself, then the return addresses.
  uint32_t guessed;  // The index of the first that was found without an unwind rule; `depth`: none.
  bool is_whole;     // The last one is in the function that the thread began with.
} optrace_others_stack;
// Walks a stack. In `start`, bp 0: not known. `pcs` and `sps` have room for `optrace_others_deepest` addresses; the second
// gets the stack pointer at each of the first.
optrace_others_stack optrace_others_walk(const optrace_start *start, uint64_t *pcs, uint64_t *sps);

// What a sleeping thread waits for.
typedef struct {
  uint8_t reason;    // As in a record of a thread that was seen.
  bool has_limit;    // The wait has a time limit.
  bool owner_ended;  // The thread that holds the lock has ended.
  uint32_t owner;    // Its system id; 0: nobody, or not known.
  uint64_t lock;     // As in the record.
} optrace_others_wait;
// A system call in which a thread sleeps.
typedef struct {
  int32_t call;
  uint64_t arguments[6];
  optrace_others_wait wait;
} optrace_others_call;
// Finds out what each of them waits for. Who has the other ends of pipes and sockets is looked for once for 256 of them.
void optrace_others_explain(optrace_others_call *calls, size_t count);

// Words to search for, of which a bit for each says that it may be one.
enum { optrace_word_bits = 1 << 16 };
// The index of the first of `count` words, from `from` on, that may be one of those whose bits are set; `count`: there is none. A word's
// bit is `optrace_word_bit`.
size_t optrace_words_next(const uint64_t *words, size_t count, size_t from, const uint32_t bits[optrace_word_bits / 32]);
static inline uint32_t optrace_word_bit(uint64_t word) {
  return (uint32_t)((word / 8 ^ word / 8 / optrace_word_bits) % optrace_word_bits);
}

// Which pages a page of memory may lead to, as a filter for words that are addresses: a page's words set two bits for each page that they
// may be in, so that most pages need not be read again to know that they do not lead to another one.
enum { optrace_page_size = 4096, optrace_signature_words = 16 };
// An address in a word that may have marks in the bits that no address has, as Swift's enumerations do.
static inline uint64_t optrace_word_address(uint64_t word) { return word & 0x00FFFFFFFFFFFFF8; }
// Addresses from here on, which programs do not have unless they ask for them, set no bits.
static const uint64_t optrace_signed_top = 1ull << 48;
// Sets the bits for `count` words.
void optrace_page_sign(const uint64_t *words, size_t count, uint64_t signature[optrace_signature_words]);
// The index of the first of `count` signatures, from `from` on, whose page may lead to the page of one of these addresses; `count`:
// there is none.
size_t optrace_pages_leading(const uint64_t *signatures, size_t count, size_t from, const uint64_t *addresses, size_t address_count);
// A range of addresses.
typedef struct {
  uint64_t low, high;
} optrace_range;
// The index of the first of `count` words, from `from` on, that leads into one of the ranges, which are sorted and do not overlap;
// `count`: there is none. `which`: into which.
size_t optrace_words_leading(const uint64_t *words, size_t count, size_t from, const optrace_range *ranges, size_t range_count,
                             size_t *which);

// Follows the pieces of memory that glibc's malloc has given out one behind another, through a page. `at`: where the first one begins
// that begins in this page or behind it. Returns where the first one behind this page begins; 0: they do not fit together.
uint64_t optrace_page_pieces(const uint64_t *words, size_t count, uint64_t page, uint64_t at, uint64_t end);

// Processors by their numbers: those that the calling thread may use.
enum { optrace_most_processors = 8192 };
typedef struct {
  uint64_t bits[optrace_most_processors / 64];
} optrace_processors;
// False: the system does not say.
bool optrace_processors_get(optrace_processors *out);
// False: it may use none of these.
bool optrace_processors_set(const optrace_processors *processors);
optrace_processors optrace_processors_one(uint32_t number);
bool optrace_processors_has(const optrace_processors *processors, uint32_t number);
// On which one the calling thread runs; below 0: the system does not say.
int32_t optrace_processors_own(void);

#ifdef __cplusplus
}
#endif

#endif
