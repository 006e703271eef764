// The description of operations in a program that has none: nothing is proven, so nothing is read.
#if defined(__linux__)
#include <string.h>

#include "../../Sources/COpTrace/describe/describe.h"
#include "harness.h"

TEST(without_swift_nothing_is_described) {
  optrace_hook_calls calls;
  memset(&calls, 0xFF, sizeof calls);
  EXPECT(describe_prepare() && describe_prepare());
  EXPECT(!describe_left_out(0) && !describe_left_out(UINT32_MAX));
  describe_fill_hook_calls(&calls);
#if defined(__clang__)
  // None of the classes is ours, and none was compiled against a Foundation.
  EXPECT(!calls.traced_operation && !calls.compiled_operation && !calls.records_itself(&calls) && !calls.probe(&calls));
  // A short text, and one that says it is at an address where nothing is: neither is read.
  char text[16] = "as before";
  EXPECT(calls.text(0x636261, 0xE300000000000000, text, sizeof text) == 0);
  EXPECT(calls.text(20, 0x8000000000000010, text, sizeof text) == 0);
  EXPECT(strcmp(text, "as before") == 0 && !calls.make_operation());
#endif
}
#endif
