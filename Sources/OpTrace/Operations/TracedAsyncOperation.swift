internal import Foundation

/// An asynchronous operation that records its life. Override ``execute()`` and call ``finish()`` or ``finish(with:)``
/// once, from any thread:
///
/// ```swift
/// final class Download: TracedAsyncOperation, @unchecked Sendable {
///   override func execute() {
///     session.fetch(url) { self.finish(with: $0) }
///   }
/// }
/// ```
///
/// The states, their locks and their notifications are handled here, and a subclass cannot get them wrong. If it is
/// cancelled before its start, it finishes without executing; a second `finish()` is recorded as misuse and ignored; a
/// `finish()` before the start takes effect at the start. While it executes, `cancel()` only sets `isCancelled`: check
/// it, or override `cancel()` (and call `super`) to end early. `finish()` must still be called.
///
/// Sendable: `Operation` is; `states` has its own lock, the other stored properties are constants.
open class TracedAsyncOperation: TracedOperation, @unchecked Sendable {
  private let states = OperationStates()
  override var isProbedAsAsynchronous: Bool { true }

  // MARK: Running

  /// Begins the work and returns; the work calls ``TracedAsyncOperation/finish()``. Not called if the operation was
  /// cancelled before its start. The default finishes at once.
  open func execute() { finish() }

  /// Ends the operation. From any thread, also before ``execute()`` returns.
  public final func finish() { finish(with: nil) }

  /// Ends the operation, as failed if there is an error; the error's description is recorded.
  public final func finish(with error: (any Error)?) { states.finish(self, error: error) }

  /// The error that it was finished with.
  public final var error: (any Error)? { states.error }

  open override var isAsynchronous: Bool { true }
  open override func start() { states.start(self, synchronously: false) { execute() } }
  open override var isExecuting: Bool { states.isExecuting }
  open override var isFinished: Bool { states.isFinished }
}
