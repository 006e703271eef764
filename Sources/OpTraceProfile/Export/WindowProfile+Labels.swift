import OpTraceKernel
import OpTraceSamples

extension WindowProfile {
  /// What is said of a sum besides its stack. Values are names of kinds, never of single pieces of work.
  enum LabelKey: Hashable {
    case thread
    /// `operation`, `block` or `task`.
    case work(String)
    case queue
    case request

    /// The key in OpenTelemetry.
    var attribute: String {
      switch self {
      case .thread: "thread.name"
      case .work(let kind): "optrace.\(kind)"
      case .queue: "optrace.queue"
      case .request: "optrace.request"
      }
    }

    /// The key in pprof.
    var label: String {
      switch self {
      case .thread: "thread"
      case .work(let kind): kind
      case .queue: "queue"
      case .request: "request"
      }
    }
  }

  /// In a fixed order. O(1).
  func labels(of key: Key) -> [(key: LabelKey, value: String)] {
    var labels: [(key: LabelKey, value: String)] = []
    if threads.indices.contains(key.thread) { labels.append((.thread, threads[key.thread])) }
    if tables.owners.indices.contains(key.owner) {
      let owner = tables.owners[key.owner]
      labels.append((.work(owner.kind), owner.name))
      if let queue = owner.queue { labels.append((.queue, queue)) }
    }
    if requests.indices.contains(key.request) { labels.append((.request, requests[key.request])) }
    return labels
  }
}
