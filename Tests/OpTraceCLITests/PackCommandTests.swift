import Foundation
import OpTraceModel
import OpTracePacked
import TestSupport
import Testing

@Suite("optrace pack, unpack, and packed traces in every command", .ownThread)
struct PackCommandTests {
  private let folder: Scratch
  private static let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("traces")

  init() throws { folder = try Scratch() }

  private func sample(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: Self.samples.appendingPathComponent(name + ".optrace")))
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  /// Commands whose output depends on no clock.
  static let commands = [
    ["summary"], ["summary", "--json"], ["graph", "--format", "svg"], ["graph", "--format", "dot"],
    ["timeline", "--format", "json"], ["doctor"], ["doctor", "--json"], ["validate"], ["dump"],
  ]

  @Test("every command gives the same output for a packed and a plain trace", arguments: commands)
  func same(_ command: [String]) throws {
    var damaged = try sample("photo-import")
    damaged[1024 + 80] ^= 1
    for bytes in [try sample("deadlock"), damaged] {
      // Both files get the same name, as some outputs have it.
      let path = folder.path("run")
      try folder.write("run", bytes)
      let plain = try Command.run(arguments: command + [path])
      let fromPipe = try Command.run(path, shell: #"cat "$1" | "$optrace" \#(command.joined(separator: " ")) -"#)
      #expect(try Command.run("pack", path, "-o", path + "z").status == 0)
      try FileManager.default.moveItem(atPath: path + "z", toPath: folder.path("z"))
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: folder.path("z"), toPath: path)
      #expect(TracePacker.isPacked([UInt8](try Data(contentsOf: URL(fileURLWithPath: path)).prefix(8))))
      #expect(try Command.run(arguments: command + [path]) == plain)
      let piped = try Command.run(path, shell: #"cat "$1" | "$optrace" \#(command.joined(separator: " ")) -"#)
      #expect(piped == fromPipe)
      #expect(plain.output.count > 5)
    }
  }

  @Test("every command reads a packed trace without magic numbers, as a file and from a pipe", arguments: commands)
  func lostMagics(_ command: [String]) throws {
    let path = try folder.write("run", sample("deadlock"))
    #expect(try Command.run("pack", path, "-o", path + "z").status == 0)
    let arguments = command.joined(separator: " ")
    var packed = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "z")))
    for place in Array(0..<8) + Array(64..<68) { packed[place] = 1 }
    try folder.write("run", packed)
    for result in [
      try Command.run(path, shell: #""$optrace" \#(arguments) "$1""#),
      try Command.run(path, shell: #"cat "$1" | "$optrace" \#(arguments) -"#),
    ] {
      #expect(result.errors.contains("damaged") || result.output.contains("does not match its checksum"))
      #expect(!result.errors.contains("is not a trace") && result.output.count > 5)
      #expect(result.status == 65)
    }
  }

  @Test("packing and unpacking give the original bytes in private files") func thereAndBack() throws {
    let bytes = try sample("photo-import")
    let path = try folder.write("run.optrace", bytes)
    let packed = path + "z"
    let result = try Command.run(path, shell: #"umask 0; "$optrace" pack "$1""#)
    let size = try Data(contentsOf: URL(fileURLWithPath: packed)).count
    let share = Int((Double(size) / Double(bytes.count) * 100).rounded())
    let line = "\(packed): \(grouped(size)) bytes, \(share) % of \(grouped(bytes.count))\n"
    #expect(result == .init(status: 0, output: line, errors: ""))
    #expect(try mode(packed) == 0o600)
    try FileManager.default.removeItem(atPath: path)
    let back = try Command.run(packed, shell: #"umask 0; "$optrace" unpack "$1""#)
    #expect(back == .init(status: 0, output: "\(path): \(grouped(bytes.count)) bytes\n", errors: ""))
    #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) == bytes)
    #expect(try mode(path) == 0o600)
    #expect(try folder.names == ["run.optrace", "run.optracez"])
  }

  @Test("a binary trace that dump writes is private, too") func dumpIsPrivate() throws {
    let text = try folder.write("a.txt", Array(Fixture.small.utf8))
    let path = folder.path("a.optrace")
    #expect(try Command.run(text, path, shell: #"umask 0; "$optrace" dump "$1" -o "$2""#).status == 0)
    #expect(try mode(path) == 0o600)
  }

  @Test("recorded traces are private under any umask") func recordingIsPrivate() throws {
    let script = #"umask 0; cd "$1" && "$optrace" demo diamond -o . && "$optrace" record -o r.optrace "$2""#
    let program = try Command.executable.deletingLastPathComponent().appendingPathComponent("RecordTestProgram").path
    let result = try Command.run(folder.folder.path, program, shell: script)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try mode(folder.path("diamond.optrace")) == 0o600)
    #if os(Linux)
      #expect(try mode(folder.path("r.optrace")) == 0o600)
    #endif
  }

  @Test("existing files are overwritten only if named with -o, and the trace never") func overwriting() throws {
    let path = try folder.write("run.optrace", sample("deadlock"))
    try folder.write("run.optracez", Array("precious".utf8))
    let refused = try Command.run("pack", path)
    #expect(refused.errors == "optrace: cannot write '\(path)z': it exists already; name a file with -o\n")
    #expect(refused.status == 73 && refused.output == "")
    let itself = try Command.run("pack", path, "-o", path)
    #expect(itself.errors == "optrace: '\(path)' is the trace itself: name another file with -o\n")
    #expect(itself.status == 64)
    #expect(try Command.run("pack", path, "-o", path + "z").status == 0)
    let unpacked = try Command.run("unpack", path + "z")
    #expect(unpacked.errors == "optrace: cannot write '\(path)': it exists already; name a file with -o\n")
    #expect(unpacked.status == 73)
  }

  @Test("pack and unpack work in pipes") func pipes() throws {
    let bytes = try sample("tickets")
    let path = try folder.write("run.optrace", bytes)
    let result = try Command.run(path, shell: #""$optrace" pack - < "$1" | "$optrace" unpack - | cmp - "$1""#)
    #expect(result == .init(status: 0, output: "", errors: ""))
  }

  @Test("a closed standard output is no failure if the file is complete") func nobodyListens() throws {
    let path = try folder.write("run.optrace", sample("deadlock"))
    for command in [#"pack "$1" -o "$1z""#, #"unpack "$1z" -o "$1.back""#] {
      let result = try Command.run(path, shell: #""$optrace" \#(command) >&-"#)
      #expect(result == .init(status: 0, output: "", errors: ""), "\(command)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".back")) == Data(sample("deadlock")))
  }

  @Test("pack refuses files that are not traces, and leaves no file") func noTrace() throws {
    let path = try folder.write("notes.txt", Array("hello\n".utf8))
    let result = try Command.run("pack", path)
    #expect(result == .init(status: 65, output: "", errors: "optrace: '\(path)' is not a trace: it looks like text\n"))
    #expect(try folder.names == ["notes.txt"])
    let missing = try Command.run("unpack", folder.path("missing"))
    #expect(missing.errors == "optrace: cannot read '\(folder.path("missing"))': no such file\n")
    #expect(missing.status == 66)
  }

  @Test("unpack refuses files that are not packed, and writes nothing") func notPacked() throws {
    let trace = try folder.write("run.optrace", sample("deadlock"))
    let text = try folder.write("run.txt", Array(Fixture.small.utf8))
    for path in [trace, text] {
      let result = try Command.run("unpack", path, "-o", folder.path("back"))
      #expect(
        result == .init(status: 65, output: "", errors: "optrace: '\(path)' is not packed: it is a trace as it is\n"))
    }
    let other = try folder.write("page.html", Array("<html>".utf8))
    let result = try Command.run("unpack", other)
    #expect(result.errors == "optrace: '\(other)' is not a trace: it looks like HTML, XML or SVG\n")
    #expect(result.status == 65)
    let piped = try Command.run(trace, shell: #"cat "$1" | "$optrace" unpack -"#)
    #expect(
      piped == .init(status: 65, output: "", errors: "optrace: standard input is not packed: it is a trace as it is\n"))
    #expect(try folder.names == ["page.html", "run.optrace", "run.txt"])
  }

  @Test("a small file that unpacks to a huge one is refused without --max-unpacked") func limit() throws {
    let bytes = try sample("deadlock")
    let path = try folder.write("run.optrace", bytes)
    #expect(truncate(path, 100 << 20) == 0)
    let packing = try Command.run("pack", path)
    #expect(
      packing.errors
        == "optrace: note: nearly all of it is empty space: to read it packed takes --max-unpacked 100M\n")
    #expect(packing.status == 0)
    let packed = path + "z"
    let size = try Data(contentsOf: URL(fileURLWithPath: packed)).count
    let refusal =
      "optrace: '\(packed)' would unpack to 104,857,600 bytes, and \(grouped(size * 32 + (64 << 20))) are the limit: "
      + "if you trust it, add --max-unpacked 100M\n"
    for command in Self.commands + [["unpack"], ["pack"], ["pack", "--anonymize"], ["report"], ["view", "--no-open"]] {
      let target = ["unpack", "pack", "report"].contains(command[0]) ? ["-o", folder.path("out")] : []
      let refused = try Command.run(arguments: command + [packed] + target)
      #expect(refused == .init(status: 65, output: "", errors: refusal), "\(command)")
    }
    #expect(try folder.names == ["run.optrace", "run.optracez"])
    let asked = try Command.run("summary", packed, "--max-unpacked", "100M")
    // The bytes after the end of the trace are reported for both files.
    let plain = try Command.run("summary", path)
    #expect(asked.status == plain.status && asked.errors == plain.errors.replacing(path, with: packed))
    let back = try Command.run("unpack", packed, "--max-unpacked", "1G", "-o", folder.path("back"))
    #expect(back == .init(status: 0, output: "\(folder.path("back")): 104,857,600 bytes\n", errors: ""))
  }

  @Test("a truncated packed trace is refused; bytes after its end are reported") func cut() throws {
    let path = try folder.write("run.optrace", sample("deadlock"))
    #expect(try Command.run("pack", path).status == 0)
    let packed = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "z")))
    let cut = try folder.write("cut.optracez", Array(packed.prefix(80)))
    let result = try Command.run("summary", cut)
    #expect(
      result.errors == "optrace: '\(cut)' is damaged: its header cannot be read: "
        + "the packed trace is damaged from byte 64 on: the packed file ends inside a block\n")
    #expect(result.status == 65)
    let longer = try folder.write("longer.optracez", packed + [0])
    let told = try Command.run("unpack", longer, "-o", folder.path("back"))
    #expect(
      told.errors == "optrace: warning: '\(longer)' is damaged: 1 part, 1 byte not read\n"
        + "  at byte \(grouped(packed.count)), 1 byte: bytes after the end of the packed trace\n")
    #expect(told.status == 65)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("back"))) == Data(sample("deadlock")))
  }

  @Test(
    "an anonymized trace has the same findings and no names",
    arguments: ["deadlock", "photo-import-stuck", "cross-queue", "async-wait"])
  func anonymous(_ name: String) throws {
    let path = try folder.write("run.optrace", sample(name))
    let result = try Command.run("pack", "--anonymize", path)
    #expect(result.status == 0 && result.errors == "")
    let packed = folder.path("run.anonymous.optracez")
    #expect(result.output.hasPrefix("\(packed): "))
    #expect(try mode(packed) == 0o600)
    func codes(_ path: String) throws -> [String] {
      let doctor = try Command.run("doctor", "--json", path)
      let codes = doctor.output.matches(of: /"(?:code|verdict|severity)": "([^"]*)"/).map { String($0.1) }
      return ["\(doctor.status)"] + codes
    }
    #expect(try codes(packed) == codes(path))
    // The graph has the same nodes and edges.
    func edges(_ path: String) throws -> [Substring] {
      let dot = try Command.run("graph", path, "--format", "dot").output
      return dot.matches(of: /[a-z]\d+ -> [a-z]\d+/).map(\.0)
    }
    #expect(try edges(packed) == edges(path))
    let events = try TraceReader.events(path: path)
    let texts = Set(events.compactMap(\.text) + events.strings.values).filter { !$0.isEmpty }
    let dump = try Command.run("dump", packed).output
    for text in texts { #expect(!dump.contains("\"\(text)\""), "\(text)") }
  }

  @Test("an anonymized damaged trace is still damaged") func anonymousDamage() throws {
    var bytes = try sample("photo-import")
    bytes[1024 + 80] ^= 1
    let path = try folder.write("run.optrace", bytes)
    let result = try Command.run("pack", "--anonymize", path)
    #expect(result.status == 65)
    #expect(result.errors.hasPrefix("optrace: warning: '\(path)' is damaged: 1 part, "))
    let before = try Command.run("validate", path).output.split(separator: "\n").last
    let after = try Command.run("validate", folder.path("run.anonymous.optracez")).output.split(separator: "\n").last
    #expect(before == after)
    #expect(before?.hasSuffix("1 damaged part") == true)
  }

  private func grouped(_ number: Int) -> String {
    String(String(number).reversed().enumerated().flatMap { $0 > 0 && $0 % 3 == 0 ? [",", $1] : [$1] }.reversed())
  }
}
