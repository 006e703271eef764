package import Foundation
package import OpTrace

extension Scenario {
  /// What the program prints first, before the place of its trace (see ``ScenarioProcess``).
  static let tracePrefix = "trace: "

  /// Runs the program as the only purpose of this process, and ends the process. Prints where the trace is, and then what
  /// the program prints, a line at a time. Does not outlive the process that started it, so that nothing hangs on.
  ///
  /// - Throws: `TraceRecorderError` when the trace cannot be written.
  package func runAsProcess(recordingTo url: URL, settings: ScenarioSettings) throws(TraceRecorderError) -> Never {
    // It may be meant to crash: nobody wants to find its memory on the disk.
    var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(Self.coreSize, &noCore)
    Self.endWithParent()
    ProcessInfo.processInfo.processName = name
    _ = try run(recordingTo: url, settings: settings) {
      Self.print(Self.tracePrefix + $0.path)
    } say: {
      Self.print($0)
    }
    exit(0)
  }

  /// At once, in one piece and from any thread: a program that hangs prints nothing any more.
  private static func print(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
  }

  private static func endWithParent() {
    let parent = getppid()
    Thread.startNamed("watches parent") {
      while getppid() == parent { Thread.sleep(forTimeInterval: 0.5) }
      _exit(1)
    }
  }

  #if canImport(Glibc)
    private static let coreSize = __rlimit_resource_t(RLIMIT_CORE.rawValue)
  #else
    private static let coreSize = RLIMIT_CORE
  #endif
}
