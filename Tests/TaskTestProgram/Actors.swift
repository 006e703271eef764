// What only the entries of the runtime's functions hear: waits for a busy actor, and who resumes a continuation.
import Dispatch
import Foundation

/// Busy until everybody waits for it.
private actor Printer {
  private var printed = 0
  func hold(until arrivals: Arrivals, are count: Int) {
    while arrivals.count < count { usleep(1000) }
    usleep(20_000)
  }
  func page() -> Int {
    printed += 1
    return printed
  }
}

private final class Arrivals: @unchecked Sendable {
  private let lock = NSLock()
  private var value = 0
  var count: Int { lock.withLock { value } }
  func add() { lock.withLock { value += 1 } }
}

/// A task goes to the actor as the last thing of each caller: all 200 wait for it.
func waitForActor() async {
  let printer = Printer()
  let arrivals = Arrivals()
  await withTaskGroup(of: Int.self) { group in
    group.addTask {
      await printer.hold(until: arrivals, are: 200)
      return 0
    }
    try? await Task.sleep(nanoseconds: 50_000_000)
    for _ in 0..<200 {
      group.addTask {
        arrivals.add()
        return await printer.page()
      }
    }
    var highest = 0
    for await page in group { highest = max(highest, page) }
    say(highest)
  }
}

private struct Refusal: Error {}

/// Three at a time: by a task, by a block of a dispatch queue, and by a thread that does no work. Half of the last ones are refused.
func resumeContinuations() async {
  let queue = DispatchQueue(label: "resumes")
  var answers = 0
  for number in 0..<30 {
    answers += await withCheckedContinuation { continuation in
      Task { continuation.resume(returning: 1) }
    }
    answers += await withUnsafeContinuation { continuation in
      queue.async { continuation.resume(returning: 1) }
    }
    let answer = try? await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int, any Error>) in
      Thread.detachNewThread {
        if number % 2 == 0 { continuation.resume(returning: 1) } else { continuation.resume(throwing: Refusal()) }
      }
    }
    answers += answer ?? 1
  }
  say(answers)
}
