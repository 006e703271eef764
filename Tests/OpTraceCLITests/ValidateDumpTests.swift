import Foundation
import OpTraceModel
import TestSupport
import Testing

/// Output and statuses of `optrace validate` and `optrace dump`.
@Suite(.ownThread) struct ValidateDumpTests {
  private let folder: Scratch
  private let binary: [UInt8]
  private let count: Int

  init() throws {
    folder = try Scratch()
    let events = try TraceText.parse(Fixture.small)
    binary = TraceWriter.bytes(events)
    count = events.count
  }

  @Test func validTraceGivesOneLineAndStatus0() throws {
    let path = try folder.write("a.optrace", binary)
    #expect(try Command.run("validate", path) == .init(status: 0, output: "ok: \(count) events\n", errors: ""))
  }

  @Test("a ring says first how many seconds are complete", arguments: ["validate", "summary"])
  func completeSeconds(_ command: String) throws {
    let text = """
      optrace text 1
      mode flight-recorder capacity=262144
      state closed
      overwritten 5000
      complete-since 2000000000

      1000000000 t1 thread t1 tid=7 "main"
      43000000000 t1 mark #0 "the end"

      """
    let result = try Command.run(command, "-", input: Array(text.utf8))
    #expect(result.status == 0 && result.errors == "")
    let line = "the last 41.0 s, complete; what is older is there in part"
    let lines = result.output.split(separator: "\n")
    #expect(lines.prefix(2).contains { $0.trimmingCharacters(in: .whitespaces) == line }, "\(result.output)")
  }

  @Test func textTraceIsValidated() throws {
    let result = try Command.run("validate", "-", input: Array(Fixture.small.utf8))
    #expect(result == .init(status: 0, output: "ok: \(count) events\n", errors: ""))
  }

  @Test("a name that is too long for the format is cut, and shows its length") func longNames() throws {
    let fits = String(repeating: "é", count: 32_000)
    let name = String(repeating: "é", count: 40_000)
    let text = Fixture.small.replacing("\"load\"", with: "\"\(name)\"").replacing("\"parse\"", with: "\"\(fits)\"")
    let dump = try Command.run("dump", "-", input: Array(text.utf8)).output
    let cut = try #require(dump.firstMatch(of: /"(é+)… \(80,000 bytes\)"/))
    #expect(cut.1.utf8.count > 65_000 && cut.0.utf8.count <= 65_537)
    #expect(dump.contains("\"\(fits)\""))
    // The printed text is read back unchanged.
    #expect(try Command.run("dump", "-", input: Array(dump.utf8)).output == dump)
  }

  @Test func unclosedTraceIsNotDamaged() throws {
    var events = try TraceText.parse(Fixture.small)
    events.header.isClosed = false
    let path = try folder.write("open.optrace", TraceWriter.bytes(events))
    let expected = "ok: \(count) events, not closed (the process runs or was killed)\n"
    #expect(try Command.run("validate", path) == .init(status: 0, output: expected, errors: ""))
  }

  @Test func damageIsListedAndGivesStatus65() throws {
    var damaged = binary
    damaged[1024 + 80] ^= 1
    let path = try folder.write("damaged.optrace", damaged)
    let result = try Command.run("validate", path)
    #expect(result.status == 65)
    #expect(result.output.hasPrefix("byte 1,024: a chunk does not match its checksum; "))
    #expect(result.output.hasSuffix("not ok: \(count) events, 0 violations, 1 damaged part\n"))
  }

  @Test func truncatedTraceReportsItsEnd() throws {
    let path = try folder.write("cut.optrace", Array(binary[..<(binary.count - 128)]))
    let result = try Command.run("validate", path)
    #expect(result.status == 65)
    #expect(
      result.output.contains(
        "byte \(grouped(binary.count - 128)): the file is cut: 128 bytes are missing; 128 bytes not read\n")
    )
  }

  /// Every command writes numbers with separators.
  @Test func damageNumbersHaveSeparators() throws {
    let whole = try Fixture.binary(Fixture.many(2_000))
    let path = try folder.write("cut.optrace", Array(whole[..<(whole.count - 2_560)]))
    let offset = grouped(whole.count - 2_560)
    let validated = try Command.run("validate", path)
    #expect(
      validated.output.contains("byte \(offset): the file is cut: 2,560 bytes are missing; 2,560 bytes not read\n"))
    let warned = try Command.run("summary", path).errors
    #expect(warned.contains("\n  at byte \(offset), 2,560 bytes: the file is cut: 2,560 bytes are missing\n"))
    #expect(offset.contains(","))
  }

  @Test func violationsAreListed() throws {
    let text =
      "optrace text 1\n0 t1 thread t1 tid=1 \"main\"\n5 t1 created #1 class=\"A\"\n6 t1 began #1\n7 t1 began #1\n"
    let path = try folder.write("bad.txt", Array(text.utf8))
    let result = try Command.run("validate", "--limit", "2", path)
    #expect(
      result
        == .init(
          status: 65,
          output: """
            event 3 at 6 ns: operation #1: its code begins without `started` [missing-before]
            event 4 at 7 ns: operation #1: its code begins twice [only-once]
            … and 1 more
            not ok: 4 events, 3 violations, 0 damaged parts, not closed (the process runs or was killed)

            """, errors: ""))
  }

  @Test func dumpWarnsOfDamage() throws {
    var damaged = binary
    damaged[1024 + 80] ^= 1
    let path = try folder.write("damaged.optrace", damaged)
    for arguments in [["dump", path], ["dump", path, "-o", folder.path("damaged.txt")]] {
      let result = try Command.run(arguments: arguments)
      #expect(result.status == 65)
      #expect(result.errors.hasPrefix("optrace: warning: '\(path)' is damaged: 1 part, "), "\(result.errors)")
    }
  }

  @Test func badInputGivesMessageAndStatus() throws {
    let missing = folder.path("none.optrace")
    var newer = binary
    newer[8] = 2
    let cases: [(String, Int32, String)] = [
      (missing, 66, "optrace: cannot read '\(missing)': no such file\n"),
      (
        try folder.write("empty", []), 65,
        "optrace: '\(folder.path("empty"))' is empty: the program that should have written it recorded nothing\n"
      ),
      (
        try folder.write("x.json", Array("{\"a\":1}".utf8)), 65,
        "optrace: '\(folder.path("x.json"))' is not a trace: it looks like JSON\n"
      ),
      (
        try folder.write("typo.txt", Array("optrace text 1\n5 t1 redy #1\n".utf8)), 65,
        "optrace: '\(folder.path("typo.txt"))' line 2: expected a word of the event table, found `redy`\n"
      ),
    ]
    for (path, status, message) in cases {
      for command in ["validate", "dump"] {
        #expect(try Command.run(command, path) == .init(status: status, output: "", errors: message))
      }
    }
  }

  @Test func textSurvivesConversionToBinaryAndBack() throws {
    let text = TraceText.string(try TraceText.parse(Fixture.small))
    let source = try folder.write("a.txt", Array(text.utf8))
    let target = folder.path("a.optrace")
    #expect(try Command.run("dump", source, "-o", target) == .init(status: 0, output: "", errors: ""))
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)).prefix(8) == Data("OPTRACE\n".utf8))
    #expect(try Command.run("dump", target) == .init(status: 0, output: text, errors: ""))
    #expect(try Command.run("dump", "--format", "text", source).output == text)
    // The binary form also goes through a pipe.
    let piped = try Command.run(source, shell: #""$optrace" dump --format binary "$1" | "$optrace" dump -"#)
    #expect(piped == .init(status: 0, output: text, errors: ""))
  }

  @Test func dumpListsDamageInTextButNotInBinary() throws {
    var damaged = binary
    damaged[1024 + 80] ^= 1
    let path = try folder.write("damaged.optrace", damaged)
    let result = try Command.run("dump", path)
    #expect(result.status == 65)
    #expect(result.output.contains("\ndamage offset=1024 skipped="))
    let lossy = try Command.run("dump", path, "-o", folder.path("copy.optrace"))
    #expect(lossy.status == 65)
    #expect(
      lossy.errors
        == "optrace: warning: a binary trace cannot say that parts of its source were damaged: the new file looks sound\n"
    )
  }

  @Test func wrongUsageGivesStatus64() throws {
    #expect(try Command.run("dump").status == 64)
    #expect(try Command.run("dump", "a", "--format", "yaml").status == 64)
    #expect(try Command.run("validate", "a", "--limit", "-1").status == 64)
  }
}
