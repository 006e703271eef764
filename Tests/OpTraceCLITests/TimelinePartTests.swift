import Foundation
import TestSupport
import Testing

@testable import optrace_cli

@Suite("timeline: a part of a trace", .ownThread)
struct TimelinePartTests {
  private let folder: Scratch
  private let small: String

  init() throws {
    folder = try Scratch()
    small = try folder.write("small.txt", Array(Fixture.small.utf8))
  }

  /// The names of the drawn executions, and the text of standard error.
  private func draw(_ options: String...) throws -> (names: [String], errors: String) {
    let result = try Command.run(arguments: ["timeline", small] + options)
    #expect(result.status == 0)
    let events = try #require(JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]])
    let executions = events.filter { $0["cat"] as? String == "operation" }
    return (executions.compactMap { $0["name"] as? String }, result.errors)
  }

  @Test("--from accepts every unit", arguments: ["9.2us", "9200ns", "0.0092ms", "0.0000092", "0.0000092s", "9.2 µs"])
  func times(_ from: String) throws {
    #expect(try draw("--from", from).names == ["store"])
  }

  @Test("a note says what is left out")
  func told() throws {
    let (names, errors) = try draw("--to", "4us")
    #expect(names == ["load"])
    #expect(errors.hasPrefix("optrace: note: "))
    #expect(errors.hasSuffix(" left out as asked for\n"))
    #expect(try draw().errors == "")
  }

  @Test("options select by queue, class, duration, and around an operation")
  func choices() throws {
    #expect(try draw("--queue", "disk").names == ["store"])
    #expect(try draw("--queue", "disk", "--queue", "work").names == ["load", "parse", "store"])
    #expect(try draw("--class", "Load", "--class", "Store").names == ["load", "store"])
    #expect(try draw("--min-duration", "3us").names == ["load", "parse"])
    #expect(try draw("--around", "store", "--min-duration", "1").names == ["parse", "store"])
    #expect(try draw("--around", "#1", "--queue", "disk").names == ["load"])
  }

  @Test(
    "wrong options are refused in one sentence",
    arguments: [
      (["--queue", "wrok"], "no queue is called 'wrok' in 'small.txt'; did you mean 'work'?"),
      (["--class", "Pars"], "no class is called 'Pars' in 'small.txt'; did you mean 'Parse'?"),
      (["--around", "stroe"], "no operation is called 'stroe' in 'small.txt'; did you mean 'store'?"),
      (["--from", "2s", "--to", "1s"], "--from is later than --to"),
      (["--around", "store", "--to", "1s"], "--around sets the time: omit --from and --to"),
      (["--min-duration", "-1s"], "--min-duration must not be negative"),
      (["--from", "soon"], "the value 'soon' is invalid for '--from <time>'"),
      (["--to", "nan"], "the value 'nan' is invalid for '--to <time>'"),
      (["--to", "1e300s"], "the value '1e300s' is invalid for '--to <time>'"),
    ])
  func refused(_ options: [String], _ message: String) throws {
    var words = ["timeline", small]
    // With `=`, a value such as `-1s` is no option.
    for pair in stride(from: 0, to: options.count, by: 2) { words.append("\(options[pair])=\(options[pair + 1])") }
    let result = try Command.run(arguments: words)
    #expect(result.status == 64)
    #expect(result.output == "")
    let text = result.errors.replacing("'\(small)'", with: "'small.txt'")
    #expect(text.contains(message), "\(text)")
  }

  @Test("a timeline that is too large for viewers gets a warning with a hint")
  func tooLarge() throws {
    let json = try #require(TimelineTarget(argument: "json"))
    #expect(ViewerLimits.warning(slices: 1_000_000, bytes: 1 << 20, json) == nil)
    let slow = try #require(ViewerLimits.warning(slices: 2_400_000, bytes: 1 << 20, json))
    #expect(
      slow
        == "2,400,000 slices: Perfetto takes about 20 s to load them, chrome://tracing cannot; for a part of them use "
        + "--around NAME, --from and --to, --queue NAME, --class NAME or --min-duration 1ms")
    let protobuf = try #require(TimelineTarget(argument: "perfetto"))
    #expect(ViewerLimits.warning(slices: 1_000_000, bytes: 513 << 20, protobuf) == nil)
    #expect(
      try #require(ViewerLimits.warning(slices: 2_400_000, bytes: 1 << 20, protobuf))
        .hasPrefix("2,400,000 slices: Perfetto takes about 16 s to load them; for a part of them use "))
    #expect(
      ViewerLimits.warning(slices: 13_000_000, bytes: 1, try #require(TimelineTarget(argument: "json.gz")))?.contains(
        "more than a browser's memory holds")
        == true)
    #expect(ViewerLimits.warning(slices: 10, bytes: 513 << 20, json) != nil)
  }
}
