internal import Foundation

/// Swift concurrency inside a queue: the operation runs an asynchronous closure, and is finished when that returns.
///
/// `cancel()` cancels the task. An error that it throws makes the operation a failed one, except `CancellationError`
/// after a cancel.
///
/// Sendable: `task` is only touched under `taskLock`; the other stored properties are constants.
public final class TracedTaskOperation: TracedAsyncOperation, @unchecked Sendable {
  private let priority: TaskPriority?
  private let operation: @Sendable () async throws -> Void
  private let taskLock = Lock()
  private var task: Task<Void, Never>?
  override var code: UInt { RunCode.address(of: operation) }

  /// - Parameters:
  ///   - name: shown instead of the class's name. Nil leaves Foundation's default.
  ///   - priority: the task's; nil: that of the thread that starts the operation.
  ///   - operation: what the task runs.
  public init(
    name: String? = nil, priority: TaskPriority? = nil, file: StaticString = #fileID, line: UInt = #line,
    operation: @escaping @Sendable () async throws -> Void
  ) {
    self.priority = priority
    self.operation = operation
    super.init()
    setName(name, file: file, line: line)
  }

  public override func execute() {
    taskLock.withLock {
      task = Task(priority: priority) { [self] in
        do {
          try await operation()
          finish()
        } catch is CancellationError where isCancelled {
          finish()
        } catch {
          finish(with: error)
        }
      }
    }
    // Cancelled between the start and here: the task did not exist yet.
    if isCancelled { taskLock.withLock { task }?.cancel() }
  }

  public override func cancel() {
    super.cancel()
    taskLock.withLock { task }?.cancel()
  }
}
