#if CLI
  import OpTraceExport

  /// What somebody may have meant who typed a name that there is not.
  enum Suggestion {
    /// `did you mean 'a' or 'b'?`; nil where nothing is near.
    static func text(_ near: [String]) -> String? {
      near.isEmpty ? nil : "did you mean " + near.map { "'\(printable($0))'" }.joined(separator: " or ") + "?"
    }

    static func text(for name: String, among names: Set<String>) -> String? {
      text(OperationLookup.near(name, among: names))
    }
  }

  extension OperationLookup.Unknown {
    /// As the commands say it.
    func message(in trace: String) -> String {
      "no operation is called '\(printable(name))' in \(trace)" + (Suggestion.text(suggestions).map { "; \($0)" } ?? "")
    }
  }
#endif
