// A program that knows nothing of OpTrace, for the tests of `optrace record --tasks`.
import Foundation

/// At once, and whole lines.
func say(_ text: Any) {
  let bytes = Array("\(text)\n".utf8)
  _ = write(STDOUT_FILENO, bytes, bytes.count)
}

/// One at a time.
private actor Store {
  private var values: [Int] = []
  func add(_ value: Int) { values.append(value) }
  func sum() async -> Int {
    await Task.yield()
    return values.reduce(0, +)
  }
}

@inline(never) private func fetch(_ number: Int) async -> Int {
  await Task.yield()
  return number
}

@inline(never) private func loadAll(_ store: Store) async -> Int {
  await withTaskGroup(of: Void.self) { group in
    for number in 1...4 {
      group.addTask {
        await rest()
        await store.add(fetch(number))
      }
    }
  }
  return await store.sum()
}

/// Whoever resumes it has to wait for the main thread, which it leaves only when it is suspended.
@MainActor @inline(never) private func answer() async -> Int {
  await withCheckedContinuation { continuation in
    OperationQueue.main.addOperation { continuation.resume(returning: 42) }
  }
}

@MainActor private func resumedByBlock() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.main.async { continuation.resume() }
  }
}

private func rest() async { try? await Task.sleep(nanoseconds: 20_000_000) }

/// Its work is a task, which goes on when `start()` has returned.
private final class Download: Operation, @unchecked Sendable {
  let done = DispatchSemaphore(value: 0)
  override func main() {
    let done = self.done
    Task {
      _ = await fetch(7); done.signal()
    }
    done.wait()
  }
}

private func named<Value: Sendable>(
  _ name: String, _ body: @escaping @Sendable () async -> Value
) -> Task<Value, Never> {
  #if compiler(>=6.2)
    Task(name: name, operation: body)
  #else
    Task(operation: body)
  #endif
}

/// Blocks the task's thread, which only a test does.
private func wait(for operation: Operation) { operation.waitUntilFinished() }

/// Tasks of all sorts, and what they wait for. What is printed is in one order.
private func allSorts() async {
  let store = Store()
  say(await loadAll(store))
  async let one = fetch(1)
  async let two = fetch(2)
  say(await one + two)
  let later = OperationQueue()
  later.name = "later"
  say(await answer())
  let sleeper = named("the sleeper") { () -> String in
    do { try await Task.sleep(nanoseconds: 60_000_000_000) } catch { return "woken" }
    return "slept"
  }
  for _ in 0..<3 { await rest() }
  sleeper.cancel()
  say(await sleeper.value)
  await named("slow", rest).value
  let detached = Task.detached(priority: .background) { await MainActor.run { "main" } }
  say(await detached.value)
  await withCheckedContinuation { continuation in
    let download = Download()
    download.completionBlock = { continuation.resume() }
    later.addOperation(download)
  }
  let slow = BlockOperation { usleep(2000) }
  later.addOperation(slow)
  await Task.detached { wait(for: slow) }.value
  await resumedByBlock()
  say("done")
}

@main enum TaskTestProgram {
  static func main() async {
    switch CommandLine.arguments.dropFirst().first {
    case "hang":
      // Nobody resumes it.
      let task = named("forgotten") {
        await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in say("waiting") }
      }
      await task.value
    case "die":
      async let _ = fetch(1)
      kill(getpid(), SIGKILL)
    case "actors": await waitForActor()
    case "resumes": await resumeContinuations()
    default: await allSorts()
    }
  }
}
