#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// The tests run in a namespace of processes of their own, so they see no other recordings of this machine.
  @Suite("optrace list, and commands without a trace", .serialized, .ownThread)
  struct ListCommandTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// Whether this user may create such a namespace.
    private static let canHide: Bool = {
      let result = try? Command.run("list", shell: #"unshare --pid --fork --mount-proc "$optrace" "$@""#)
      return result?.status == 0
    }()

    /// Runs a script in the namespace. `$1` is the folder. `begin FOLDER` records a hanging program there.
    private func script(_ text: String) throws -> ProgramResult {
      let functions = #"""
        begin() {
          "$optrace" demo deadlock --timeout 600 -o "$1" >/dev/null 2>&1 &
          while ! "$optrace" list | grep -q "$1/deadlock.optrace"; do sleep 0.05; done
        }
        cd "$1" || exit

        """#
      let inside = folder.path("script.sh")
      try Data((functions + text).utf8).write(to: URL(fileURLWithPath: inside))
      return try Command.run(
        arguments: [inside, folder.folder.path],
        shell: #"unshare --pid --fork --kill-child --mount-proc sh "$@""#)
    }

    @Test("without a recording, list gives status 0 and other commands 66", .enabled(if: canHide)) func none() throws {
      let list = try script("exec \"$optrace\" list")
      #expect(list == ProgramResult(status: 0, output: "No program on this machine is being recorded.\n", errors: ""))
      let json = try script("exec \"$optrace\" list --json")
      let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
      #expect(object?["version"] as? Int == 1)
      #expect((object?["processes"] as? [Any])?.isEmpty == true)
      for command in ["top", "doctor", "view", "stacks"] {
        let result = try script("exec \"$optrace\" \(command)")
        #expect(
          result
            == ProgramResult(
              status: 66, output: "",
              errors: "optrace: no program of this machine is being recorded: name a trace, or record one with "
                + "'optrace record -- PROGRAM'\n"))
      }
    }

    @Test("a single recording is used without naming it", .enabled(if: canHide)) func one() throws {
      let result = try script(
        """
        begin "$1"; "$optrace" list --json; "$optrace" list; "$optrace" top --once; echo "$?"; "$optrace" doctor --json >doctor.json
        echo "$?"; "$optrace" stacks | head -3; kill -STOP $!; "$optrace" list
        """)
      #expect(result.errors == "")
      let lines = result.output.split(separator: "\n").map(String.init)
      let end = try #require(lines.firstIndex(of: "}"))
      let object =
        try JSONSerialization.jsonObject(with: Data(lines[...end].joined(separator: "\n").utf8)) as? [String: Any]
      let process = try #require((object?["processes"] as? [[String: Any]])?.first)
      #expect(Set(process.keys) == ["pid", "program", "sinceSeconds", "file", "mode", "state"])
      #expect(process["program"] as? String == "deadlock")
      #expect(process["file"] as? String == folder.path("deadlock.optrace"))
      #expect(process["mode"] as? String == "streaming" && process["state"] as? String == "running")
      #expect((process["sinceSeconds"] as? Double ?? -1) > 0)
      #expect(lines[end + 1].split(separator: " ") == ["pid", "program", "for", "mode", "state", "file"])
      #expect(lines.contains { $0.hasPrefix("deadlock (") && $0.contains(" runs ") })
      // `top` ends with status 0, the doctor with 1.
      #expect(lines.filter { $0 == "0" }.count == 1 && lines.filter { $0 == "1" }.count == 1)
      #expect(lines.last?.contains("  stopped  ") == true)
    }

    @Test("several recordings are listed, with status 64", .enabled(if: canHide)) func several() throws {
      try FileManager.default.createDirectory(atPath: folder.path("a"), withIntermediateDirectories: true)
      try FileManager.default.createDirectory(atPath: folder.path("b"), withIntermediateDirectories: true)
      for command in ["top", "doctor", "view", "stacks"] {
        let result = try script("begin \"$1/a\"; begin \"$1/b\"; exec \"$optrace\" \(command)")
        #expect(result.status == 64 && result.output == "")
        let lines = result.errors.split(separator: "\n").map(String.init)
        #expect(lines.first == "optrace: 2 traces are being recorded, name a process or a file:")
        #expect(
          lines.dropFirst(2).map { $0.split(separator: " ").last.map(String.init) } == [
            folder.path("a/deadlock.optrace"), folder.path("b/deadlock.optrace"),
          ])
      }
    }

    @Test("recordings of other users are not listed", .enabled(if: canHide && canBeNobody)) func others() throws {
      let result = try script(
        """
        begin "$1"; cp "$optrace" /tmp/optrace-nobody.$$ && chmod 755 /tmp/optrace-nobody.$$
        setpriv --reuid=65534 --regid=65534 --clear-groups /tmp/optrace-nobody.$$ list; echo $?
        rm -f /tmp/optrace-nobody.$$
        """)
      #expect(result.output == "No program on this machine is being recorded.\n0\n")
    }

    private static let canBeNobody: Bool = {
      let result = try? Command.run("list", shell: "setpriv --reuid=65534 --regid=65534 --clear-groups true")
      return result?.status == 0
    }()

    @Test("ended processes are not listed", .enabled(if: canHide)) func ended() throws {
      let result = try script(
        """
        begin "$1"; kill -9 $!; wait $! 2>/dev/null; "$optrace" list
        """)
      #expect(result.output == "No program on this machine is being recorded.\n")
    }
  }
#endif
