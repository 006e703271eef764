import OpTraceFormat
import OpTraceKernel
package import OpTraceModel

/// A member of a cycle. Nil means not known.
public struct ChainMember: Sendable, Hashable {
  /// What it is. The raw value is the word in JSON.
  public enum Kind: String, Sendable, CaseIterable {
    /// An operation.
    case operation
    /// A thread, outside of all operations.
    case thread
    /// A lock that a thread holds.
    case lock
    /// A queue whose slots are all taken, or that does not become empty.
    case queue
    /// A block in a dispatch queue.
    case block
    /// A Swift task.
    case task
  }

  /// What it is.
  public var kind: Kind
  /// Its number in the trace; for a lock its address.
  public var id: UInt64?
  /// Its name.
  public var name: String?
  /// The function in which it waits.
  public var function: String?
  /// The source file of that function.
  public var file: String?
  /// The line in that file, from 1.
  public var line: Int?

  package init(_ kind: Kind, id: UInt64?, name: String?, at location: CodeLocation? = nil) {
    self.kind = kind
    self.id = id
    self.name = name
    (function, file, line) = (location?.function, location?.file, location?.line)
  }
}
