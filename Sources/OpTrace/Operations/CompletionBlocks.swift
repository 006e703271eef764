internal import COpTrace
internal import Foundation

/// Completion blocks. Foundation reads an operation's completion block when the operation is over, and runs it on a
/// thread. Right before that it is replaced by a block of ours, which records its beginning and end. So a block that is
/// set late, in whatever way, is caught, too, and an operation without one costs a load. Replacing costs an allocation
/// per completion block.
enum CompletionBlocks {
  typealias Block = @Sendable () -> Void

  /// What replaces a completion block. Sendable: the recorder is never freed and takes records of any thread.
  private struct Recorded: @unchecked Sendable {
    let completion: optrace_completion
    let block: Block

    func run() {
      optrace_completion_begins(completion)
      block()
      optrace_completion_ends(completion)
    }
  }

  /// A block that runs this one and records it; nil: the operation records nowhere. Records now that it is queued.
  static func recorded(_ block: @escaping Block, of probe: OperationProbe) -> Block? {
    var completion = optrace_completion()
    guard optrace_completion_is_queued(probe.pointer, &completion) else { return nil }
    let recorded = Recorded(completion: completion, block: block)
    return { recorded.run() }
  }

  /// Where Foundation keeps the block in an operation; 0: not known, so the getter has to be called.
  private static let offset: Int = {
    #if canImport(Darwin)
      return 0
    #else
      return Int(
        optrace_class_field(unsafeBitCast(Operation.self as AnyClass, to: UnsafeRawPointer.self), "__completion"))
    #endif
  }()

  /// A closure is two words; the first one is 0 if there is none.
  static func mayHaveOne(_ operation: Operation) -> Bool {
    guard offset != 0 else { return true }
    return Unmanaged.passUnretained(operation).toOpaque().load(fromByteOffset: offset, as: UInt.self) != 0
  }
}

extension ProbedOperation {
  /// The operation is over, and nobody has been notified yet.
  func noteCompletion() {
    guard CompletionBlocks.mayHaveOne(self), let block = plainCompletion,
      let recorded = CompletionBlocks.recorded(block, of: probe)
    else { return }
    plainCompletion = recorded
  }
}
