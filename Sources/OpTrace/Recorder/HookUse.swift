internal import COpTrace
internal import Foundation

/// Which recorders use the hooks of this process (`COpTraceHooks.h`). What the hooks do is in the folders above.
///
/// They are installed for the first recorder that needs them (a traced queue is given an operation that is not ours;
/// ``TraceRecorder/instrumentProcess()``), and removed when the last of these is stopped. `begin/begin.c` has one recorder,
/// which uses them from beginning to end.
enum HookUse {
  private static let lock = Lock()
  /// Only touched under `lock`.
  nonisolated(unsafe) private static var users = Set<OpaquePointer>()
  /// Whether everything is watched because the process was started that way, not because the program asked for it. Only
  /// touched under `lock`.
  nonisolated(unsafe) private static var isFromOutside = false
  /// Ends the watching of everything, besides the hooks. Only touched under `lock`.
  nonisolated(unsafe) private static var endWatching: @Sendable () -> Void = {}

  /// Whether operations of other classes that this recorder meets can be followed.
  static func isInUse(by recorder: TraceRecorder) -> Bool {
    let use = optrace_recorder_hooks(recorder.core)
    if use != optrace_hooks_unasked { return use == optrace_hooks_used }
    defer { settle() }
    return install(for: recorder) == nil
  }

  /// Whether it is known that nobody has used an operation yet.
  static var knowsUnused: Bool {
    #if canImport(Darwin)
      false
    #else
      true
    #endif
  }

  /// Whether the class has its own `isReady`: neither Foundation's nor ours. False also if that is not known.
  static func overridesReady(_ type: AnyClass) -> Bool {
    lock.withLock { optrace_class_readies_itself(unsafeBitCast(type, to: UnsafeRawPointer.self)) }
  }

  /// Whether the class has its own `isExecuting`: neither Foundation's nor ours. False also if that is not known.
  static func overridesExecuting(_ type: AnyClass) -> Bool {
    lock.withLock { optrace_class_executes_itself(unsafeBitCast(type, to: UnsafeRawPointer.self)) }
  }

  /// Whether the class is one of ours, with its own `start()` and `isFinished`. False also if that is not known.
  static func runsAlone(_ type: AnyClass) -> Bool {
    lock.withLock { optrace_class_runs_alone(unsafeBitCast(type, to: UnsafeRawPointer.self)) }
  }

  /// Records everything that nobody has introduced, to `recorder`, until it is stopped.
  ///
  /// - Parameters:
  ///   - fromOutside: the program does not know of it. If it asks for the same itself, it is not refused: its trace is the
  ///     one it would have alone, and the process is in the trace of the first recorder.
  ///   - begin: does what is needed besides the hooks. Nil, or the reason why it cannot be done; then nothing is changed.
  ///   - end: undoes it.
  static func watchEverything(
    for recorder: TraceRecorder, fromOutside: Bool, begin: () -> String? = { nil },
    end: @escaping @Sendable () -> Void = {}
  ) throws(TraceRecorderError) {
    defer { settle() }
    if let why = install(for: recorder) {
      throw TraceRecorderError(.cannotInstrument(why), path: recorder.path)
    }
    lock.lock()
    defer { lock.unlock() }
    guard optrace_hooks_watcher() == nil else {
      if isFromOutside { return }
      throw TraceRecorderError(.alreadyInstrumented, path: recorder.path)
    }
    if let why = begin() { throw TraceRecorderError(.cannotInstrument(why), path: recorder.path) }
    endWatching = end
    // Kept for good: a thread that has just read it may still use it. A process has few of them.
    optrace_hooks_watch(Unmanaged.passRetained(recorder).toOpaque(), recorder.core)
    isFromOutside = fromOutside
  }

  /// Records blocks of dispatch queues to `recorder`, until it is stopped or another one asks. Nil, or the reason why
  /// they cannot be recorded.
  static func recordDispatch(for recorder: TraceRecorder) -> String? {
    #if canImport(Darwin)
      return "this system has no hooks"
    #else
      if let why = install(for: recorder) { return why }
      return lock.withLock { optrace_record_dispatch(recorder.core).map { String(cString: $0) } }
    #endif
  }

  /// Records tasks to `recorder`, until it is stopped or another one asks. Nil, or the reason why they cannot be
  /// recorded.
  static func recordTasks(for recorder: TraceRecorder) -> String? {
    #if canImport(Darwin)
      return "this system has no hooks"
    #else
      if let why = install(for: recorder) { return why }
      return lock.withLock { optrace_record_tasks(recorder.core).map { String(cString: $0) } }
    #endif
  }

  /// Gives back the memory of the program's symbols, which were read if Swift's libraries are linked into it, and says what
  /// of these could not be hooked.
  static func settle() {
    lock.withLock {
      optrace_hooks_begun()
      guard !hasSaidLeftOut, let leftOut = optrace_hooks_left_out() else { return }
      hasSaidLeftOut = true
      TraceRecorder.complain(String(cString: leftOut), result: "the rest is recorded")
    }
  }
  /// Only touched under `lock`.
  nonisolated(unsafe) private static var hasSaidLeftOut = false

  static func stop(using core: OpaquePointer) {
    lock.withLock {
      guard users.remove(core) != nil else { return }
      optrace_recorder_set_hooks(core, UInt32(optrace_hooks_unavailable))
      if let watcher = optrace_hooks_watcher(), TraceRecorder.watching(watcher).core == core {
        optrace_hooks_watch(nil, nil)
        isFromOutside = false
        endWatching()
        endWatching = {}
      }
      if users.isEmpty { optrace_hooks_remove() }
    }
  }

  /// Nil, or the reason why it cannot be done.
  private static func install(for recorder: TraceRecorder) -> String? {
    lock.withLock {
      guard recorder.isRecording else { return "the recorder was stopped" }
      if users.contains(recorder.core) { return nil }
      // On Darwin operations are observed: nothing has to be installed.
      #if !canImport(Darwin)
        if let why = optrace_hooks_install() {
          optrace_recorder_set_hooks(recorder.core, UInt32(optrace_hooks_unavailable))
          return String(cString: why)
        }
      #endif
      users.insert(recorder.core)
      optrace_recorder_set_hooks(recorder.core, UInt32(optrace_hooks_used))
      return nil
    }
  }
}

extension TraceRecorder {
  /// The recorder of what nobody has introduced.
  static var watcher: TraceRecorder? {
    optrace_hooks_watcher().map(watching).flatMap { $0.isRecording ? $0 : nil }
  }

  var watchesEverything: Bool { optrace_hooks_watcher() == Unmanaged.passUnretained(self).toOpaque() }

  fileprivate static func watching(_ pointer: UnsafeMutableRawPointer) -> TraceRecorder {
    Unmanaged<TraceRecorder>.fromOpaque(pointer).takeUnretainedValue()
  }
}
