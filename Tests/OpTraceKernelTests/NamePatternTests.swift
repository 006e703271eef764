import OpTraceKernel
import Testing

@Suite("Patterns of names")
struct NamePatternTests {
  @Test(
    "numbers, identifiers and addresses become one mark; words stay",
    arguments: [
      ("Load", "Load"), ("Load tile 17", "Load tile #"), ("x1y22z333", "x#y#z#"), ("", ""), ("#5", "#"),
      ("12:30:01.5", "#:#:#.#"),
      ("job 6ba7b810-9dad-11d1-80b4-00c04fd430c8!", "job #!"),
      ("6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "#"),
      ("6ba7b810-9dad-11d1-80b4-00c04fd430c8z", "#-#dad-#d#-#b#-#c#fd#c#z"),
      ("NSOperationQueue 0x7f12ab00", "NSOperationQueue #"), ("0xyz", "#xyz"), ("deadbeef", "deadbeef"),
      ("blob deadbee1", "blob #"), ("feed1", "feed#"), ("größe 3 → 4", "größe # → #"),
    ])
  func patterns(_ name: String, _ pattern: String) {
    #expect(NamePattern.of(name) == pattern)
  }

  @Test("a pattern can use another mark")
  func marks() {
    #expect(NamePattern.of("part 3 of 40", mark: "…") == "part … of …")
    #expect(NamePattern.of("closure #2", mark: "…") == "closure #…")
    #expect(NamePattern.of("…7", mark: "…") == "…")
  }

  @Test("a pattern is its own pattern")
  func again() {
    for name in ["tile 1 of 22", "0x12", "#1", "x-12-0f0f0f0f0"] {
      #expect(NamePattern.of(NamePattern.of(name)) == NamePattern.of(name))
    }
  }
}
