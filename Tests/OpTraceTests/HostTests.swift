import Foundation
import OpTrace
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

/// The recorder does not harm its program if resources are missing. In each situation the same program runs
/// with and without a recorder, and must print the same and end with the same status.
@Suite(.ownThread) struct HostTests {
  /// The result for the trace.
  enum Outcome {
    /// The trace is complete.
    case complete
    /// Some records are missing, and are counted under this reason.
    case lossCounted(LossReason)
    /// Part of the file is missing, the reader reports it, and recording has ended.
    case cut
    /// There is no file. If it could not be created, standard error says so.
    case none
  }

  static let situations: [(String, Outcome)] = [
    ("nothing", .complete), ("descriptors-start", .none), ("descriptors-growth", .complete),
    ("file-size-start", .none), ("file-size-growth", .lossCounted(.noSpace)), ("addresses-start", .complete),
    ("addresses-later", .complete), ("addresses-growth", .lossCounted(.noSpace)), ("other-user", .none),
    ("deleted", .none), ("shrunk-to-nothing", .none), ("shrunk-to-half", .cut), ("threads", .complete),
    ("fork", .complete),
  ]

  @Test(arguments: situations) func programIsNotHarmed(_ situation: String, _ outcome: Outcome) throws {
    let scratch = try Scratch()
    // Let other users enter the folder.
    chmod(scratch.folder.path, 0o755)
    try compare(situation, outcome, in: scratch.folder)
  }

  @Test(.enabled(if: SmallDisk.isPossible, "mounting a small file system needs root"))
  func programOnAFullDiskIsNotHarmed() throws {
    let disk = try SmallDisk(kilobytes: 512)
    defer { disk.remove() }
    try compare("nothing", .lossCounted(.noSpace), in: disk.folder)
  }

  private func compare(_ situation: String, _ outcome: Outcome, in folder: URL) throws {
    let file = folder.appendingPathComponent("run.optrace")
    // Otherwise threads reserve varying amounts of address space for their memory.
    var environment = ["MALLOC_ARENA_MAX": "1"]
    let plain = try Program.run(["host", file.path, situation], environment: environment)
    #expect(plain.status == 5 && plain.output.hasSuffix("last 80200\n"), "\(plain)")
    environment["OPTRACE_OUTPUT"] = file.path
    let recorded = try Program.run(["host", file.path, situation], environment: environment)
    #expect(recorded.output == plain.output)
    #expect(recorded.status == plain.status)

    if case .none = outcome {
      #expect(throws: TraceError.self) { try TraceReader.read(path: file.path) }
      return
    }
    let events = try TraceReader.events(path: file.path)
    let trace = try TraceReader.read(path: file.path)
    switch outcome {
    case .complete:
      #expect(trace.loss == LossReport() && trace.header.isClosed)
      #expect(TraceValidator.check(events).prefix(3).map(\.description) == [])
      for name in ["first", "last"] {
        let finished = trace.operations.filter { $0.name?.hasPrefix("\(name) ") == true && $0.finished != nil }
        #expect(finished.count == 400)
      }
      #expect(!trace.marks.contains { $0.name == "in a child" })
    case .lossCounted(let reason):
      #expect(trace.loss.damage == [] && trace.header.isClosed)
      #expect(Array(trace.loss.lost.keys) == [reason])
      // All earlier records are there.
      #expect(trace.operations.filter { $0.name?.hasPrefix("first ") == true && $0.finished != nil }.count == 400)
    case .cut:
      #expect(!trace.header.isClosed && trace.marks.count > 10_000)
      #expect(TraceValidator.check(events).prefix(3).map(\.description) == [])
    case .none: break
    }
  }
}
