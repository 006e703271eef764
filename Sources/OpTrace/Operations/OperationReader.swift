internal import COpTrace
internal import Foundation
internal import OpTraceFormat

extension NSObject {
  /// For calls into C, which take no ownership.
  @inline(__always) var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}

/// Tells the core what operations are (`COpTraceDescribe.h`): what their getters answer.
enum OperationReader {
  private struct Questions {
    static let states = UInt32(optrace_ask_states)
    static let cancelled = UInt32(optrace_ask_cancelled)
    static let asynchronous = UInt32(optrace_ask_asynchronous)
    static let dependencies = UInt32(optrace_ask_dependencies)
    static let priority = UInt32(optrace_ask_priority)
    static let quality = UInt32(optrace_ask_quality)
    static let name = UInt32(optrace_ask_name)
    static let location = UInt32(optrace_ask_location)
  }

  typealias Take = (UnsafePointer<optrace_answers>) -> Void

  /// Calls `take` once with the answers of the getters that `which` names.
  static func ask(_ operation: Operation, _ which: UInt32, _ core: OpaquePointer, _ take: Take) {
    // Only of ours, and of ours always: other operations, which are nearly all of these, need no cast.
    if which & Questions.location != 0 {
      if let own = operation as? TracedOperation { return ask(own: own, which, core, take) }
      if let own = operation as? TracedBlockOperation { return ask(own: own, which, core, take) }
    }
    var answers = optrace_answers()
    askStates(operation, which, &answers)
    if which & Questions.asynchronous != 0 { answers.is_asynchronous = operation.isAsynchronous }
    if which & Questions.dependencies != 0 { answers.has_dependencies = !operation.dependencies.isEmpty }
    askOrder(operation, which, &answers)
    askName(operation, which, &answers, take)
  }

  /// The same for one of ours, which knows some of it without a call.
  @inline(__always)
  static func ask(own operation: some ProbedOperation, _ which: UInt32, _ core: OpaquePointer, _ take: Take) {
    var answers = optrace_answers()
    if which & (Questions.states | Questions.cancelled) != 0 { askStates(operation, which, &answers) }
    answers.is_asynchronous = operation.isProbedAsAsynchronous
    answers.has_dependencies = operation.probe.has(OperationProbe.Bits.hasDependencies)
    askOrder(operation, which, &answers)
    if which & Questions.location != 0 {
      answers.function = UInt64(operation.code)
      if let location = operation.sourceLocation { answers.location = location.id(in: core) }
    }
    askName(operation, which, &answers, take)
  }

  private static func askStates(_ operation: Operation, _ which: UInt32, _ answers: inout optrace_answers) {
    if which & Questions.states != 0 {
      answers.is_finished = operation.isFinished
      answers.is_executing = operation.isExecuting
    }
    if which & Questions.cancelled != 0 { answers.is_cancelled = operation.isCancelled }
  }

  @inline(__always)
  private static func askOrder(_ operation: Operation, _ which: UInt32, _ answers: inout optrace_answers) {
    if which & Questions.priority != 0 { answers.priority = Int8(clamping: operation.queuePriority.rawValue) }
    if which & Questions.quality != 0 { answers.quality = operation.qualityOfService.traceValue }
  }

  @inline(__always)
  private static func askName(_ operation: Operation, _ which: UInt32, _ answers: inout optrace_answers, _ take: Take) {
    guard which & Questions.name != 0, var name = operation.name else { return take(&answers) }
    name.withUTF8 { bytes in
      answers.has_name = true
      answers.name = bytes.baseAddress
      answers.name_length = bytes.count
      take(&answers)
    }
  }
}

extension TraceRecorder {
  /// The operation's number in this trace. At first sight it is described: class, name, source location and
  /// dependencies, including operations that were never enqueued. Takes no lock for traced types, unless a class is
  /// new.
  @discardableResult
  func introduce(_ operation: Operation) -> UInt32 { optrace_introduce(core, operation.address, optrace_sight_named) }
}
