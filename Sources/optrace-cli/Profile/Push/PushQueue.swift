import Foundation
import OpTraceModel

/// Profiles on their way to a receiver, and the thread that sends them, so that a slow receiver delays nothing else. The
/// last profiles of each process are kept while the receiver is down.
///
/// Sendable: the condition's lock guards what changes.
final class PushQueue: @unchecked Sendable {
  private struct Item {
    var number: Int
    var process: Int
    var body: [UInt8]
    var samples: Int
  }

  /// How many profiles of a process are kept: ten minutes of them, by default.
  static let most = 10
  /// The same for all processes together, in bytes.
  private static let mostBytes = 64 << 20
  /// Seconds until the second try; each further pause is twice as long, up to the second number.
  private static let pauses = (first: 1.0, longest: 60.0)

  private let receiver: PushReceiver
  private let condition = NSCondition()
  private var items: [Item] = []
  private var ledger: PushLedger
  private var next = 0
  private var inFlight: Int?
  private var failures = 0
  /// When the receiver may be tried again, and whether it has said so itself.
  private var nextTry = (time: Date.distantPast, isAsked: false)
  private var deadline: Date?
  private var isDone = false
  private let say: @Sendable (String) -> Void

  /// Starts the thread.
  /// - Parameter say: takes lines for standard error.
  init(_ receiver: PushReceiver, say: @escaping @Sendable (String) -> Void = { Console.error($0) }) {
    self.receiver = receiver
    self.say = say
    ledger = PushLedger(receiver: receiver.name)
    Thread { [self] in run() }.start()
  }

  /// Does not wait. If there is no room, the oldest profile is dropped.
  /// - Parameter process: tells processes apart.
  func add(_ body: [UInt8], samples: Int, process: Int) {
    condition.withLock {
      items.append(Item(number: next, process: process, body: body, samples: samples))
      next += 1
      var count = 0
      while let old = oldestBeyondLimits(process) {
        items.remove(at: old)
        count += 1
      }
      tell(ledger.dropped(count))
      condition.broadcast()
    }
  }

  /// Counts a profile that could not be made.
  func drop(_ why: String) {
    condition.withLock {
      ledger.leave(1)
      say("optrace: warning: a profile is dropped: \(why)")
    }
  }

  /// Waits until the receiver has taken what there is, or has failed: for what need not be sent at its own time.
  func waitForRoom() {
    condition.withLock {
      while items.count >= Self.most, failures == 0 { condition.wait() }
    }
  }

  private func oldestBeyondLimits(_ process: Int) -> Int? {
    let waiting = { (item: Item) in item.number != self.inFlight }
    if items.count(where: { $0.process == process }) > Self.most {
      return items.firstIndex { $0.process == process && waiting($0) }
    }
    let bytes = items.reduce(0) { $0 + $1.body.count }
    return bytes > Self.mostBytes && items.count > 1 ? items.firstIndex(where: waiting) : nil
  }

  /// Sends what is left, as far as that succeeds in time, and returns what became of everything.
  /// - Parameters:
  ///   - isHurried: asked again and again; true: do not wait any more.
  func finish(isHurried: () -> Bool = { false }) -> PushLedger {
    condition.withLock {
      let end = Date(timeIntervalSinceNow: receiver.timeout)
      deadline = end
      // Do not wait for a pause of our own.
      if !nextTry.isAsked { nextTry.time = .distantPast }
      condition.broadcast()
      while !isDone, !isHurried(), Date() < end.addingTimeInterval(1) {
        _ = condition.wait(until: Date(timeIntervalSinceNow: 0.1))
      }
      ledger.leave(items.count)
      items = []
      return ledger
    }
  }

  // MARK: - The thread

  private func run() {
    condition.lock()
    defer {
      isDone = true
      condition.broadcast()
      condition.unlock()
    }
    while true {
      let now = Date()
      guard let item = items.first else {
        if deadline != nil { return }
        condition.wait()
        continue
      }
      if let deadline, max(now, nextTry.time) >= deadline { return }
      guard now >= nextTry.time else {
        _ = condition.wait(until: nextTry.time)
        continue
      }
      inFlight = item.number
      let limit = deadline?.timeIntervalSince(now) ?? .infinity
      condition.unlock()
      let outcome = receiver.send(item.body, within: limit)
      condition.lock()
      inFlight = nil
      take(outcome, of: item)
    }
  }

  private func take(_ outcome: PushOutcome, of item: Item) {
    defer { condition.broadcast() }
    if case .retry(let after, let why) = outcome {
      tell(ledger.failed(why, keeping: Self.most))
      let pause = min(Self.pauses.longest, Self.pauses.first * Double(1 << min(failures, 10)))
      failures += 1
      // Programs that lost the same receiver at once do not come back at once.
      let wait = after.map { $0 + .random(in: 0...1) } ?? pause * .random(in: 0.5...1.5)
      nextTry = (Date(timeIntervalSinceNow: wait), after != nil)
      return
    }
    items.removeAll { $0.number == item.number }
    (failures, nextTry) = (0, (.distantPast, false))
    switch outcome {
    case .accepted(let words): tell(ledger.accepted(item.samples, words: words))
    case .rejected(let words): tell(ledger.refused(words.isEmpty ? "it rejects them" : words))
    case .refused(let why): tell(ledger.refused(why))
    case .retry: break
    }
  }

  private func tell(_ line: String?) {
    if let line { say(line) }
  }
}
