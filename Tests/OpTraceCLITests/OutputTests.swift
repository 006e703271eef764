import Foundation
import TestSupport
import Testing

@Suite("The command's output: complete or not at all", .ownThread)
struct OutputTests {
  private let folder: Scratch
  private let small: String

  init() throws {
    folder = try Scratch()
    small = try folder.write("small.txt", Array(Fixture.small.utf8))
  }

  @Test("a file has the same bytes as standard output, and no temporary file stays")
  func file() throws {
    let direct = try Command.start("timeline", small)
    #expect(direct.status == 0)
    #expect(direct.errors == "")
    #expect(try Command.start("timeline", small, "-o", "-") == direct)
    let path = folder.path("out.json")
    #expect(try Command.start("timeline", small, "-o", path) == Command.Result(status: 0, output: "", errors: ""))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == direct.output)
    #expect(try folder.names == ["out.json", "small.txt"])
  }

  @Test("the trace itself is never overwritten", arguments: ["timeline", "summary", "graph", "dump"])
  func traceItself(command: String) throws {
    let before = try String(contentsOfFile: small, encoding: .utf8)
    let format = ["timeline": ["--format", "json"], "graph": ["--format", "svg"]][command] ?? []
    let result = try Command.start(arguments: [command, small, "-o", small] + format)
    #expect(result.errors == "optrace: '\(small)' is the trace itself: name another file with -o\n")
    #expect(result.status == 64 && result.output == "")
    #expect(try String(contentsOfFile: small, encoding: .utf8) == before)
  }

  @Test("json.gz, by ending or option, unpacks to the same bytes")
  func gzip() throws {
    let plain = try Command.start("timeline", small).output
    let path = folder.path("out.json.gz")
    #expect(try Command.start("timeline", small, "-o", path).status == 0)
    #expect(try Command.start(path, shell: #"gzip -dc "$1""#).output == plain)
    let piped = try Command.start(small, shell: #""$optrace" timeline "$1" --format json.gz | gzip -dc"#)
    #expect(piped.output == plain)
  }

  @Test("Perfetto's format has the same bytes for each ending and option, also unpacked")
  func perfetto() throws {
    let path = folder.path("out.pftrace")
    #expect(try Command.start("timeline", small, "-o", path) == Command.Result(status: 0, output: "", errors: ""))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    // The file begins with a packet (key 10) of more than 127 bytes.
    #expect(bytes.count > 200 && bytes[0] == 10 && bytes[1] > 127)
    for (name, options) in [
      ("out.perfetto-trace", []), ("out.PFTRACE", []), ("out", ["--format", "perfetto"]),
      ("out.json", ["--format", "perfetto"]),
    ] {
      let other = folder.path(name)
      #expect(try Command.start(arguments: ["timeline", small, "-o", other] + options).status == 0, "\(name)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == bytes, "\(name)")
    }
    for (name, options) in [
      ("a.pftrace.gz", []), ("a.perfetto-trace.gz", []), ("packed", ["--format", "perfetto.gz"]),
    ] {
      let other = folder.path(name)
      #expect(try Command.start(arguments: ["timeline", small, "-o", other] + options).status == 0, "\(name)")
      let same = try Command.start(other, path, shell: #"gzip -dc "$1" | cmp - "$2""#)
      #expect(same == Command.Result(status: 0, output: "", errors: ""), "\(name)")
    }
    let piped = try Command.start(small, path, shell: #""$optrace" timeline "$1" --format perfetto | cmp - "$2""#)
    #expect(piped == Command.Result(status: 0, output: "", errors: ""))
  }

  @Test("a new file obeys umask, an existing one keeps its mode, and a link stays a link")
  func modes() throws {
    let path = folder.path("out.json")
    #expect(try Command.start(small, path, shell: #"umask 027; "$optrace" timeline "$1" -o "$2""#).status == 0)
    #expect(try mode(path) == 0o640)
    try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: path)
    let link = folder.path("link.json")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "out.json")
    #expect(try Command.start("summary", "--json", small, "-o", link).status == 0)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "out.json")
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("{\n  \"version\": 1,"))
    #expect(try mode(path) == 0o604)
  }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  @Test("a file that cannot be written gives its name, the reason and status 73")
  func unwritable() throws {
    func expect(_ path: String, _ message: String) throws {
      let result = try Command.start("timeline", small, "-o", path)
      #expect(result == Command.Result(status: 73, output: "", errors: "optrace: \(message)\n"))
    }
    let missing = folder.path("none/out.json")
    try expect(missing, "cannot write '\(missing)': there is no folder '\(folder.path("none"))'")
    try expect(folder.folder.path, "cannot write '\(folder.folder.path)': it is a folder")
    let below = small + "/out.json"
    try expect(below, "cannot write '\(below)': part of the path is not a folder")
    #expect(try folder.names == ["small.txt"])
  }

  #if os(Linux)
    @Test("a full disk gives status 73")
    func fullDisk() throws {
      let device = try Command.start("timeline", small, "-o", "/dev/full")
      #expect(device.status == 73)
      #expect(device.errors == "optrace: cannot write '/dev/full': no space left on the device\n")
      let output = try Command.start(
        "summary", shell: #""$optrace" summary "$0" > /dev/full"#.replacing("$0", with: small))
      #expect(output.status == 73)
      #expect(output.errors == "optrace: cannot write to standard output: no space left on the device\n")
    }

    /// Only root may mount. The test above needs no rights.
    @Test("a full file system keeps the old file", .enabled { await OwnThread.run { mayMount } })
    func fullFileSystem() throws {
      let large = try folder.write("large.txt", Array(Fixture.many(2_000).utf8))
      let result = try Command.start(
        folder.path("disk"), large,
        shell: #"""
          mkdir "$1" && exec unshare -m sh -c '
            mount -t tmpfs -o size=64k none "$1" && echo old > "$1/out.json"
            "$optrace" timeline "$2" -o "$1/out.json"; echo $?
            cat "$1/out.json"; ls -A "$1"' sh "$@"
          """#)
      #expect(result.output == "73\nold\nout.json\n")
      #expect(result.errors.hasSuffix("/out.json': no space left on the device\n"))
    }

    static var mayMount: Bool {
      (try? Command.start(shell: "unshare -m mount -t tmpfs none /mnt 2>/dev/null"))?.status == 0
    }
  #endif

  @Test("a closed pipe ends the command silently")
  func closedPipe() throws {
    let script = #"{ sleep 0.2; "$optrace" timeline "$1"; echo "status $?" >&2; } | true"#
    #expect(try Command.start(small, shell: script).errors == "status 0\n")
    let help = #"{ sleep 0.2; "$optrace" --help; echo "status $?" >&2; } | true"#
    #expect(try Command.start(small, shell: help).errors == "status 0\n")
  }

  @Test("a signal leaves the old file and no partial one", arguments: ["INT", "TERM", "HUP", "QUIT"])
  func interrupt(signal: String) throws {
    let large = try folder.write("large.txt", Array(Fixture.many(20_000).utf8))
    let inner = folder.file("inner")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    // A shell starts background jobs with SIGINT ignored, so the job sends the signal, and the command receives it. The
    // command has a lower priority, so that the job is in time even on a busy machine.
    let result = try Command.start(
      large, inner.path, signal, environment: ["SWIFT_BACKTRACE": "enable=yes"],
      shell: #"""
        ulimit -c 0; echo old > "$2/out.json"
        pid=$$
        (while ! [ -e "$(echo "$2"/.*.part)" ]; do sleep 0.01; done; kill -"$3" $pid) &
        exec nice -n 10 "$optrace" timeline "$1" -o "$2/out.json" --wait-lanes 1000000
        """#)
    let number: Int32 = ["INT": 2, "TERM": 15, "HUP": 1, "QUIT": 3][signal] ?? 0
    #expect(result.status == 128 + number)
    #expect(try FileManager.default.contentsOfDirectory(atPath: inner.path) == ["out.json"])
    #expect(try String(contentsOf: inner.appendingPathComponent("out.json"), encoding: .utf8) == "old\n")
    #expect(result.output == "" && result.errors == "")
  }

  @Test("a pipe gets neither colour nor progress")
  func plain() throws {
    let result = try Command.start("summary", small, environment: ["TERM": "xterm-256color"])
    #expect(result.status == 0)
    #expect(!result.output.contains("\u{1B}"))
    #expect(result.errors == "")
  }
}
