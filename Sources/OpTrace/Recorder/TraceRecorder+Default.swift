internal import COpTrace
internal import Foundation
internal import OpTraceFormat

extension TraceRecorder {
  /// The recorder of queues and operations that are given none. Nil: they record nothing.
  ///
  /// Before its first use the environment is read. With `OPTRACE_OUTPUT=run.optrace` (`%p` becomes the process id) the
  /// process records without a line of code. `OPTRACE_FLIGHT_RECORDER=16M` makes it a ring of that size,
  /// `OPTRACE_STACKS=off|waits|all` says which stacks are walked, `OPTRACE_DISPATCH=1` records blocks of dispatch
  /// queues, `OPTRACE_TASKS=1` tasks, and `OPTRACE_CPU=1` operations' processor times. Getting it costs one load.
  public static var `default`: TraceRecorder? {
    get {
      _ = environment
      return optrace_default().map { Unmanaged<TraceRecorder>.fromOpaque($0).takeUnretainedValue() }
    }
    set {
      _ = environment
      set(newValue)
    }
  }

  /// The recorder that is used where none is named: the default one, or else the one that records the whole process.
  static var fallback: TraceRecorder? { optrace_nobody_records() ? nil : Self.default ?? watcher }

  private static func set(_ recorder: TraceRecorder?) {
    // Kept for good: a thread that has just read it may still use it. A process has few of them.
    optrace_set_default(recorder.map { Unmanaged.passRetained($0).toOpaque() })
  }

  /// Read once, before the default is first used.
  private static let environment: Void = {
    defer { optrace_default_is_none() }
    let variables = ProcessInfo.processInfo.environment
    // A path need not be valid text.
    let output = getenv("OPTRACE_OUTPUT").map { RawPath.text(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    guard let pattern = output, !pattern.isEmpty else {
      if variables["OPTRACE_FLIGHT_RECORDER"]?.isEmpty == false {
        complain("OPTRACE_FLIGHT_RECORDER needs OPTRACE_OUTPUT")
      }
      return
    }
    let path = (RecordRequest.current?.path(for: pattern) ?? pattern)
      .replacingOccurrences(of: "%p", with: String(ProcessInfo.processInfo.processIdentifier))
    var configuration = Configuration()
    if let text = variables["OPTRACE_FLIGHT_RECORDER"], !text.isEmpty {
      guard let size = bytes(text) else {
        return complain("OPTRACE_FLIGHT_RECORDER='\(text)' is not a size such as 512K, 16M or 1G")
      }
      configuration.mode = .flightRecorder(capacity: size)
    }
    if let text = variables["OPTRACE_STACKS"], !text.isEmpty {
      guard let stacks = Configuration.Stacks(rawValue: text) else {
        return complain("OPTRACE_STACKS='\(text)' is not off, waits or all")
      }
      configuration.stacks = stacks
    }
    if let wish = variables["OPTRACE_DISPATCH"], !wish.isEmpty { configuration.recordsDispatch = wish != "0" }
    if let wish = variables["OPTRACE_CPU"], !wish.isEmpty { configuration.recordsCPUTime = wish != "0" }
    if let wish = variables["OPTRACE_TASKS"], !wish.isEmpty { configuration.recordsTasks = wish != "0" }
    do {
      let recorder = try TraceRecorder(writingTo: TracePath.absolute(path), configuration: configuration)
      set(recorder)
      RecordRequest.current?.note(recordingTo: recorder.path)
    } catch {
      complain("\(error)")
    }
  }()

  /// Whoever set the variable expects a trace: prints why there is none, and lets the program run.
  static func complain(_ why: String, result: String = "nothing is recorded") {
    RecordRequest.current?.note(failure: why)
    // Not through `FileHandle`, which traps if standard error is closed.
    let bytes = Array("optrace: \(why); \(result)\n".utf8)
    optrace_say(bytes, bytes.count)
  }

  /// `4096`, `512K`, `16M`, `1G`.
  package static func bytes(_ text: String) -> Int? {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    var digits = text.uppercased()
    if digits.last == "B" { digits.removeLast() }
    let unit = digits.last.flatMap { units[$0] }
    if unit != nil { digits.removeLast() }
    guard let number = Int(digits), number > 0 else { return nil }
    let (result, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
    return overflow ? nil : result
  }
}
