internal import COpTrace
internal import Foundation
internal import OpTraceFormat

extension TraceRecorder {
  /// Describes an operation that is released without having met a recorder, while something it depends on is not over.
  /// Foundation on Linux keeps pointers to it there, and follows them later, which may cause a crash although no queue
  /// ever had it.
  ///
  /// A second time beside `describe/released.c`, for the same reason as `TraceRecorder+Introduce.swift`.
  ///
  /// The operation itself is not asked: parts of it may be gone. `probe`: the one that it carries, if any.
  static func introduceReleased(
    _ operation: Operation, name: String?, probe: OperationProbe?, dependencies: [Operation]
  ) {
    #if !canImport(Darwin)
      let known = dependencies.map { ($0, knownProbe(of: $0)) }
      let owner = known.lazy.compactMap { $0.1?.owner }.first
      guard let recorder = owner.map({ active($0) }) ?? watcher ?? fallback, recorder.isRecording else {
        return
      }
      // Also prepares the hooks if nobody has: `isOpen` relies on them.
      _ = recorder.facts(of: operation)
      guard known.contains(where: { isOpen($0.0, $0.1) }) else { return }
      recorder.describeReleased(operation, name, probe ?? recorder.probe(of: operation), dependencies)
    #endif
  }

  private func describeReleased(
    _ operation: Operation, _ name: String?, _ probe: OperationProbe?, _ dependencies: [Operation]
  ) {
    guard let probe else { return }
    let serial = optrace_recorder_next_serial(core)
    guard serial != 0, optrace_operation_attach(probe.pointer, serial) else { return }
    describe(
      facts(of: operation), name: name, serial: serial, coverage: .full,
      isAsynchronous: operation.probed?.isProbedAsAsynchronous ?? false,
      probe: probe, location: operation.probed?.sourceLocation)
    for dependency in dependencies {
      EventFields.DependencyAdded(on: introduce(dependency)).emit(to: core, about: serial)
    }
    optrace_operation_publish(probe.pointer, core)
  }

  private static func knownProbe(of operation: Operation) -> OperationProbe? {
    if let probed = operation.probed { return probed.probe }
    return optrace_object_find(Unmanaged.passUnretained(operation).toOpaque()).map { OperationProbe(hooked: $0) }
  }

  /// Whether it is known not to be over: by a recorder, or because nobody has used it yet.
  private static func isOpen(_ operation: Operation, _ probe: OperationProbe?) -> Bool {
    if let probe, probe.owner != nil { return !probe.has(OperationProbe.Bits.finishRecorded) }
    return optrace_object_is_unused(Unmanaged.passUnretained(operation).toOpaque())
  }
}
