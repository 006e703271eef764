import Foundation
public import OpTraceModel

/// Golden traces that tests of several modules read.
public enum GoldenTrace {
  /// An operation hands its work on from block to block; one block was cancelled, one dropped, one still waits.
  public static func dispatch() throws -> Trace { try read("good-dispatch") }

  /// An operation creates a task with two children, which sleeps and goes to an actor; one waits for a continuation at the end.
  public static func tasks() throws -> Trace { try read("good-tasks") }

  /// Tasks wait for actors before their first run, on their way and after a continuation, which tasks and a thread resume.
  public static func actors() throws -> Trace { try read("good-actors") }

  private static func read(_ name: String) throws -> Trace {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(
      contentsOf: tests.appendingPathComponent("OpTraceModelTests/Golden/\(name).txt"), encoding: .utf8)
    return TraceBuilder.build(try TraceText.parse(text))
  }
}
