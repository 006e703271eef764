import Foundation
import TestSupport
import Testing

@testable import optrace_cli

@Suite("Help, usage errors and input", .ownThread)
struct UsageTests {
  private let folder: Scratch
  private let small: String

  init() throws {
    folder = try Scratch()
    small = try folder.write("small.txt", Array(Fixture.small.utf8))
  }

  @Test(
    "arguments in messages cannot control the terminal or begin a line",
    arguments: [
      ["summary", "x\u{1B}]0;title\u{7}", "y\u{1B}[2J"], ["summary", "--json\u{1B}[31m"],
      ["graph", "x", "--format", "a\u{9B}m\nb"],
      ["graph", "x", "--format=a\noptrace: all is well"], ["timeline", "x", "--from", "\u{202E}1s"],
      ["record", "--x\u{1B}c\n"],
      ["demo", "i-love-u", "--limit", "\r\u{1B}[A"], ["help", "a\u{7}\n"], ["doctor", "--explain", "\u{2067}"],
      ["validate", "x", "--limit", "1\u{1B}[2J"], ["view", "x", "--port", "\u{1B}c"], ["-\u{1B}[31m"],
    ])
  func hostileWords(arguments: [String]) throws {
    let result = try Command.start(arguments: arguments)
    #expect(result.status == 64 || result.status == 66)
    let steering = (result.output + result.errors).unicodeScalars.filter {
      $0 != "\n"
        && ($0.properties.generalCategory == .control || (0x202A...0x202E).contains($0.value) || $0 == "\u{2067}")
    }
    #expect(steering.isEmpty, "\(result.errors)")
    #expect(result.errors.hasPrefix("optrace: ") && !result.errors.contains("\noptrace: "))
  }

  @Test("suggested commands are quoted, so that they run as printed") func hostilePaths() throws {
    let names = ["a\u{1B}[31m\n'b\\.txt", "\u{202E}x y.txt", "it's.txt", "plain.txt"]
    for name in names {
      let path = try folder.write(name, Array(Fixture.small.utf8))
      let hint = try Command.start(arguments: [path]).errors
      let words = try #require(hint.split(separator: " view ", maxSplits: 1).last).trimmingCharacters(in: .newlines)
      #expect(!words.unicodeScalars.contains { $0.properties.generalCategory == .control || $0 == "\u{202E}" })
      let back = try Command.start(words, shell: #"bash -c "printf %s $1""#)
      #expect(back.output == path, "\(words)")
      let doctor = try Command.start("doctor", path)
      #expect(!doctor.output.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }
  }

  @Test("every command has a help text with its usage")
  func help() throws {
    let root = try Command.start("--help")
    #expect(root.status == 0)
    #expect(root.errors == "")
    let commands = root.output.split(separator: "\n").drop { !$0.hasSuffix("SUBCOMMANDS:") }
      .filter { !$0.contains("optrace help") }
      .compactMap { $0.hasPrefix("  ") && !$0.hasPrefix("   ") ? $0.split(separator: " ").first.map(String.init) : nil }
    #expect(commands == Self.commands)
    let known = [
      "record", "keep", "list", "demo", "view", "report", "graph", "timeline", "summary", "profile", "top",
      "doctor", "requests", "stacks", "snapshot", "provoke", "shake", "diff", "whatif", "sql", "export",
      "fleet", "pack", "unpack", "dump", "symbolicate", "validate",
    ]
    #expect(commands.filter(known.contains) == known, "names are a contract, and so is their order")
    let groups = root.output.split(separator: "\n").filter { $0.hasSuffix(" SUBCOMMANDS:") }
    #expect(groups.map { $0.split(separator: " ")[0] } == ["RECORD", "LOOK", "DIAGNOSE", "COMPARE", "DATA"])
    for command in commands {
      let help = try Command.start(command, "--help")
      #expect(help.status == 0)
      #expect(help.output.contains("USAGE: optrace \(command)"), "\(command)")
      #expect(help.output.hasPrefix("OVERVIEW: "), "\(command)")
    }
  }

  @Test("every help text has an example, and no line is wider than a terminal's 80 columns")
  func helpLines() throws {
    for command in Self.commands {
      let help = try Command.start("help", command).output
      let example = help.split(separator: "\n").first { $0.hasPrefix("Example: optrace ") }
      #expect(example?.hasPrefix("Example: optrace \(command)") == true, "\(command)")
      for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(command): \(line)") }
      let wrong = try Command.start(command, "--no-such-option").errors
      for line in wrong.split(separator: "\n") { #expect(line.count <= 80, "\(command): \(line)") }
    }
  }

  @Test("--max-unpacked is the last option of help, before those of every command", arguments: commands)
  func rareOptionIsLast(command: String) throws {
    let help = try Command.start("help", command).output
    let names = help.split(separator: "\n").compactMap { line in
      line.prefixMatch(of: #/  (?:-\w, )?(--[\w-]+)/#).map { String($0.1) }
    }
    #expect(names.contains("--max-unpacked") == Self.readers.contains(command))
    if let place = names.firstIndex(of: "--max-unpacked") {
      #expect(names[(place + 1)...] == ["--version", "--help"], "\(names)")
    }
  }

  /// Those that help shows.
  static let commands = OpTraceCommand.names.filter(\.isShown).map(\.name)
  /// Those that read traces.
  static let readers = commands.filter {
    !["demo", "record", "list", "symbolicate", "fleet", "snapshot", "shake"].contains($0)
  }
  /// Those of them that need nothing but a trace.
  static let lookers = readers.filter { !["export", "diff", "whatif", "sql", "keep", "provoke"].contains($0) }
  /// Those of them that print, once, what the trace shows.
  static let printers = lookers.filter {
    !["view", "report", "graph", "timeline", "top", "pack", "unpack"].contains($0)
  }

  @Test("every command's errors begin with `optrace:` and a small letter", arguments: commands)
  func errorsBeginAlike(command: String) throws {
    // Without a trace these commands use a current recording of the machine, and may run as long as it does.
    let takesAny = ["top", "doctor", "view", "stacks", "keep"].contains(command)
    for arguments in [["--no-such-option"], ["/no/such/file"], ["x", "y", "z"], ["-o"]] + (takesAny ? [] : [[]]) {
      let result = try Command.start(arguments: [command] + arguments)
      guard result.status != 0 else { continue }
      let first = try #require(result.errors.split(separator: "\n").first)
      #expect(first.wholeMatch(of: /optrace: [^A-Z].*[^.]/) != nil, "\(first)")
    }
  }

  @Test("the version is a number of three parts")
  func version() throws {
    let result = try Command.start("--version")
    #expect(result.status == 0)
    #expect(result.output.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
  }

  @Test("wrong usage gives one sentence, the usage, and status 64")
  func usage() throws {
    let missing = try Command.start("summary")
    #expect(missing.status == 64)
    #expect(missing.errors.hasPrefix("optrace: missing expected argument '<trace>'\n"))
    #expect(missing.errors.contains("Usage: optrace summary"))
    #expect(missing.output == "")
    let negative = try Command.start("summary", small, "--slowest=-1")
    #expect(negative.status == 64)
    #expect(negative.errors.hasPrefix("optrace: --slowest must not be negative\n"))
    let format = try Command.start("timeline", small, "--format", "tiff")
    #expect(format.status == 64)
    #expect(format.errors.hasPrefix("optrace: the value 'tiff' is invalid for '--format <format>'."))
  }

  @Test(
    "an unknown command gives similar names and status 64",
    arguments: [
      (["grpah"], "'grpah': did you mean 'graph'?"), (["grpah", "x.optrace"], "'grpah': did you mean 'graph'?"),
      (["help", "sumary"], "'sumary': did you mean 'summary'?"),
      (["nonsense", "--help"], "'nonsense': 'optrace --help' lists them"),
      (["a\u{1B}[31m"], "'a\u{FFFD}[31m': 'optrace --help' lists them"),
    ])
  func unknownCommand(arguments: [String], message: String) throws {
    let result = try Command.start(arguments: arguments)
    #expect(
      result == Command.Result(status: 64, output: "", errors: "optrace: there is no command \(message)\n"))
  }

  @Test("a file instead of a command, a similar file name, and no argument give hints")
  func firstSteps() throws {
    let direct = try Command.start(arguments: [small])
    #expect(direct.status == 64 && direct.output.isEmpty)
    #expect(direct.errors.hasPrefix("optrace: '\(small)' is a file; to look at it: "))
    #expect(direct.errors.hasSuffix("optrace view \(small)\n"))
    for wrong in ["smal.txt", "samll.optrace", "small"] {
      let result = try Command.start("summary", folder.path(wrong))
      #expect(
        result
          == Command.Result(
            status: 66, output: "",
            errors: "optrace: cannot read '\(folder.path(wrong))': no such file; did you mean '\(small)'?\n"))
    }
    let bare = try Command.start(arguments: [])
    #expect(bare.status == 0 && bare.output.contains("Start with 'optrace demo photo-import'"))
  }

  @Test("the help lists the exit statuses")
  func statuses() throws {
    let help = try Command.start("--help").output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      help.contains(
        "0 success, 1 an error was found (doctor, diff --fail-on, a prediction that never ends), 64 wrong usage"
      ))
    for command in ["graph", "timeline"] {
      #expect(try Command.start(command, "--help").output.contains("where it has no ending"), "\(command)")
    }
  }

  @Test("timeline refuses an unknown ending without --format", arguments: ["x.svg", "x.gz", "x.txt", "a.json/x.docx"])
  func timelineEnding(name: String) throws {
    let path = folder.path(name)
    let result = try Command.start("timeline", small, "-o", path)
    #expect(
      result
        == Command.Result(
          status: 64, output: "",
          errors: "optrace: '\(path)' ends with no known format; say --format json, json.gz, perfetto or perfetto.gz\n")
    )
    #expect(try folder.names == ["small.txt"])
  }

  @Test("timeline's help lists every format, and so does the error for an unknown one")
  func timelineFormats() throws {
    let help = try Command.start("timeline", "--help").output
    let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("json, json.gz, perfetto, perfetto.gz"))
    let result = try Command.start("timeline", small, "--format", "protobuf")
    #expect(result.status == 64 && result.output == "")
    for name in ["'json'", "'json.gz'", "'perfetto'", "'perfetto.gz'"] { #expect(result.errors.contains(name)) }
  }

  @Test("timeline accepts names without an ending, devices, and any ending with --format")
  func timelineNames() throws {
    let plain = try Command.start("timeline", small).output
    for (name, arguments) in [("x", []), ("x.JSON", []), ("x.svg", ["--format", "json"])] as [(String, [String])] {
      let path = folder.path(name)
      #expect(try Command.start(arguments: ["timeline", small, "-o", path] + arguments).status == 0, "\(name)")
      #expect(try String(contentsOfFile: path, encoding: .utf8) == plain, "\(name)")
    }
    #expect(try Command.start("timeline", small, "-o", "/dev/null").status == 0)
  }

  #if os(Linux)
    /// `script` makes a terminal the standard output of the command.
    @Test("binary output to a terminal is refused, text is accepted", arguments: ["png", "pdf"])
    func terminal(format: String) throws {
      func onTerminal(_ command: String) throws -> Command.Result {
        try Command.start(small, shell: #"script -qec '"$optrace" \#(command)' /dev/null"#)
      }
      for target in ["", " -o -", " -o /dev/stdout", " -o /dev/tty"] {
        let refused = try onTerminal(#"graph "\#(small)" --format \#(format)\#(target)"#)
        #expect(refused.status == 64, "\(target)")
        #expect(refused.output == "optrace: \(format) is not for a terminal: use -o FILE\r\n", "\(target)")
      }
      for format in ["json.gz", "perfetto", "perfetto.gz"] {
        let refused = try onTerminal(#"timeline "\#(small)" --format \#(format)"#)
        #expect(refused.status == 64)
        #expect(refused.output == "optrace: \(format) is not for a terminal: use -o FILE\r\n")
      }
      let text = try onTerminal(#"graph "\#(small)" --format svg -o -"#)
      #expect(text.status == 0)
      #expect(text.output.contains("</svg>"))
    }
  #endif

  @Test("missing input gives status 66, input that is not a trace 65", arguments: lookers)
  func badInput(command: String) throws {
    func expect(_ path: String, _ status: Int32, _ message: String, input: [UInt8] = []) throws {
      let result = try Command.start(command, path, input: input)
      #expect(result == Command.Result(status: status, output: "", errors: "optrace: \(message)\n"))
    }
    let none = folder.path("none.optrace")
    try expect(none, 66, "cannot read '\(none)': no such file")
    try expect(folder.folder.path, 66, "cannot read '\(folder.folder.path)': it is a folder")
    let empty = try folder.write("empty.optrace", [])
    let recordedNothing = "is empty: the program that should have written it recorded nothing"
    try expect(empty, 65, "'\(empty)' \(recordedNothing)")
    try expect("-", 65, "standard input \(recordedNothing)")
    let json = try folder.write("x.json", Array("{\"traceEvents\":[]}".utf8))
    try expect(json, 65, "'\(json)' is not a trace: it looks like JSON")
    try expect("-", 65, "standard input is not a trace: it looks like JSON", input: Array("[1]".utf8))
    try expect(
      folder.path("a\nb\u{1B}[31m"), 66, "cannot read '\(folder.path("a\u{FFFD}b\u{FFFD}[31m"))': no such file")
  }

  #if os(Linux)
    @Test("files of /proc give the right message") func systemFiles() throws {
      let memory = try Command.start("summary", "/proc/self/mem")
      #expect(
        memory == .init(status: 66, output: "", errors: "optrace: cannot read '/proc/self/mem': input/output error\n"))
      let maps = try Command.start("summary", "/proc/self/maps")
      #expect(
        maps == .init(status: 65, output: "", errors: "optrace: '/proc/self/maps' is not a trace: it looks like text\n")
      )
    }
  #endif

  @Test("a trace may come through a pipe")
  func standardInput() throws {
    let file = try Command.start("summary", "--json", small)
    let pipe = try Command.start("summary", "--json", "-", input: Array(Fixture.small.utf8))
    #expect(file.status == 0)
    #expect(file == pipe)
    #expect(try Command.start(small, shell: #"cat "$1" | "$optrace" summary --json -"#) == file)
  }

  @Test("a damaged trace gives a partial result, a warning with the position, and status 65")
  func damaged() throws {
    var bytes = try Fixture.binary(Fixture.small)
    let whole = try Command.start("summary", "--json", try folder.write("whole.optrace", bytes))
    #expect(whole.status == 0)
    #expect(whole.errors == "")
    // This damages the last chunk, which has the records of the second thread.
    bytes[bytes.count - 9] ^= 0xFF
    let path = try folder.write("damaged.optrace", bytes)
    let result = try Command.start("summary", "--json", path)
    #expect(result.status == 65)
    #expect(result.errors.hasPrefix("optrace: warning: '\(path)' is damaged: 1 part, "))
    #expect(result.errors.contains("\n  at byte "))
    #expect(result.output.contains("\"complete\": false"))
    let timeline = try Command.start("timeline", path)
    #expect(timeline.status == 65)
    #expect(timeline.output.hasSuffix("\n]\n"))
  }
}
