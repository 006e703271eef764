internal import COpTrace
internal import Dispatch
internal import Foundation

/// Tells the core what a queue is (`COpTraceDescribe.h`).
struct QueueReader {
  private var limit: Int64 = 0
  private var isSuspended = false
  private var name: String?
  private var quality = QualityOfService.default
  private var underlying: DispatchQueue?

  /// Asks Foundation itself, or, without hooks, the queue's own getters, which may be the program's code.
  init(_ queue: OperationQueue) {
    guard !askFoundation(queue) else { return }
    limit = Int64(queue.maxConcurrentOperationCount)
    isSuspended = queue.isSuspended
    name = queue.name
    quality = queue.qualityOfService
    underlying = queue.underlyingQueue
  }

  private mutating func askFoundation(_ queue: OperationQueue) -> Bool {
    withUnsafeMutablePointer(to: &self) { own in
      var values = optrace_queue_values()
      values.limit = own.pointer(to: \.limit)
      values.suspended = own.pointer(to: \.isSuspended)
      values.name = UnsafeMutableRawPointer(own.pointer(to: \.name))
      values.quality = UnsafeMutableRawPointer(own.pointer(to: \.quality))
      values.underlying = UnsafeMutableRawPointer(own.pointer(to: \.underlying))
      return optrace_queue_ask(queue.address, &values)
    }
  }

  /// Calls `take` once.
  func tell(_ take: (UnsafePointer<optrace_queue_answers>) -> Void) {
    var answers = optrace_queue_answers()
    answers.limit = limit
    answers.is_suspended = isSuspended
    answers.is_main = Self.isMain(underlying)
    answers.quality = quality.traceValue
    var name = name ?? ""
    name.withUTF8 { bytes in
      answers.name = bytes.baseAddress
      answers.name_length = bytes.count
      take(&answers)
    }
  }

  /// For observers. Foundation's default name of a queue is an address, which says nothing.
  var live: (name: String?, limit: Int) {
    (name.flatMap { $0.hasPrefix("NSOperationQueue 0x") ? nil : $0 }, Int(limit))
  }

  /// By its label: on Linux `DispatchQueue.main` is another object each time.
  static func isMain(_ queue: DispatchQueue?) -> Bool { queue?.label == DispatchQueue.main.label }
}
