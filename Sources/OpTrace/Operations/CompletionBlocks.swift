internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// Completion blocks. Foundation reads an operation's when the operation is over, and gives it to a thread: right before, a block of
/// ours takes its place, which tells of its beginning and end. So one that is set late, in whatever way, is met too, and an
/// operation without one costs a look at a word. The exchange costs an allocation, for each completion block.
enum CompletionBlocks {
  typealias Block = @Sendable () -> Void

  /// What stands in the place of a completion block.
  /// Sendable: `core` is never freed and takes records of any thread.
  private struct Told: @unchecked Sendable {
    let core: OpaquePointer
    let serial: UInt32
    let block: Block

    func run() {
      optrace_emit1(core, EventKind.completionBegan.rawValue, serial)
      block()
      optrace_emit1(core, EventKind.completionEnded.rawValue, serial)
    }
  }

  /// The block that tells of this one; nil where the operation records nowhere. Its being queued is told now.
  static func told(_ block: @escaping Block, of probe: OperationProbe) -> Block? {
    guard let core = probe.core else { return nil }
    let told = Told(core: core, serial: probe.serial, block: block)
    probe.record(.completionQueued)
    return { told.run() }
  }

  /// Where Foundation keeps the block in an operation; 0: that is not known, and it has to be asked.
  private static let place: Int = {
    #if canImport(Darwin)
      return 0
    #else
      return Int(
        optrace_class_field(unsafeBitCast(Operation.self as AnyClass, to: UnsafeRawPointer.self), "__completion"))
    #endif
  }()

  /// A closure is two words; the first is 0 where there is none.
  static func mayHaveOne(_ operation: Operation) -> Bool {
    guard place != 0 else { return true }
    return Unmanaged.passUnretained(operation).toOpaque().load(fromByteOffset: place, as: UInt.self) != 0
  }
}

extension ProbedOperation {
  /// It is over, and nobody has been told yet.
  func noteCompletion() {
    guard CompletionBlocks.mayHaveOne(self), let block = plainCompletion,
      let told = CompletionBlocks.told(block, of: probe)
    else { return }
    plainCompletion = told
  }
}
