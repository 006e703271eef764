import Foundation
import InMemoryTracing
import OpTrace
import OpTraceTracing
import Testing
import Tracing

/// All tests: who observes, observes the process, so one goes after the other.
@Suite(.serialized) struct LiveTests {}

/// A run that is recorded and observed.
struct Observed {
  let recorder: TraceRecorder
  let tracer = InMemoryTracer()
  let tracing: OperationTracing

  init(makesSpans: Bool = true, wholeProcess: Bool = false, ignoring queues: Set<String> = []) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("live-\(UUID().uuidString).optrace")
    recorder = try TraceRecorder(writingTo: file)
    if wholeProcess { try recorder.instrumentProcess() }
    var configuration = OperationTracing.Configuration()
    configuration.tracer = tracer
    configuration.makesSpans = makesSpans
    configuration.ignoredQueues = queues
    tracing = OperationTracing.start(configuration)
  }

  func queue(_ name: String, limit: Int = OperationQueue.defaultMaxConcurrentOperationCount) -> TracedOperationQueue {
    TracedOperationQueue(name: name, maxConcurrentOperationCount: limit, recorder: recorder)
  }

  func end() throws {
    tracing.stop()
    try recorder.stop()
    try FileManager.default.removeItem(at: recorder.url)
  }

  func span(_ name: String) throws -> FinishedInMemorySpan {
    try #require(tracer.finishedSpans.first { $0.operationName == name })
  }
}

/// What threads of operations have to tell.
///
/// Sendable: `values` is only touched under `lock`.
final class Log<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var values: [Value] = []
  func add(_ value: Value) { lock.withLock { values.append(value) } }
  var all: [Value] { lock.withLock { values } }
}

enum User: ServiceContextKey { typealias Value = String }

/// Runs `body` as one who asks for something for this user.
func asUser(_ name: String, _ body: () throws -> Void) rethrows {
  var context = ServiceContext.topLevel
  context[User.self] = name
  try ServiceContext.withValue(context, operation: body)
}

var currentUser: String? { ServiceContext.current?[User.self] }

struct Failed: Error, CustomStringConvertible { var description: String { "no such photo" } }

extension FinishedInMemorySpan {
  /// The names of the operations that it is linked to, with the kind of each link.
  func links(among spans: [FinishedInMemorySpan]) -> [String] {
    links.map { link in
      let target = spans.first { $0.spanID == link.context.inMemorySpanContext?.spanID }
      let kind: String? = if case .string(let kind) = link.attributes.get("optrace.link") { kind } else { nil }
      return "\(kind ?? "?") \(target?.operationName ?? "?")"
    }
  }

  func attribute(_ name: String) -> SpanAttribute? { attributes.get(name) }
}
