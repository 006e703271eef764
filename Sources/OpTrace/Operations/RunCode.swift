internal import COpTrace
internal import Foundation

/// The function that an operation runs, if that is not its class's: what a block was made of says more than
/// "BlockOperation". `describe/closures.c` looks into a `BlockOperation` too.
enum RunCode {
  /// The address of a closure's function.
  static func address(of block: @escaping @Sendable () -> Void) -> UInt { BlockHolder(block: block).address }

  /// The same for an asynchronous closure.
  static func address(of block: @escaping @Sendable () async throws -> Void) -> UInt {
    AsyncHolder(block: block).address
  }

  /// A class whose operations may run different code.
  static func isChosen(for type: AnyClass) -> Bool { type is BlockOperation.Type || type is TracedTaskOperation.Type }

  /// 0: not known.
  static func address(of operation: Operation) -> UInt {
    operation.probed?.code ?? (operation is BlockOperation ? address(ofForeign: operation) : 0)
  }

  /// The same for a `BlockOperation`, from what Foundation has of it.
  static func address(ofForeign operation: Operation) -> UInt {
    guard blockOffset != 0 else { return 0 }
    // The first word of a closure is its function; a plain block operation without a block has none.
    return Unmanaged.passUnretained(operation).toOpaque().load(fromByteOffset: blockOffset, as: UInt.self)
  }

  private static let blockOffset = Int(
    optrace_class_field(unsafeBitCast(BlockOperation.self as AnyClass, to: UnsafeRawPointer.self), "_block"))
}

/// A closure is two words, its function and its context. In a structure of its own type it is stored unchanged; passed
/// as a generic argument it would become the function of a thunk.
private struct BlockHolder {
  let block: @Sendable () -> Void
  var address: UInt {
    guard MemoryLayout<Self>.size == 2 * MemoryLayout<UInt>.size else { return 0 }
    return unsafeBitCast(self, to: (UInt, UInt).self).0
  }
}

/// The function word of an asynchronous closure points to a description, which begins with the distance to the code.
private struct AsyncHolder {
  let block: @Sendable () async throws -> Void
  var address: UInt {
    guard MemoryLayout<Self>.size == 2 * MemoryLayout<UInt>.size,
      let description = UnsafeRawPointer(bitPattern: unsafeBitCast(self, to: (UInt, UInt).self).0)
    else { return 0 }
    return UInt(bitPattern: description) &+ UInt(bitPattern: Int(description.load(as: Int32.self)))
  }
}
