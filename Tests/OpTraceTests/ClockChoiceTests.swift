import COpTrace
import Foundation
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

@testable import OpTrace

/// `Configuration.clock` on this machine, and on one whose counter does not run evenly.
@Suite struct ClockChoiceTests {
  /// The clock in the file's header, after two marks whose times must not decrease.
  private func clock(_ choice: TraceRecorder.Configuration.Clock, hasEvenCounter: Bool) throws -> Layout.Clock? {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file().path, configuration: .init(clock: choice)) {
      hasEvenCounter
    }
    recorder.mark("first")
    recorder.mark("second")
    try recorder.stop()
    let bytes = [UInt8](try Data(contentsOf: scratch.file()))
    let marks = try TraceReader.read(bytes: bytes).marks
    #expect(marks.map(\.name) == ["first", "second"] && marks[0].at.time >= 0 && marks[0].at.time <= marks[1].at.time)
    return bytes[Layout.Header.clock..<Layout.Header.clock + 4].withUnsafeBytes {
      Layout.Clock(rawValue: UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)))
    }
  }

  @Test func withoutAnEvenCounterTheMonotonicClockIsUsed() throws {
    #expect(try clock(.automatic, hasEvenCounter: false) == .monotonic)
    #expect(try clock(.monotonic, hasEvenCounter: false) == .monotonic)
  }

  @Test func forcingAnUnevenCounterIsAnError() throws {
    let scratch = try Scratch()
    let error = try #require(throws: TraceRecorderError.self) {
      try TraceRecorder(writingTo: scratch.file().path, configuration: .init(clock: .counter)) { false }
    }
    #expect(error.code == .noEvenCounter && error.errno == 0)
    #expect(
      error.description
        == "the trace '\(scratch.file().path)' cannot take its times from the processor's counter, which does not run "
        + "evenly on this machine: configure the clock as .automatic or .monotonic")
    #expect(!FileManager.default.fileExists(atPath: scratch.file().path), "nothing is begun")
  }

  @Test(.enabled(if: optrace_clock_has_counter())) func anEvenCounterIsUsed() throws {
    #expect(try clock(.automatic, hasEvenCounter: true) == .counter)
    #expect(try clock(.counter, hasEvenCounter: true) == .counter)
    #expect(try clock(.monotonic, hasEvenCounter: true) == .monotonic)
  }

  /// The public API checks this machine.
  @Test func thisMachineDecidesTheClock() throws {
    let scratch = try Scratch()
    let configuration = TraceRecorder.Configuration(clock: .counter)
    if optrace_clock_has_counter() {
      try TraceRecorder(writingTo: scratch.file(), configuration: configuration).stop()
    } else {
      #expect(throws: TraceRecorderError(.noEvenCounter, path: scratch.file().path)) {
        try TraceRecorder(writingTo: scratch.file(), configuration: configuration)
      }
    }
  }
}
