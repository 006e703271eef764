package import OpTraceModel

extension StackTable {
  /// Whether the stack waits for the next element of an `AsyncStream`, by the name of the runtime's function. O(depth).
  package func readsStream(_ at: FrameID) -> Bool {
    stack(at).contains { id in
      symbols(of: id).contains {
        $0.shortName.contains("AsyncStream.") || $0.shortName.contains("AsyncThrowingStream.")
      }
    }
  }
}
