public import OpTraceModel

extension Trace {
  /// What waits for which operation, and whether that is over: "outer for inner, ended". "nobody" waits outside of operations.
  public var waitsInWords: [String] {
    waits.map { wait in
      let inside = wait.inside.flatMap { operation($0)?.name } ?? "nobody"
      guard case .operation(let id) = wait.target else { return "\(inside) for another thing" }
      return "\(inside) for \(operation(id)?.name ?? "")\(wait.ended == nil ? "" : ", ended")"
    }
  }
}
