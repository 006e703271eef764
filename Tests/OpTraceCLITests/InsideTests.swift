import Foundation
import TestSupport
import Testing

/// What most tests rely on that run the command inside of their process.
@Suite("The command inside of the tests' process", .ownThread) struct InsideTests {
  private let folder: Scratch
  private let small: String
  private let damaged: String

  init() throws {
    folder = try Scratch()
    small = try folder.write("small.txt", Array(Fixture.small.utf8))
    var bytes = try Fixture.binary(Fixture.small)
    bytes[bytes.count - 9] ^= 0xFF
    damaged = try folder.write("damaged.optrace", bytes)
  }

  @Test("says and ends as in a process of its own", arguments: Command.insideCommands)
  func same(command: String) throws {
    let more = ["diff": [small], "sql": ["SELECT name FROM operations ORDER BY id"]][command] ?? []
    let calls: [(arguments: [String], input: [UInt8])] = [
      ([command, small] + more, []), ([command, damaged] + more, []),
      ([command, "-"] + more, Array(Fixture.small.utf8)),
      ([command, folder.path("none.optrace")] + more, []), ([command, small, "--no-such-option"], []),
      ([command, small, "-o", folder.path("no folder/x")] + more, []),
    ]
    for call in calls {
      let before = try folder.names
      let process = try Command.start(arguments: call.arguments, input: call.input)
      // What it wrote: the second finds the folder as the first did.
      for name in try folder.names where !before.contains(name) {
        try FileManager.default.removeItem(at: folder.file(name))
      }
      #expect(try Command.runInside(call.arguments, input: call.input) == process, "\(call.arguments)")
    }
  }

  @Test("leaves no file behind, and nothing in the streams of the process") func files() throws {
    let before = try folder.names
    let path = folder.path("graph.svg")
    #expect(try Command.runInside(["graph", small, "-o", path]).status == 0)
    #expect(try folder.names == (before + ["graph.svg"]).sorted())
  }
}
