internal import COpTrace
public import Foundation
internal import OpTraceFormat

/// Owns one trace file and writes what happens to operations and queues into it.
///
/// ```swift
/// let recorder = try TraceRecorder(writingTo: URL(fileURLWithPath: "run.optrace"))
/// let queue = TracedOperationQueue(name: "network", maxConcurrentOperationCount: 4, recorder: recorder)
/// …
/// try recorder.stop()
/// ```
///
/// Recording never harms the program: a full disk, an unwritable file or a forked child lead to counted loss, not to a
/// trap. Every event is in the file from the moment it happened, even if the process is killed.
///
/// Sendable: the only mutable state is behind `COpTrace`'s atomics and locks; the stored properties are constants.
public final class TraceRecorder: @unchecked Sendable {
  /// Where the trace is written. May differ from the requested URL: see ``init(writingTo:configuration:)``.
  public var url: URL { URL(fileURLWithPath: path) }
  /// The same as a path. The recorder itself does not use URLs: their layout differs between versions of Foundation,
  /// and a recorded program may have another version than the recorder was built with.
  let path: String
  /// As requested: a capacity below the minimum is raised in the file only.
  public let configuration: Configuration

  /// Lives as long as the process, so that a late event finds a stopped recorder and not freed memory.
  let core: OpaquePointer
  /// Makes the ids of spans.
  let spanSeed = SpanIDs.Seed()

  /// Opens a new trace file and starts recording.
  ///
  /// An existing trace is replaced by a new file if its writer is done. While another recorder still writes it (a
  /// second recorder of this process, or a program that this one started by `exec`), a number is added to the new
  /// file's name; see ``url``. Only its user can read the file.
  ///
  /// - Throws: ``TraceRecorderError`` if the file can't be created, an existing file is no trace, or no space can be
  ///   reserved for it; and if the counter is required and does not run evenly (``Configuration/Clock/counter``).
  public convenience init(writingTo url: URL, configuration: Configuration = .init()) throws(TraceRecorderError) {
    try self.init(writingTo: url.path, configuration: configuration, hasEvenCounter: optrace_clock_has_counter)
  }

  /// - Parameter hasEvenCounter: not evaluated if the monotonic clock is wanted, because the first evaluation takes 0.2
  ///   ms.
  init(
    writingTo path: String, configuration: Configuration,
    hasEvenCounter: () -> Bool = optrace_clock_has_counter
  ) throws(TraceRecorderError) {
    optrace_describe_compiled()
    guard let usesCounter = configuration.clock.usesCounter(where: hasEvenCounter) else {
      throw TraceRecorderError(.noEvenCounter, path: path)
    }
    let begun = configuration.begin(at: path, usesCounter: usesCounter)
    defer { free(begun.path) }
    let file = begun.path.map { RawPath.text($0) } ?? path
    guard let core = begun.recorder else {
      throw TraceRecorderError(.init(begun.result), path: file, errno: begun.error)
    }
    #if os(iOS)
      // A mapped file must stay writable while the device is locked.
      try? FileManager.default.setAttributes([.protectionKey: FileProtectionType.none], ofItemAtPath: file)
    #endif
    self.path = file
    self.configuration = configuration
    self.core = core
    RecorderExit.prepare()
    if begun.profile_error != 0 {
      Self.complain(configuration.refusal(of: begun.profile_error), result: "all else is recorded")
    }
    let isAsked =
      configuration.recordsDispatch || configuration.recordsTasks || configuration.recordsOrders
      || configuration.memory != nil
    guard isAsked else { return }
    let notMemory = configuration.memory.flatMap { HookUse.recordMemory(for: self, every: $0) }
    let notBlocks = configuration.recordsDispatch ? HookUse.recordDispatch(for: self) : nil
    let notTasks = configuration.recordsTasks ? HookUse.recordTasks(for: self) : nil
    let notOrders = configuration.recordsOrders ? HookUse.recordOrders(for: self) : nil
    HookUse.settle()
    if let notOrders {
      Self.complain("orders of locks cannot be recorded (\(notOrders))", result: "the rest is recorded")
    }
    if let why = notBlocks ?? notTasks {
      let what = notBlocks == nil ? "tasks" : notTasks == nil ? "blocks" : "blocks and tasks"
      Self.complain("\(what) cannot be recorded (\(why))", result: "the rest is recorded")
    }
    if let notMemory { Self.complain("memory cannot be sampled (\(notMemory))", result: "the rest is recorded") }
  }

  deinit {
    // Nobody handles a failure here; the trace is readable nevertheless.
    optrace_recorder_stop(core)
    HookUse.stop(using: core)
  }

  /// Stops recording and closes the file: it is cut to its contents, and sealed with checksums. A recorder that is
  /// released is stopped, too, and so is one that is left when the process exits. Events after that are not recorded,
  /// and do not count as lost. A second call does nothing.
  ///
  /// - Throws: ``TraceRecorderError`` if the file could not be closed properly. It is readable nevertheless, as a trace
  ///   whose writer was killed.
  public func stop() throws(TraceRecorderError) {
    // The hooks last: otherwise a finish could be missed whose consequences are still recorded.
    let error = optrace_recorder_stop(core)
    HookUse.stop(using: core)
    if error != 0 { throw TraceRecorderError(.cannotClose, path: path, errno: error) }
  }

  /// False before the first event after ``stop()``, and in a forked child.
  public var isRecording: Bool { optrace_recorder_is_recording(core) }

  /// Records that were lost so far: no space, the size limit, threads that were ending. The trace has the count of each
  /// reason.
  public var lostRecordCount: Int {
    LossReason.allCases.reduce(0) { sum, reason in sum + Int(clamping: optrace_recorder_lost(core, reason.rawValue)) }
  }
}
