// Bytes as a module's `.eh_frame_hdr` and all behind it, which damaged modules and wrong addresses may lead to.
#include <string.h>

#include "../../Sources/COpTrace/stacks/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  enum { low = 0x10000 };
  if (size < 8) return 0;
  // The last word chooses the address and the entry.
  uint64_t choice;
  memcpy(&choice, bytes + size - 8, 8);
  unwind_image image = {.bytes = bytes, .low = low, .high = low + size - 8};
  uint64_t address = low - 0x8000 + (choice & 0xFFFFF), start = 0;
  if (rule_find(&image, low, address, &start) && start > address) __builtin_trap();
  rule_decode(&image, low, low + (choice >> 20 & 0x1FFF), address, &start);
  return 0;
}
