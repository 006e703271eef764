internal import Foundation
internal import OpTrace

/// What a scenario's body is given.
struct ScenarioRun: Sendable {
  let recorder: TraceRecorder
  let settings: ScenarioSettings
  let output: @Sendable (String) -> Void

  /// Whether a broken program is to run without its fault.
  var isFixed: Bool { settings.isFixed }

  /// Prints a line, and marks the moment in the trace.
  func say(_ line: String, in operation: Operation? = nil) {
    recorder.mark(line, in: operation)
    output(line)
  }

  /// Seconds at the pace of this run.
  func paced(_ seconds: TimeInterval) -> TimeInterval { seconds * settings.pace }

  /// Holds this thread for a while.
  func pause(_ seconds: TimeInterval) { Thread.sleep(forTimeInterval: paced(seconds)) }

  /// Operations that are started by hand record to the default recorder: this one, while `body` runs.
  func asDefault(_ body: () -> Void) {
    Self.defaultLock.withLock {
      let previous = TraceRecorder.default
      TraceRecorder.default = recorder
      body()
      TraceRecorder.default = previous
    }
  }

  private static let defaultLock = NSLock()

  /// Keeps what is stuck until the process ends: Foundation on Linux crashes when an operation is released before the
  /// operations that it waits for.
  func keepForever(_ objects: [AnyObject]) {
    for object in objects { _ = Unmanaged.passRetained(object) }
  }
}
