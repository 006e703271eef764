// Compares the decoder of Sources/COpTrace/entries with a disassembler. Reads `objdump -d --insn-width=15` of x86-64 files; run by
// scripts/check-decoder. Of every instruction: the length, where a branch leads, whether it names memory relative to rip. Of every
// function: whether it could be taken at its entry, for the statistics alone.
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../Sources/COpTrace/entries/decode.h"
#include "../../Sources/COpTrace/entries/move.h"

enum { most_told = 20, longest_function = 1 << 20 };

static long instructions, wrong, refused, functions, takable, entries, entries_refused;
static long by_move[moved_too_far + 1], returning;

static uint8_t code[longest_function + 64];
static size_t size;
static bool at_entry;

static void complain(const char *line, const char *what) {
  if (++wrong <= most_told) printf("%s: %s", what, line);
}

// Functions stand at their addresses no more; what is relative stays within reach.
static void end_function(void) {
  if (!size) return;
  code_text text = {.address = (uint64_t)(uintptr_t)code};
  size_t taken, count = size + 32 < sizeof code ? size + 32 : sizeof code;
  memset(code + size, 0xCC, 32);
  functions++;
  moved_result result = code_move(&text, (uint64_t)(uintptr_t)code, code, count, size, &taken);
  by_move[result]++;
  if (result == moved_well && code_returns_there((uint64_t)(uintptr_t)code, size, taken)) returning++;
  else takable += result == moved_well;
  size = 0;
}

// "  4005d0:\t48 89 e5             \tmov    %rsp,%rbp".
static void compare(const char *line) {
  uint8_t bytes[2 * code_longest] = {0};
  size_t count = 0;
  char *at;
  uint64_t address = strtoull(line, &at, 16);
  if (*at != ':') return;
  for (at++; count < code_longest;) {
    char *end;
    unsigned long byte = strtoul(at, &end, 16);
    if (end == at || end - at > 3) break;
    bytes[count++] = (uint8_t)byte;
    at = end;
    if (at[0] == ' ' && (at[1] == ' ' || at[1] == '\t')) break;
  }
  const char *text = strchr(at, '\t');
  if (!count || !text || strstr(text, "(bad)")) return;
  instructions++;
  if (size + count <= longest_function) {
    memcpy(code + size, bytes, count);
    size += count;
  }
  bool counts = at_entry;
  entries += counts;
  if (size >= 5) at_entry = false;
  code_instruction one;
  if (!code_decode(bytes, sizeof bytes, &one)) {
    refused++;
    entries_refused += counts;
    if (getenv("ORACLE_REFUSED")) printf("refused: %s", line);
    return;
  }
  if (one.length != count) return complain(line, "another length");
  bool leads = one.kind == code_jump || one.kind == code_branch || one.kind == code_loop || one.kind == code_call;
  bool is_told = strstr(text, "\tj") || strstr(text, "\tloop") || strstr(text, "bnd j") || strstr(text, "call");
  if (strstr(text, " *")) is_told = false;
  if (leads && !is_told) return complain(line, "no branch");
  if (leads) {
    char to[32];
    snprintf(to, sizeof to, " %" PRIx64, address + count + (uint64_t)(int64_t)one.to);
    if (!strstr(text, to)) return complain(line, "leads elsewhere");
  } else if (is_told && (strstr(text, "\tj") || strstr(text, "\tcall"))) {
    return complain(line, "a branch");
  }
  if ((one.distance_at != 0) != (strstr(text, "(%rip)") != NULL)) complain(line, "relative to rip, or not");
}

int main(void) {
  static char line[1 << 16];
  while (fgets(line, sizeof line, stdin)) {
    if (line[0] == ' ') {
      compare(line);
    } else if (strstr(line, ">:")) {
      end_function();
      at_entry = true;
    }
  }
  end_function();
  printf("%ld instructions, %ld wrong, %ld refused\n", instructions, wrong, refused);
  printf("%ld of them at the entries of %ld functions, %ld refused\n", entries, functions, entries_refused);
  printf("%ld functions can be taken; %ld are too short, of %ld the first bytes are not known, %ld lead back into them\n", takable,
         by_move[moved_too_short], by_move[moved_not_known], returning);
  return wrong || !instructions;
}
