internal import COpTrace
internal import Dispatch
public import Foundation
internal import OpTraceFormat

/// A block operation that records its life, and each of its blocks with the thread that ran it.
///
/// Several blocks run at the same time, as Apple documents it; Foundation on Linux runs those of a plain
/// `BlockOperation` one after the other. The operation is finished when all of them have returned.
///
/// Sendable: `Operation` is; the stored properties here are set before the operation is shared.
open class TracedBlockOperation: BlockOperation, ProbedOperation, @unchecked Sendable {
  @exclusivity(unchecked) private var probeStorage = OperationProbe.emptyStorage
  private(set) final var probe = OperationProbe.none
  /// Set before the operation is shared, if at all.
  private(set) var sourceLocation: SourceLocation?
  var isProbedAsAsynchronous: Bool { false }
  /// Of the first block that was added.
  private final var addedCode: UInt = 0
  /// A block given to Foundation's initialiser stays there.
  final var code: UInt { addedCode == 0 ? RunCode.address(ofForeign: self) : addedCode }

  // The only designated initialiser; otherwise a subclass's `override init() {}` would not compile.
  public override init() {
    probe = OperationProbe(in: &probeStorage, here: optrace_here())
    super.init()
  }

  /// - Parameter name: shown instead of the class's name. Nil keeps Foundation's default.
  public convenience init(
    name: String?, file: StaticString = #fileID, line: UInt = #line, block: @escaping @Sendable () -> Void
  ) {
    self.init()
    sourceLocation = SourceLocation(file: file, line: line)
    if let name { self.name = name }
    addExecutionBlock(block)
  }

  deinit {
    // Parts of a subclass's object are gone: Foundation's own answers do without them.
    if isUnmetDependent { noteUnmet(name: super.name, dependencies: super.dependencies) }
    probe.end()
  }

  open override func addExecutionBlock(_ block: @escaping @Sendable () -> Void) {
    if addedCode == 0 { addedCode = RunCode.address(of: block) }
    super.addExecutionBlock(block)
  }

  /// Runs the blocks; if there are several, concurrently on idle threads.
  open override func main() {
    // Typed as in Foundation: casting an array of `@Sendable` functions to one of others traps on Linux.
    let blocks: [@Sendable () -> Void] = executionBlocks
    guard blocks.count > 1 else {
      blocks.first?()
      return
    }
    let probe = probe
    DispatchQueue.concurrentPerform(iterations: blocks.count) { index in
      probe.record(EventFields.BlockBegan(index: UInt32(clamping: index)))
      optrace_frame_push(probe.pointer)
      optrace_frame_set_phase(UInt32(optrace_phase_block))
      probe.run(blocks[index])
      optrace_frame_pop()
      probe.record(EventFields.BlockEnded(index: UInt32(clamping: index)))
    }
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
