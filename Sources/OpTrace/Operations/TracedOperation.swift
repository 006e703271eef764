internal import COpTrace
public import Foundation
internal import OpTraceFormat

/// A synchronous operation that records its life. Override `main()`, and nothing else:
///
/// ```swift
/// final class Thumbnail: TracedOperation, @unchecked Sendable {
///   override func main() {
///     guard !isCancelled else { return }
///     …
///   }
/// }
/// ```
///
/// It behaves as `Operation` does in every other respect. It records to the recorder of the ``TracedOperationQueue`` that
/// it is added to; started by hand, or by a plain queue, to ``TraceRecorder/default``.
///
/// Sendable: `Operation` is; the stored properties here are set before the operation is shared.
open class TracedOperation: Operation, ProbedOperation, @unchecked Sendable {
  @exclusivity(unchecked) private var probeStorage = OperationProbe.emptyStorage
  private(set) final var probe = OperationProbe.none
  /// Set before the operation is shared, if at all.
  private(set) var sourceLocation: SourceLocation?
  var isProbedAsAsynchronous: Bool { false }
  var code: UInt { 0 }

  // The only designated initialiser; otherwise a subclass's `override init() {}` would not compile.
  public override init() {
    probe = OperationProbe(in: &probeStorage, here: optrace_here())
    super.init()
  }

  /// Inherited by subclasses that have no designated initialiser of their own; the others call
  /// ``setName(_:file:line:)``.
  ///
  /// - Parameter name: shown instead of the class's name. Nil keeps Foundation's default.
  public convenience init(name: String?, file: StaticString = #fileID, line: UInt = #line) {
    self.init()
    setName(name, file: file, line: line)
  }

  /// Names the operation and sets the source location where it was created. For initialisers of subclasses, before the
  /// operation is shared.
  public final func setName(_ name: String?, file: StaticString = #fileID, line: UInt = #line) {
    sourceLocation = SourceLocation(file: file, line: line)
    if let name { self.name = name }
  }

  deinit {
    // Parts of a subclass's object are gone: Foundation's own answers do without them.
    if isUnmetDependent { noteUnmet(name: super.name, dependencies: super.dependencies) }
    probe.end()
  }

  // MARK: Running

  #if canImport(Darwin)
    // Foundation there does not say when it calls the getters, so the states are ours; see `OperationStates`.
    private let states = OperationStates()

    open override func start() { states.start(self, synchronously: true) { main() } }
    open override var isExecuting: Bool { states.isExecuting }
    open override var isFinished: Bool { states.isFinished }
  #else
    open override func start() { probedStart { super.start() } }
    open override var isExecuting: Bool { noteExecuting { super.isExecuting } }
    open override var isFinished: Bool { noteFinished { super.isFinished } }
  #endif

  // MARK: What is recorded on the way

  final var plainCompletion: CompletionBlocks.Block? {
    get { super.completionBlock }
    set { super.completionBlock = newValue }
  }

  open override func cancel() {
    noteCancel()
    super.cancel()
  }

  open override var isReady: Bool { noteReady { super.isReady } }

  open override func addDependency(_ operation: Operation) {
    noteDependency(on: operation) { super.addDependency(operation) }
  }

  open override func removeDependency(_ operation: Operation) {
    noteDependencyRemoved(operation)
    super.removeDependency(operation)
  }

  open override func waitUntilFinished() {
    noteWait { super.waitUntilFinished() }
  }

  open override var name: String? {
    get { super.name }
    set {
      super.name = newValue
      noteName(newValue)
    }
  }

  open override var queuePriority: QueuePriority {
    get { super.queuePriority }
    set {
      super.queuePriority = newValue
      probe.record(EventFields.PriorityChanged(value: Int64(newValue.rawValue)))
    }
  }

  open override var qualityOfService: QualityOfService {
    get { super.qualityOfService }
    set {
      super.qualityOfService = newValue
      _ = probe.claim(OperationProbe.Bits.quality)
      probe.record(EventFields.QualityChanged(value: UInt64(newValue.traceValue)))
    }
  }
}
