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

  /// Whether operations of other classes that this recorder meets can be followed.
  static func isInUse(by core: OpaquePointer) -> Bool {
    let use = optrace_recorder_hooks(core)
    if use != optrace_hooks_unasked { return use == optrace_hooks_used }
    defer { settle() }
    return install(for: core) == nil
  }

  /// What the core has to know of a class that the hooks tell. Ours with the program's own `isReady`, or `start()` and
  /// `isFinished`, are recorded by the hooks, which are installed for them.
  static func facts(of type: AnyClass, isOurs: Bool, in core: OpaquePointer) -> UInt32 {
    let (readies, runs) = (UInt32(optrace_class_readies_itself), UInt32(optrace_class_run_is_hooked))
    var facts = known(of: type)
    guard isOurs else { return facts }
    facts = facts & ~UInt32(optrace_class_runs_itself | optrace_class_answers_itself) | UInt32(optrace_class_is_ours)
    guard facts & (readies | runs) != 0 else { return facts }
    // Evaluated again if the hooks were installed for it: now this class has them, too.
    let isHooked = isInUse(by: core) && known(of: type) & (readies | runs) != 0
    if isHooked, facts & readies != 0 { facts |= UInt32(optrace_class_ready_is_hooked) }
    if !isHooked, facts & runs != 0 { facts = facts & ~runs | UInt32(optrace_class_run_is_unseen) }
    return facts
  }

  private static func known(of type: AnyClass) -> UInt32 {
    lock.withLock { optrace_hooks_class_facts(unsafeBitCast(type, to: UnsafeRawPointer.self)) }
  }

  /// Records everything that nobody has introduced, to `recorder`, until it is stopped.
  ///
  /// - Parameter fromOutside: the program does not know of it. If it asks for the same itself, it is not refused: its trace
  ///   is the one it would have alone, and the process is in the trace of the first recorder.
  static func watchEverything(for recorder: TraceRecorder, fromOutside: Bool) throws(TraceRecorderError) {
    defer { settle() }
    if let why = missing ?? install(for: recorder.core) {
      throw TraceRecorderError(.cannotInstrument(why), path: recorder.path)
    }
    lock.lock()
    defer { lock.unlock() }
    guard optrace_hooks_watcher() == nil else {
      if isFromOutside { return }
      throw TraceRecorderError(.alreadyInstrumented, path: recorder.path)
    }
    // Kept for good: a thread that has just read it may still use it. A process has few of them.
    optrace_hooks_watch(Unmanaged.passRetained(recorder).toOpaque(), recorder.core)
    isFromOutside = fromOutside
  }

  /// Why there are no hooks on this system; nil: there are. Only what traced queues get is followed then.
  private static var missing: String? {
    #if canImport(Darwin)
      "only Linux has hooks"
    #else
      nil
    #endif
  }

  /// Records blocks of dispatch queues to `recorder`, until it is stopped or another one asks. Nil, or the reason why
  /// they cannot be recorded.
  static func recordDispatch(for recorder: TraceRecorder) -> String? {
    if let why = missing ?? install(for: recorder.core) { return why }
    return lock.withLock { optrace_record_dispatch(recorder.core).map { String(cString: $0) } }
  }

  /// Records tasks to `recorder`, until it is stopped or another one asks. Nil, or the reason why they cannot be
  /// recorded.
  static func recordTasks(for recorder: TraceRecorder) -> String? {
    if let why = missing ?? install(for: recorder.core) { return why }
    return lock.withLock { optrace_record_tasks(recorder.core).map { String(cString: $0) } }
  }

  static func recordOrders(for recorder: TraceRecorder) -> String? {
    if let why = missing ?? install(for: recorder.core) { return why }
    return lock.withLock { optrace_record_orders(recorder.core).map { String(cString: $0) } }
  }

  /// Samples allocations for `recorder`, until it is stopped. Nil, or the reason why they cannot be sampled.
  static func recordMemory(for recorder: TraceRecorder, every interval: Int) -> String? {
    if let why = missing ?? install(for: recorder.core) { return why }
    return lock.withLock {
      optrace_record_memory(recorder.core, UInt64(max(1, interval))).map { String(cString: $0) }
    }
  }

  /// Gives back the memory of the program's symbols, which were read if Swift's libraries are linked into it, and says what
  /// of these could not be hooked, and which layouts are not the known ones.
  static func settle() {
    lock.withLock {
      optrace_hooks_begun()
      while let leftOut = optrace_layouts_left_out(saidLayouts) {
        saidLayouts += 1
        TraceRecorder.complain(String(cString: leftOut), result: "the rest is recorded")
      }
      guard !hasSaidLeftOut, let leftOut = optrace_hooks_left_out() else { return }
      hasSaidLeftOut = true
      TraceRecorder.complain(String(cString: leftOut), result: "the rest is recorded")
    }
  }
  /// Only touched under `lock`.
  nonisolated(unsafe) private static var hasSaidLeftOut = false
  /// How many layouts were said. Only touched under `lock`.
  nonisolated(unsafe) private static var saidLayouts: UInt32 = 0

  static func stop(using core: OpaquePointer) {
    lock.withLock {
      guard users.remove(core) != nil else { return }
      optrace_recorder_set_hooks(core, UInt32(optrace_hooks_unavailable))
      if let watcher = optrace_hooks_watcher(), TraceRecorder.watching(watcher).core == core {
        optrace_hooks_watch(nil, nil)
        isFromOutside = false
      }
      if users.isEmpty { optrace_hooks_remove() }
    }
  }

  /// Nil, or the reason why it cannot be done.
  private static func install(for core: OpaquePointer) -> String? {
    lock.withLock {
      guard optrace_recorder_is_recording(core) else { return "the recorder was stopped" }
      if users.contains(core) { return nil }
      // On Darwin operations are observed: nothing has to be installed.
      #if !canImport(Darwin)
        if let why = optrace_hooks_install() {
          optrace_recorder_set_hooks(core, UInt32(optrace_hooks_unavailable))
          return String(cString: why)
        }
      #endif
      users.insert(core)
      optrace_recorder_set_hooks(core, UInt32(optrace_hooks_used))
      return nil
    }
  }
}

extension TraceRecorder {
  /// The recorder of what nobody has introduced.
  static var watcher: TraceRecorder? {
    optrace_hooks_watcher().map(watching).flatMap { $0.isRecording ? $0 : nil }
  }

  fileprivate static func watching(_ pointer: UnsafeMutableRawPointer) -> TraceRecorder {
    Unmanaged<TraceRecorder>.fromOpaque(pointer).takeUnretainedValue()
  }
}
