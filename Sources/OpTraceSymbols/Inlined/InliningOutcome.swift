/// Whether inlined functions are among the frames.
package enum InliningOutcome: Hashable, Sendable, CustomStringConvertible {
  case notAsked
  /// By this program.
  case done(_ tool: String)
  case noTool
  /// It did not start, or said what nobody understands.
  case failed(_ tool: String, _ reason: String)
  /// It was ended; what it said until then is used.
  case late(_ tool: String, seconds: Int)

  package var description: String {
    switch self {
    case .notAsked: "Inlined functions were not asked for."
    case .done(let tool): "Inlined functions are known from \(tool)."
    case .noTool: "Inlined functions are missing: llvm-symbolizer was not found in PATH or beside swiftc."
    case .failed(let tool, let reason): "Inlined functions are missing: \(tool) \(reason)."
    case .late(let tool, let seconds):
      "Some inlined functions are missing: \(tool) took more than \(seconds) s and was ended."
    }
  }
}
