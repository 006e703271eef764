internal import Foundation
internal import OpTrace

extension Scenario {
  static let iLoveU = Scenario(
    "i-love-u", "Three operations find a word each, a fourth waits for them and prints; try --limit 1 and 3.",
    options: [.limit]
  ) { run in
    let i = AsynchronousWord("I", seconds: run.paced(0.3))
    let love = SynchronousWord("Love", seconds: run.paced(0.3))
    let you = AsynchronousWord("U", seconds: run.paced(0.3))
    let sentence = TracedBlockOperation(name: "Print sentence") {
      run.say([i.word, love.word, you.word].compactMap { $0 }.joined(separator: " ") + "!!!")
    }
    for word in [i, love, you] { sentence.addDependency(word) }

    let queue = TracedOperationQueue(name: "words", recorder: run.recorder)
    if let limit = run.settings.limit { queue.maxConcurrentOperationCount = limit }
    queue.addOperations([i, love, you, sentence], waitUntilFinished: false)
    run.say("This is printed first!!!")
    queue.waitUntilAllOperationsAreFinished()
  }
}

/// Its code has returned long before it is finished.
///
/// Sendable: `found` is only touched under `lock`; the other stored properties are constants.
private final class AsynchronousWord: TracedAsyncOperation, @unchecked Sendable {
  private let lock = NSLock()
  private var found: String?
  private let text: String
  private let seconds: TimeInterval

  init(_ text: String, seconds: TimeInterval, line: UInt = #line) {
    self.text = text
    self.seconds = seconds
    super.init()
    setName("Find “\(text)”", line: line)
  }

  var word: String? { lock.withLock { found } }

  override func execute() {
    Callbacks.shared.after(seconds) { [self] in
      lock.withLock { found = text }
      finish()
    }
  }
}

/// It is finished when `main()` returns, and holds a thread until then.
///
/// Sendable: as above.
private final class SynchronousWord: TracedOperation, @unchecked Sendable {
  private let lock = NSLock()
  private var found: String?
  private let text: String
  private let seconds: TimeInterval

  init(_ text: String, seconds: TimeInterval, line: UInt = #line) {
    self.text = text
    self.seconds = seconds
    super.init()
    setName("Find “\(text)”", line: line)
  }

  var word: String? { lock.withLock { found } }

  override func main() {
    if isCancelled { return }
    Thread.sleep(forTimeInterval: seconds)
    lock.withLock { found = text }
  }
}
