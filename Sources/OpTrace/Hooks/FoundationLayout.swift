#if !canImport(Darwin)
  internal import COpTrace
  internal import Foundation

  /// Foundation's classes as the compiler saw them: these subclasses override nothing, so their metadata has each
  /// method and field of the superclass where it must be (`COpTrace/objects/layout.c`). They have no objects.
  enum FoundationLayout {
    private final class CompiledOperation: Operation, @unchecked Sendable {}
    private final class CompiledBlockOperation: BlockOperation, @unchecked Sendable {}
    private final class CompiledQueue: OperationQueue, @unchecked Sendable {}

    private static func metadata(of type: AnyClass) -> UnsafeRawPointer {
      unsafeBitCast(type, to: UnsafeRawPointer.self)
    }

    static func fill(_ calls: inout optrace_readers) {
      calls.compiled_operation = metadata(of: CompiledOperation.self)
      calls.compiled_block_operation = metadata(of: CompiledBlockOperation.self)
      calls.compiled_queue = metadata(of: CompiledQueue.self)
    }
  }
#endif
