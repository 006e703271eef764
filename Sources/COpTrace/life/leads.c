// Looks through memory of other processes for words that are addresses of something.
#include "COpTraceOthers.h"

static uint64_t page_hash(uint64_t address) { return (address / optrace_page_size) * 0x9E3779B97F4A7C15; }

enum { signature_bits = optrace_signature_words * 64 };
static uint32_t first_bit(uint64_t hash) { return (uint32_t)(hash >> 54) % signature_bits; }
static uint32_t second_bit(uint64_t hash) { return (uint32_t)(hash >> 44) % signature_bits; }

void optrace_page_sign(const uint64_t *words, size_t count, uint64_t signature[optrace_signature_words]) {
  const uint64_t lowest = 1 << 16, span = optrace_signed_top - lowest;
  uint64_t last = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t address = optrace_word_address(words[i]);
    if (address - lowest >= span) continue;
    uint64_t page = address / optrace_page_size;
    if (page == last) continue;
    last = page;
    uint64_t hash = page_hash(address);
    uint32_t first = first_bit(hash), second = second_bit(hash);
    signature[first / 64] |= 1ull << (first % 64);
    signature[second / 64] |= 1ull << (second % 64);
  }
}

static bool may_lead(const uint64_t signature[optrace_signature_words], uint64_t address) {
  uint64_t hash = page_hash(address);
  uint32_t first = first_bit(hash), second = second_bit(hash);
  return signature[first / 64] >> (first % 64) & signature[second / 64] >> (second % 64) & 1;
}

size_t optrace_pages_leading(const uint64_t *signatures, size_t count, size_t from, const uint64_t *addresses, size_t address_count) {
  for (size_t i = from; i < count; i++) {
    for (size_t j = 0; j < address_count; j++) {
      if (may_lead(signatures + i * optrace_signature_words, addresses[j])) return i;
    }
  }
  return count;
}

size_t optrace_words_leading(const uint64_t *words, size_t count, size_t from, const optrace_range *ranges, size_t range_count,
                             size_t *which) {
  if (!range_count) return count;
  uint64_t lowest = ranges[0].low, span = ranges[range_count - 1].high - lowest;
  for (size_t i = from; i < count; i++) {
    uint64_t address = optrace_word_address(words[i]);
    if (address - lowest >= span) continue;
    // The last range that begins at this address or before it.
    size_t low = 0, high = range_count;
    while (high - low > 1) {
      size_t middle = (low + high) / 2;
      if (ranges[middle].low <= address) {
        low = middle;
      } else {
        high = middle;
      }
    }
    if (address - ranges[low].low < ranges[low].high - ranges[low].low) {
      *which = low;
      return i;
    }
  }
  return count;
}

uint64_t optrace_page_pieces(const uint64_t *words, size_t count, uint64_t page, uint64_t at, uint64_t end) {
  while (at < page + count * 8) {
    // The second word of a piece is its size, with three flags.
    if (at < page || at % 16 || at + 16 > page + count * 8) return 0;
    uint64_t size = words[(at - page) / 8 + 1] & ~7ull;
    if (size < 32 || size % 16 || size > end - at) return 0;
    at += size;
  }
  return at;
}
