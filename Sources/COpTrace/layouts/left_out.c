#include "left_out.h"

#include "COpTraceLayouts.h"

enum { most = 8 };
static const char *reasons[most];

void leave_out(const char *why) {
  for (uint32_t i = 0; why && i < most; i++) {
    if (reasons[i] == why) return;
    if (reasons[i]) continue;
    reasons[i] = why;
    return;
  }
}

const char *optrace_layouts_left_out(uint32_t index) { return index < most ? reasons[index] : NULL; }
