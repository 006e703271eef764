internal import COpTrace
package import Foundation

extension FollowedOperation {
  /// Its name, else its class.
  package static func title(of operation: Operation?) -> String { operation?.name ?? className(of: operation) }

  /// As in the trace.
  package static func className(of operation: Operation?) -> String {
    operation.map { String(describing: Swift.type(of: $0)) } ?? "Barrier"
  }

  /// The function that its class makes it run; nil: it runs a block.
  package static func function(of operation: Operation?) -> String? {
    guard let operation, !RunCode.isChosen(for: Swift.type(of: operation)) else { return nil }
    let name = String(reflecting: Swift.type(of: operation))
    if operation is TracedAsyncOperation { return name + ".execute" }
    let startsItself =
      operation.ownProbe?.isRecordedByHooks
      ?? optrace_object_runs_itself(operation.address)
    return name + (startsItself ? ".start" : ".main")
  }

  /// Where the program says that it was created.
  package static func source(of operation: Operation?) -> (file: String, line: UInt)? {
    operation?.probed?.sourceLocation.map { ("\($0.file)", $0.line) }
  }
}
