import Dispatch
import Foundation

/// Runs what the first argument names.
func runProgram() {
  let name = CommandLine.arguments.dropFirst().first ?? ""
  if let scenario = Scenario(rawValue: name) {
    scenario.run()
  } else if let ending = Ending(rawValue: name) {
    ending.run()
  } else if let evidence = Evidence(rawValue: name) {
    evidence.run()
  } else {
    exit(64)
  }
}

/// Prints a line at once: nothing of it waits in a buffer when the program dies or forks.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(STDOUT_FILENO, bytes, bytes.count)
}

/// Lets one through for each time that it is opened. Waits are bounded, so that a failure is a failure and not a hang.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  /// Lets the caller through if it is open.
  var isOpen: Bool { semaphore.wait(timeout: .now()) == .success }

  func wait() {
    if semaphore.wait(timeout: .now() + 60) == .timedOut { fail("a gate was never opened") }
  }
}

func fail(_ why: String) -> Never {
  say("failed: \(why)")
  exit(3)
}

/// A synchronous operation with a name, made of a closure that is given the operation.
class Step: Work, @unchecked Sendable {
  private let body: @Sendable (Step) -> Void

  init(_ name: String, _ body: @escaping @Sendable (Step) -> Void = { _ in }) {
    self.body = body
    super.init()
    self.name = name
  }

  override func main() { body(self) }
}

/// An asynchronous operation that another thread finishes.
class Fetch: AsyncWork, @unchecked Sendable {
  private let body: @Sendable () -> Void

  init(_ name: String, _ body: @escaping @Sendable () -> Void = {}) {
    self.body = body
    super.init()
    self.name = name
  }

  override func execute() {
    Thread.detachNewThread {
      self.body()
      self.finish()
    }
  }
}

func block(_ name: String, _ body: @escaping @Sendable () -> Void = {}) -> Operation {
  let operation = BlockWork(block: body)
  operation.name = name
  return operation
}

func queue(_ name: String, limit: Int = OperationQueue.defaultMaxConcurrentOperationCount) -> Queue {
  let queue = Queue()
  queue.name = name
  queue.maxConcurrentOperationCount = limit
  return queue
}

extension Operation {
  /// Opens when the operation is over. Waiting for it is no wait for an operation.
  func whenOver() -> Gate {
    let gate = Gate()
    completionBlock = { gate.open() }
    return gate
  }
}

/// A thread that somebody else wants to see blocked: whether it already waits can't be told from inside the program.
struct WatchedThread: Sendable {
  private let status: String

  /// The calling one.
  init() {
    let link = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
    status = "/proc/\(link)/stat"
  }

  /// Returns when the thread has been seen asleep several times in a row; a short sleep may be that of a lock.
  func waitUntilBlocked() {
    var inARow = 0
    for _ in 0..<60_000 {
      let text = FileManager.default.contents(atPath: status).map { String(decoding: $0, as: UTF8.self) } ?? ""
      guard let name = text.lastIndex(of: ")") else { fail("\(status) can't be read") }
      inARow = text[name...].dropFirst(2).first == "S" ? inARow + 1 : 0
      if inARow == 5 { return }
      usleep(1000)
    }
    fail("a thread never waited")
  }
}
