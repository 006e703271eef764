import Dispatch
import Foundation

enum Local {
  @TaskLocal static var value: UInt64 = 0
}

/// One at a time.
actor Store {
  private var sum: UInt64 = 0
  func add(_ node: Node, in program: Program) async {
    sum &+= node.seed
    await program.run(node)
    program.count(node.leaf)
  }
}

/// An actor whose turns a queue gives.
actor Desk {
  private let executor: SerialQueueExecutor

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ queue: DispatchQueue) { executor = SerialQueueExecutor(queue: queue) }

  func add(_ node: Node, in program: Program) async {
    await program.run(node)
    program.count(node.leaf)
  }
}

final class SerialQueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(queue: DispatchQueue) { self.queue = queue }

  func enqueue(_ job: consuming ExecutorJob) {
    let unowned = UnownedJob(job)
    queue.async { unowned.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

final class Executor: TaskExecutor {
  private let queue = DispatchQueue(label: "executor", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let unowned = UnownedJob(job)
    queue.async { unowned.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

extension Program {
  /// The same as `perform`, by who may be suspended.
  func run(_ node: Node) async {
    if node.depth > 0, node.chance(6, percent: 60) {
      count(node)
      await await_(node)
    } else {
      await withCheckedContinuation { continuation in perform(node) { continuation.resume() } }
    }
  }

  func await_(_ node: Node) async {
    let child = node.child()
    switch node.number(30, below: 17) {
    case 0: await group(node)
    case 1:
      async let one: Void = run(child)
      async let other: Void = run(node.child(1))
      _ = await (one, other)
    case 2: await store.add(child, in: self)
    case 3: await desk.add(child, in: self)
    case 4: await onMain(child)
    case 5:
      try? await Task.sleep(nanoseconds: UInt64(node.number(31, below: 1_000_000)))
      await run(child)
    case 6: await cancelled(node)
    case 7:
      await Task.yield()
      await run(child)
    case 8: await local(node)
    case 9: await stream(node)
    case 10: await asked(node)
    case 11: await withTaskExecutorPreference(executor) { await run(child) }
    case 12: await Task(executorPreference: executor) { [self] in await run(child) }.value
    case 13:
      await withDiscardingTaskGroup { group in
        for child in node.children { group.addTask { await self.run(child) } }
      }
    case 14: await cancelledGroup(node)
    case 15:
      // An `async let` that nobody awaits is cancelled, and awaited at the end.
      async let _ = self.sleepLong(child)
      await run(node.child(1))
    default:
      await withTaskCancellationHandler {
        await run(child)
      } onCancel: { [self] in
        count(node)
      }
    }
  }

  private func group(_ node: Node) async {
    let sum = await withTaskGroup(of: UInt64.self) { group in
      for child in node.children {
        group.addTask(priority: child.chance(31, percent: 30) ? .high : nil) {
          await self.run(child)
          return child.seed
        }
      }
      return await group.reduce(0, &+)
    }
    if sum != node.children.reduce(0, { $0 &+ $1.seed }) { count(node) }
  }

  @MainActor private func onMain(_ node: Node) async {
    count(node.leaf)
    await run(node)
  }

  private func sleepLong(_ node: Node) async {
    do { try await Task.sleep(nanoseconds: 60_000_000_000) } catch { count(node.leaf) }
  }

  private func cancelled(_ node: Node) async {
    let task = Task { [self] in await sleepLong(node) }
    if node.chance(31, percent: 50) { await run(node.child()) }
    task.cancel()
    await task.value
  }

  private func cancelledGroup(_ node: Node) async {
    await withTaskGroup(of: Void.self) { group in
      for child in node.children { group.addTask { await self.sleepLong(child) } }
      if node.chance(31, percent: 50) { await run(node.child()) }
      group.cancelAll()
    }
  }

  private func local(_ node: Node) async {
    await Local.$value.withValue(node.seed) {
      await withTaskGroup(of: Void.self) { group in
        for child in node.children {
          group.addTask {
            await self.run(child)
            // Kept over all that it waited for.
            if Local.value == node.seed { self.count(child.leaf) }
          }
        }
      }
    }
  }

  private func stream(_ node: Node) async {
    let (stream, continuation) = AsyncStream.makeStream(of: Node.self)
    let children = node.children
    let join = Join(children.count) { continuation.finish() }
    for child in children {
      perform(child) {
        continuation.yield(child.leaf)
        join.done()
      }
    }
    for await leaf in stream { count(leaf) }
  }

  /// Several wait for one.
  private func asked(_ node: Node) async {
    let task = Task.detached { [self] in
      await run(node.child())
      return node.seed
    }
    async let one = task.value
    async let other = task.value
    if await one &+ other == 2 &* node.seed { count(node.leaf) }
  }
}
