internal import Foundation
public import OpTrace
import OpTraceModel

/// Runs `body`, and throws what the doctor finds when it deadlocks, so that a test fails instead of hanging.
///
/// ```swift
/// @Test func importsEverything() throws {
///   try withDeadlockDetection { _ in Importer().run() }
/// }
/// ```
///
/// The body runs on another thread while this call waits; on the main thread it serves the run loop meanwhile. It returns
/// what the body returns, and throws what the body throws. Plain operations and queues are recorded as well as traced ones.
///
/// A ``DeadlockError`` is thrown while the body still runs, when two readings of the body's own operations show the same
/// error: a cycle at once; any other stall (a suspended queue, an operation that was never enqueued, one that never
/// finishes while others wait for it) when nothing of the body has moved for `after`, or when the body itself waits for
/// it. A body that is only slow is not reported until `timeout` has passed: then a ``StallError`` is thrown. Tests that
/// run at the same time do not report each other's deadlocks.
///
/// A body that hangs cannot be ended: its threads and what they hold remain until the process ends. One that returns
/// leaves nothing behind.
///
/// - Parameters:
///   - after: how long nothing may move if silence is part of the proof.
///   - timeout: how long the body may take at all; nil: as long as it wants.
///   - body: gets the recorder, for marks and for queues if another recorder already records the process.
public func withDeadlockDetection<Value: Sendable>(
  after: Duration = .seconds(5), timeout: Duration? = .seconds(60),
  _ body: @escaping @Sendable (TraceRecorder) throws -> Value
) throws -> Value {
  let recorder = try SharedRecorder.enter()
  defer { SharedRecorder.leave() }
  let outcome = Outcome<Value>()
  let detector = Detector(recorder, after: after, timeout: timeout) { outcome.settle(.failure($0)) }
  let run: @Sendable () -> Void = { outcome.settle(Result { try body(recorder) }) }
  var executor: (any AnyObject)?
  if #available(macOS 15, iOS 18, *) {
    // A task, and not only a thread: it takes over what belongs to the test, which is kept in task-local values.
    let threads = BodyExecutor(detector.threads)
    executor = threads
    Task(executorPreference: threads) { run() }
  } else {
    OwnThread.start("optrace body", .inherited) {
      detector.threads.add(TraceRecorder.threadID)
      run()
    }
  }
  detector.start()
  defer {
    detector.cancel()
    if #available(macOS 15, iOS 18, *) { (executor as? BodyExecutor)?.close() }
  }
  return try outcome.wait()
}

/// The same for an asynchronous body.
///
/// The body and its child tasks run on their own threads. Unstructured tasks that it creates do not: what these enqueue
/// belongs to the body if a dependency, a wait or a shared queue connects it to the body's other operations. When an
/// error is thrown, the body's task is cancelled.
public func withDeadlockDetection<Value: Sendable>(
  after: Duration = .seconds(5), timeout: Duration? = .seconds(60),
  _ body: @escaping @Sendable (TraceRecorder) async throws -> Value
) async throws -> Value {
  let recorder = try SharedRecorder.enter()
  defer { SharedRecorder.leave() }
  let outcome = Outcome<Value>()
  let detector = Detector(recorder, after: after, timeout: timeout) { outcome.settle(.failure($0)) }
  let run: @Sendable () async -> Void = {
    do { outcome.settle(.success(try await body(recorder))) } catch { outcome.settle(.failure(error)) }
  }
  let task: Task<Void, Never>
  var executor: (any AnyObject)?
  if #available(macOS 15, iOS 18, *) {
    let threads = BodyExecutor(detector.threads)
    executor = threads
    task = Task(executorPreference: threads) { await run() }
  } else {
    detector.threads.forget()
    task = Task { await run() }
  }
  detector.start()
  defer {
    detector.cancel()
    task.cancel()
    if #available(macOS 15, iOS 18, *) { (executor as? BodyExecutor)?.close() }
  }
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { outcome.resume($0) }
  } onCancel: {
    task.cancel()
  }
}
