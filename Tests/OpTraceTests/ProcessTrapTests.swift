import CRecorderInside
import Foundation
import OpTrace
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

/// The trace and the program if the program does not end normally.
@Suite(.ownThread) struct ProcessTrapTests {
  @Test func killedProcessLeavesEveryCommittedEvent() throws {
    for round in 0..<5 {
      let scratch = try Scratch()
      let program = try Program.start(["kill", scratch.file().path])
      var done = 0
      for _ in 0...(round * 3) {
        let line = try #require(program.line())
        done = try #require(Int(line.dropFirst(5)))
      }
      program.kill()
      let trace = try TraceReader.read(path: scratch.file().path)
      #expect(!trace.header.isClosed)
      #expect(trace.loss.damage == [] && trace.loss.lostCount == 0)
      #expect(trace.operations.filter { $0.finished != nil }.count >= done)
    }
  }

  /// `make reliability` runs a thousand of each kind. The program prints its seed.
  @Test func eventsCountedBeforeTheEndAreInTheTrace() throws {
    try checkKills(["20"], ways: 4)
  }

  /// And of processes that have filled their ring: everything of their last second.
  @Test func newestEventsAreInTheRingOfAKilledProcess() throws {
    try checkKills(["8", "--ring", "4"], ways: 5)
  }

  private func checkKills(_ arguments: [String], ways: Int) throws {
    let result = try Program.run(arguments, of: "KillBenchmark", errorsToOutput: true)
    #expect(result.status == 0, "\(result.output)")
    let lines = result.output.split(separator: "\n").filter { !$0.hasPrefix("seed") && !$0.hasPrefix("ended") }
    #expect(lines.count == ways, "\(result.output)")
    for line in lines {
      let numbers = line.split(separator: " ").compactMap { Int($0) }
      #expect(numbers.count == 7 && numbers.first.map(String.init) == arguments[0], "\(line)")
      #expect(numbers[1] > 0 && numbers[2] > 0, "\(line)")
      #expect(numbers.suffix(4) == [0, 0, 0, 0], "\(line)")
    }
  }

  @Test func hangingProcessHasAReadableTraceWhoseEndMoves() throws {
    let scratch = try Scratch()
    let program = try Program.start(["hang", scratch.file().path])
    #expect(program.line() == "hanging")
    let first = try TraceReader.read(path: scratch.file().path)
    #expect(try first.operation(named: "holder").state == .executing)
    #expect(try first.operation(named: "waiter").state == .ready)
    #expect(!first.header.isClosed && first.loss.damage == [])
    // There are no more events, but the trace's end still moves, because the recorder is alive.
    var later = first
    try eventually("the trace's end moves", whileRunning: program) {
      later = try TraceReader.read(path: scratch.file().path)
      return later.end > first.end
    }
    #expect(later.eventCount == first.eventCount)
    program.kill()
  }

  @Test func forkedChildRecordsNothing() throws {
    let scratch = try Scratch()
    let result = try Program.run(["fork", scratch.file().path])
    // The child's exit status is 7, as without recording.
    #expect(result.output == "child \(7 << 8) parent true\n" && result.status == 0)
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.operations.map(\.name) == ["before", "after"])
    #expect(trace.marks == [] && trace.header.isClosed && trace.loss.isComplete)
  }

  /// For each way in which the system can provide this.
  @Test func pagesAreEmptyInAForkedChild() { #expect(test_child_finds_pages_empty()) }

  @Test func execWithTheSamePathGetsANewName() throws {
    let scratch = try Scratch()
    let result = try Program.run(["exec", scratch.file().path])
    #expect(result.output == "run-2.optrace\n")
    let first = try TraceReader.read(path: scratch.file().path)
    let second = try TraceReader.read(path: scratch.file("run-2.optrace").path)
    #expect(first.operations.map(\.name) == ["first image"] && second.operations.map(\.name) == ["first image"])
    #expect(!first.header.isClosed && second.header.isClosed)
  }

  @Test func fileSizeLimitOfTheProcessIsLossAndNoSignal() throws {
    let scratch = try Scratch()
    let result = try Program.run(["file-size-limit", scratch.file().path])
    #expect(result.output == "lost true\n" && result.status == 0)
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.loss.damage == [])
    #expect((trace.loss.lost[.noSpace] ?? 0) > 0)
    #expect(trace.operations.count > 500)
  }

  @Test func recorderLeavesLittleAddressSpaceToTheProgram() throws {
    let scratch = try Scratch()
    let result = try Program.run(["address-limit", scratch.file().path])
    #expect(result.output == "before true after true lost 0\n" && result.status == 0)
    #expect(try TraceReader.read(path: scratch.file().path).operations.count == 200)
  }

  @Test func truncatedFileEndsTheRecordingButNotTheProgram() throws {
    let scratch = try Scratch()
    let result = try Program.run(["cut-file", scratch.file().path])
    #expect(result.output == "recording false\nstop failed\n" && result.status == 0)
  }

  @Test func recorderLeavesOtherBusErrorsToTheProgram() throws {
    let scratch = try Scratch()
    let handled = try Program.run(["bus-error", scratch.file().path, "handled"])
    #expect(handled.output == "" && handled.status == 9)
    let plain = try Program.run(
      ["bus-error", scratch.file("plain.optrace").path], environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(plain.output == "" && plain.status == 128 + SIGBUS)
  }

  @Test(.enabled(if: SmallDisk.isPossible, "mounting a small file system needs root"))
  func fullDiskIsLossAndNoSignal() throws {
    let disk = try SmallDisk(kilobytes: 256)
    defer { disk.remove() }
    let result = try Program.run(["work", disk.folder.appendingPathComponent("run.optrace").path])
    #expect(result.output == "stopped lost true\n" && result.status == 0)
    let trace = try TraceReader.read(path: disk.folder.appendingPathComponent("run.optrace").path)
    #expect(trace.loss.damage == [] && (trace.loss.lost[.noSpace] ?? 0) > 0 && trace.operations.count > 200)
  }

  @Test(.enabled(if: SmallDisk.isPossible, "mounting a small file system needs root"))
  func diskThatIsFullFromTheStartIsAnError() throws {
    let disk = try SmallDisk(kilobytes: 64)
    defer { disk.remove() }
    let path = disk.folder.appendingPathComponent("run.optrace").path
    try Data(count: 60 * 1024).write(to: disk.folder.appendingPathComponent("filler"))
    let result = try Program.run(["work", path])
    #expect(
      result.output
        == "error: cannot reserve space for the trace '\(path)': No space left on device\n")
    #expect(result.status == 3 && !FileManager.default.fileExists(atPath: path))
  }

  @Test(.enabled(if: SmallDisk.isPossible, "mounting a small file system needs root"))
  func recordingGoesOnWhenThereIsSpaceAgain() throws {
    final class LateClass: TracedOperation, @unchecked Sendable {}
    let disk = try SmallDisk(kilobytes: 512)
    defer { disk.remove() }
    let filler = disk.folder.appendingPathComponent("filler")
    try Data(count: 256 * 1024).write(to: filler)
    let url = disk.folder.appendingPathComponent("run.optrace")
    let recorder = try TraceRecorder(writingTo: url)
    let queue = TracedOperationQueue(name: "q", recorder: recorder)
    for _ in 0..<1_000_000 where recorder.lostRecordCount == 0 { recorder.mark("before") }
    #expect(recorder.lostRecordCount > 0)
    // A class that is met while there is no space for its name …
    queue.addOperations([LateClass()], waitUntilFinished: true)
    try FileManager.default.removeItem(at: filler)
    try eventually("nothing more is lost") {
      let lost = recorder.lostRecordCount
      usleep(20_000)
      recorder.mark("after")
      return recorder.lostRecordCount == lost
    }
    // … gets its name when there is space.
    queue.addOperations([LateClass()], waitUntilFinished: true)
    try recorder.stop()
    let trace = try TraceReader.read(path: url.path)
    #expect(trace.loss.damage == [])
    #expect(trace.marks.last?.name == "after")
    #expect(trace.operations.last?.className == "LateClass")
    // The gap is between the last mark before it and the first mark after it.
    let before = try #require(trace.marks.last { $0.name == "before" }).at
    let gap = try #require(trace.loss.gaps.first { $0.thread == before.thread })
    #expect(gap.reason == .noSpace && gap.from == before.time && gap.to > gap.from)
    // A thread that records nothing more has lost records but no gap.
    let told = trace.loss.gaps.map(\.count).reduce(0, +)
    #expect(told >= gap.count && told <= trace.loss.lostCount && gap.count > 0, "\(trace.loss)")
  }

  @Test func environmentStartsAndExitStops() throws {
    let scratch = try Scratch()
    let pattern = scratch.folder.appendingPathComponent("trace-%p.optrace").path
    let program = try Program.start(["environment", "-"], environment: ["OPTRACE_OUTPUT": pattern])
    #expect(program.line() == "recording true")
    program.end()
    let path = pattern.replacingOccurrences(of: "%p", with: String(program.processID))
    let trace = try TraceReader.read(path: path)
    #expect(trace.header.isClosed && trace.operations.count == 10)
    #expect(trace.header.processID == UInt32(program.processID))
    #expect(trace.header.processName == "RecorderTestProgram")
  }

  @Test func ringWithoutAFileIsReported() throws {
    let result = try RunningProgram.run(
      Built.program(Program.name), ["environment", "-"], environment: ["OPTRACE_FLIGHT_RECORDER": "16M"])
    #expect(result.errors == "optrace: OPTRACE_FLIGHT_RECORDER needs OPTRACE_OUTPUT; nothing is recorded\n")
  }

  @Test func recordersAreStoppedAtTheExit() throws {
    let scratch = try Scratch()
    #expect(try Program.run(["forgotten", scratch.file().path]).status == 0)
    let traces = try ["run.optrace", "run-2.optrace"].map { try TraceReader.read(path: scratch.file($0).path) }
    #expect(traces.map(\.header.isClosed) == [true, true])
    #expect(traces[1].operations.filter { $0.finished != nil }.count == 10)
  }

  @Test func invalidEnvironmentDoesNotStopTheProgram() throws {
    let result = try Program.run(["environment", "-"], environment: ["OPTRACE_OUTPUT": "/nowhere/at/all.optrace"])
    #expect(result.output == "recording false\n" && result.status == 0)
  }
}

/// A file system of a few kilobytes.
struct SmallDisk {
  let folder: URL

  static let isPossible: Bool = {
    guard geteuid() == 0, let disk = try? SmallDisk(kilobytes: 64) else { return false }
    disk.remove()
    return true
  }()

  init(kilobytes: Int) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("small-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    guard mount("tmpfs", folder.path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else {
      try? FileManager.default.removeItem(at: folder)
      throw POSIXError(.EPERM)
    }
  }

  func remove() {
    umount(folder.path)
    try? FileManager.default.removeItem(at: folder)
  }
}
