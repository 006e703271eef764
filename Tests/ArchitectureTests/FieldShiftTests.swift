import Foundation
import Testing

/// Code reads and writes fields of events through the accessors that are generated from `EventSpec.table`
/// (`EventFields.swift`, `COpTraceFields.h`). A shift or a mask by hand would repeat the position of a field.
@Suite struct FieldShiftTests {
  /// The folders of `Sources` that may use the raw words of records.
  private static let folders = [
    "COpTrace", "COpTraceSignals", "OpTracePreload", "OpTrace", "OpTraceFormat", "OpTraceModel",
  ]

  /// Writes the accessors.
  private static let generator = "FormatSources"
  private static let generated: Set<String> = ["COpTrace/include/COpTraceFields.h", "OpTraceFormat/EventFields.swift"]

  /// Files and folders that may shift. None of them takes a field out of an event.
  private static let allowed = [
    "COpTrace/records/words.h": "packs records: their first word, and the lengths of one with a text",
    "COpTrace/begin/create.c": "a number for the name of a file",
    "COpTrace/describe/":
      "hashes, bytes of UTF-8, forms of Swift's texts, and the heads of records that a flight recorder keeps",
    "COpTrace/entries/": "machine code; writes no records",
    "COpTrace/held/": "what work holds, in one word",
    "COpTrace/orders/": "hashes, and numbers of places in one word",
    "COpTrace/pauses/": "hashes, sets of places, hexadecimal digits; writes no records",
    "COpTrace/memory/": "random numbers, the parts of a floating point number, bits of addresses",
    "COpTrace/records/emit.c": "puts an age where the caller says; the accessors say where that is",
    "COpTrace/profile/events.c": "the kernel's set of registers",
    "COpTrace/profile/timer.c": "the kernel's number of a thread's clock",
    "COpTrace/base/bits.h": "two numbers in one word, and hashes",
    "COpTrace/base/seal.c": "checksums",
    "COpTrace/base/utf8.h": "bytes of UTF-8",
    "COpTrace/base/clock.c": "a bit that the processor reports of itself",
    "COpTrace/include/COpTraceOthers.h": "marks that Swift sets in addresses",
    "COpTrace/life/leads.c": "bits of a filter, and the flags of malloc's pieces",
    "COpTrace/life/processors.c": "a set of processors as bits",
    "COpTrace/stacks/": "machine code, unwind tables and the C library's locks; writes no records",
    "COpTrace/waits/calls": "a call and its descriptor as one number",
    "COpTrace/hooks/jobs.h": "flags of Swift's jobs",
    "OpTrace/Recorder/UTF8Text.swift": "hexadecimal digits",
    "OpTrace/Recorder/SpanIDs.swift": "random numbers and a hash",
    "OpTraceFormat/RecordWords.swift":
      "packs records: their first word, the lengths of one with a text, and the size class in a kind's highest bits",
    "OpTraceFormat/EventSpec+Field.swift": "fields as the table has them, for readers of any kind",
    "OpTraceFormat/Checksum.swift": "checksums",
    "OpTraceModel/Events/Anonymizer.swift": "a sum over all events",
    "OpTraceModel/Building/Memory.swift": "KiB as bytes",
    "OpTraceModel/Values/CompactMoments.swift": "two halves of a time",
    "OpTraceModel/Values/Trace.swift": "a hash",
  ]

  private static let sources = Manifest.folder.appendingPathComponent("Sources")

  @Test func sourcesDoNotShiftFieldsByHand() throws {
    var used: Set<String> = []
    for folder in Self.folders {
      for file in try Self.files(in: folder) where !Self.generated.contains(file) {
        for line in try Self.lines(of: file) where Self.isShift(line) {
          if let entry = Self.allowed.keys.first(where: { file.hasPrefix($0) }) {
            used.insert(entry)
          } else {
            Issue.record("Sources/\(file) shifts by hand, and should use EventFields or COpTraceFields.h: \(line)")
          }
        }
      }
    }
    let unused = Set(Self.allowed.keys).subtracting(used).sorted()
    #expect(unused == [], "these entries of the list are not needed any more")
  }

  @Test func otherFoldersDoNotUseRecordWords() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.sources.path)
    for folder in folders where !Self.folders.contains(folder) && folder != Self.generator {
      for file in try Self.files(in: folder) {
        let text = try Self.text(of: file)
        for word in ["word1", "word2", "RecordHead", "RecordLengths"] where text.range(of: word) != nil {
          Issue.record("Sources/\(file) sees `\(word)` of a record: the reader has values for it")
        }
      }
    }
  }

  @Test(
    "shifts and masks are distinguished from sizes",
    arguments: [
      ("let barrier = UInt64(queue) | 1 << 48", true), ("if word >> 20 & 1 != 0 {", true), ("word1 & 0xFFFF", true),
      ("return (uint32_t)(word1 >> 32);  // A comment.", true), ("flags = isMain ? 1 << 8 : 0", true),
      ("enum { slots = 1 << 14 };", false), ("static let longest = 1 << 20", false),
      ("buckets[1 << bucket_bits]", false),
      ("if a && b { return x }", false), ("// word1 >> 32", false), ("text.split(\" >> \")", false), ("a << b", true),
    ])
  func recognition(_ line: String, _ isShift: Bool) {
    #expect(Self.isShift(line) == isShift)
  }

  /// Whether a line shifts, or masks with a literal. A power of two on its own is a size.
  private static func isShift(_ line: String) -> Bool {
    var code = line.replacing(/"(?:[^"\\]|\\.)*"/, with: "\"\"").replacing(/\/\/.*$/, with: "")
    code = code.replacing(/&&|\|\|/, with: "")
    if !code.contains(/[|&?]/) { code = code.replacing(/\b[0-9]+u?l* << \w+/, with: "") }
    return code.contains(/\ (?:<<|>>)=? |& *~?(?:0x[0-9A-Fa-f]|[0-9])/) && !code.contains(/^ *#/)
  }

  /// The lines with a character of a shift or a mask. Checking only these saves time.
  private static func lines(of file: String) throws -> [String] {
    let text = try text(of: file)
    let candidates = try NSRegularExpression(pattern: "^.*(?:<<|>>|&).*$", options: .anchorsMatchLines)
    return candidates.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap {
      Range($0.range, in: text).map { String(text[$0]) }
    }
  }

  private static func text(of file: String) throws -> String {
    try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
  }

  private static func files(in folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: sources.appendingPathComponent(folder).path).sorted().filter {
      ["swift", "c", "h"].contains(($0 as NSString).pathExtension)
    }.map { "\(folder)/\($0)" }
  }
}
