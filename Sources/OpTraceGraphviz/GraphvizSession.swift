import CGraphviz
import Foundation

/// The only door to the C library, which knows neither threads nor contexts that end.
///
/// One context for the process (a second one is a use after free in a plugin), one lock around everything, and a thread
/// with a large stack, because layouts recurse along chains.
enum GraphvizSession {
  /// Virtual until used. A chain of 10,000 nodes needs more than the usual 8 MB.
  private static let stackSize = 256 << 20

  private static let lock = NSLock()
  /// Made on first use and kept until the process ends. Guarded by `lock`, as all of Graphviz.
  nonisolated(unsafe) private static var context: OpaquePointer?

  /// Runs `body` alone, with the context and a collector for what Graphviz says meanwhile.
  static func run<Result: Sendable>(
    _ body: @escaping @Sendable (OpaquePointer) throws(GraphvizError) -> Result
  ) throws(GraphvizError) -> (result: Result, messages: [String]) {
    lock.lock()
    defer { lock.unlock() }
    let answer = Answer<Result>()
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      Messages.start()
      if context == nil { context = gvContext() }
      if let context {
        do throws(GraphvizError) { answer.result = .success(try body(context)) } catch {
          answer.result = .failure(error)
        }
      }
      answer.messages = Messages.finish()
      done.signal()
    }
    thread.stackSize = stackSize
    thread.start()
    done.wait()
    switch answer.result {
    case .success(let result): return (result, answer.messages)
    case .failure(let error): throw error.explained(by: answer.messages)
    case nil: throw GraphvizError(.failed(answer.messages))
    }
  }

  /// Written on the session's thread, read after its end.
  private final class Answer<Result: Sendable>: @unchecked Sendable {
    var result: Swift.Result<Result, GraphvizError>?
    var messages: [String] = []
  }
}

/// What Graphviz reports instead of return codes. Only touched inside the session's lock.
private enum Messages {
  nonisolated(unsafe) private static var pieces = ""

  static func start() {
    pieces = ""
    // A message comes in several calls.
    _ = agseterrf { piece in
      if let piece { Messages.pieces += String(cString: piece) }
      return 0
    }
  }

  static func finish() -> [String] {
    _ = agseterrf(nil)
    return pieces.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }
}

extension GraphvizError {
  /// A refusal is a missing plugin only if Graphviz says so.
  fileprivate func explained(by messages: [String]) -> GraphvizError {
    switch reason {
    case .missingPlugin where messages.contains(where: { $0.contains("not recognized") }): self
    case .missingPlugin, .failed: GraphvizError(.failed(messages))
    default: self
    }
  }
}
