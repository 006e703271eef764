internal import COpTrace
internal import Foundation
internal import OpTraceFormat

extension TraceRecorder {
  /// The recorder of queues and operations that are given none. Nil: they record nothing.
  ///
  /// Before its first use the environment is read. With `OPTRACE_OUTPUT=run.optrace` (`%p` becomes the process id) the
  /// process records without a line of code. `OPTRACE_FLIGHT_RECORDER=16M` makes it a ring of that size,
  /// `OPTRACE_STACKS=off|waits|all` says which stacks are walked, `OPTRACE_DISPATCH=1` records blocks of dispatch
  /// queues, `OPTRACE_TASKS=1` tasks, `OPTRACE_ORDERS=1` orders of locks, `OPTRACE_CPU=1` operations' processor times,
  /// and `OPTRACE_MEMORY=1` samples allocations. Getting it costs one load.
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
    var asked = optrace_environment()
    guard optrace_environment_read(&asked), let path = asked.path else { return }
    defer { free(path) }
    if let pauses = asked.pauses, let why = optrace_pause(pauses) {
      complain(String(cString: why), result: "nothing pauses")
    }
    do {
      let recorder = try TraceRecorder(writingTo: RawPath.text(path), configuration: Configuration(asked))
      set(recorder)
      optrace_note_recording(recorder.path.asPath)
    } catch {
      complain("\(error)")
    }
  }()

  /// Whoever set the variable expects a trace: prints why there is none, and lets the program run.
  static func complain(_ why: String, result: String = "nothing is recorded") {
    optrace_complain(why.asPath, result)
  }

  /// `4096`, `512K`, `16M`, `1G`.
  package static func bytes(_ text: String) -> Int? {
    let bytes = optrace_bytes(text)
    return bytes == 0 ? nil : Int(clamping: bytes)
  }
}

extension TraceRecorder.Configuration {
  /// As the environment asks for it.
  fileprivate init(_ asked: optrace_environment) {
    self.init(
      mode: asked.recorder.is_ring ? .flightRecorder(capacity: Int(clamping: asked.recorder.capacity)) : .streaming,
      stacks: Stacks.allCases.first { $0.coreValue == asked.recorder.stacks } ?? .waits,
      recordsDispatch: asked.dispatch, recordsTasks: asked.tasks, recordsOrders: asked.orders,
      recordsCPUTime: asked.recorder.cpu, profile: Profile(asked.recorder.profile),
      memory: asked.memory == 0 ? nil : Int(clamping: asked.memory))
  }
}

extension RawPath {
  /// Of a path as the system has it, with a zero at its end.
  static func text(_ path: UnsafePointer<CChar>) -> String {
    text(UnsafeRawBufferPointer(start: path, count: strlen(path)))
  }
}
