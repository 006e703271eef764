import OpTraceText
import TestSupport
import OpTraceAnalysis
import OpTraceGraph
import OpTraceModel
import Testing

@Suite struct TextTests {
  @Test(
    arguments: [
      (0, "0 ms"), (850, "850 ns"), (999, "999 ns"), (1000, "1 µs"), (12_340, "12.3 µs"), (999_400, "999 µs"),
      (999_600, "1 ms"), (50_000_000, "50 ms"), (9_996_000, "10 ms"), (420_000_000, "420 ms"), (999_499_000, "999 ms"),
      (999_600_000, "1 s"), (1_230_000_000, "1.23 s"), (2_600_000_000, "2.60 s"), (59_940_000_000, "59.9 s"),
      (59_960_000_000, "1 min 00 s"), (125_000_000_000, "2 min 05 s"), (3_720_000_000_000, "1 h 02 min"),
      (-1_500_000, "−1.50 ms"),
    ] as [(Nanoseconds, String)])
  func durations(time: Nanoseconds, text: String) { #expect(DurationText.text(time) == text) }

  @Test func extremeTimesDoNotTrap() {
    #expect(!DurationText.text(.max).isEmpty && !DurationText.text(.min).isEmpty)
  }

  @Test func textIsCutToItsSpace() {
    #expect(TextMetrics.fitting("short", into: 100, size: 10) == "short")
    for width in stride(from: 5.0, through: 120, by: 5) {
      let cut = TextMetrics.fitting("FetchTheManifest of everything", into: width, size: 12, bold: true)
      #expect(TextMetrics.width(of: cut, size: 12, bold: true) <= max(width, 12), "\(cut)")
      #expect(!cut.contains(" …") && !cut.contains("… "))
    }
    #expect(TextMetrics.fitting(String(repeating: "w", count: 100_000), into: 100, size: 10).count < 20)
    // Both ends can be read: names that begin alike can be distinguished.
    let cut = TextMetrics.fitting("com.example.images.resize.large", into: 100, size: 10)
    #expect(cut.hasPrefix("com.ex") && cut.hasSuffix("e.large"), "\(cut)")
    #expect(TextMetrics.fitting("👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", into: 32, size: 10).last == "👩‍👩‍👧‍👦", "no cluster is split")
  }

  @Test func operationsAreFoundByNameOrNumber() throws {
    let trace = PhotoImport.healthy()
    #expect(try OperationLookup.find("Decode 3", in: trace) == [OperationID(10)])
    #expect(try OperationLookup.find("#10", in: trace) == [OperationID(10)])
    #expect(try OperationLookup.find("10", in: trace) == [OperationID(10)])
    for (typed, meant) in [
      ("decode 3", "Decode 3"), ("Dekode 3", "Decode 3"), ("NotfiyUI", "NotifyUI"), ("Build", "BuildIndex"),
    ] {
      do {
        _ = try OperationLookup.find(typed, in: trace)
        Issue.record("\(typed) was found")
      } catch {
        #expect(error.suggestions.contains(meant), "\(typed): \(error.suggestions)")
      }
    }
    #expect(throws: OperationLookup.Unknown.self) { try OperationLookup.find("zzzzzzzz", in: trace) }
    do { _ = try OperationLookup.find("zzzzzzzz", in: trace) } catch { #expect(error.suggestions.isEmpty) }
  }

  /// WCAG: 4.5 for text, 3 for signs and borders that carry a meaning.
  @Test func contrastIsEnoughInLightAndDark() {
    for mode in [\ColorPair.light, \ColorPair.dark] {
      func ratio(_ one: ColorPair, _ other: ColorPair) -> Double {
        one[keyPath: mode].contrast(with: other[keyPath: mode])
      }
      for state in ShownState.allCases {
        let style = state.style
        #expect(ratio(style.text, style.fill) >= 4.5, "\(state): text")
        #expect(ratio(style.accent, style.fill) >= 4.5, "\(state): sign")
        let caption = state == .deadlocked ? style.text : Palette.muted
        #expect(ratio(caption, style.fill) >= 4.5, "\(state): caption")
      }
      for (number, lane) in Palette.lanes.enumerated() {
        #expect(ratio(lane.text, lane.fill) >= 4.5, "lane \(number): text")
        #expect(ratio(Palette.critical, lane.fill) >= 3, "lane \(number): critical path")
        #expect(ratio(Palette.cycle, lane.fill) >= 3, "lane \(number): cycle")
      }
      for pair in [Palette.text, Palette.muted, Palette.warning, Palette.good, Palette.cycle] {
        #expect(ratio(pair, Palette.page) >= 4.5)
      }
    }
  }

  @Test func contrastIsComputedAsInWCAG() {
    #expect(Color("#000000").contrast(with: Color("#ffffff")) == 21)
    #expect(abs(Color("#777777").contrast(with: Color("#ffffff")) - 4.48) < 0.01)
  }
}
