import OpTraceFormat
import OpTraceModel
import OpTraceText
import Foundation

/// Suggests existing names for one that does not exist.
enum Suggestion {
  /// `did you mean 'a' or 'b'?`; nil: no name is similar.
  static func text(_ near: [String]) -> String? {
    near.isEmpty ? nil : "did you mean " + near.map { "'\(printable($0))'" }.joined(separator: " or ") + "?"
  }

  static func text(for name: String, among names: Set<String>) -> String? {
    text(OperationLookup.near(name, among: names))
  }

  /// The same for a path, with the files in its folder. Extensions are ignored, because they are all alike.
  static func file(for path: String) -> String? {
    let (folder, name) = RawPath.parts(path)
    let names = namesInFolder(folder.isEmpty ? "." : folder)
    let byStem = Dictionary(grouping: names) { ($0 as NSString).deletingPathExtension }
    let stem = (name as NSString).deletingPathExtension
    let near = OperationLookup.near(stem, among: Set(byStem.keys)).flatMap { (byStem[$0] ?? []).sorted() }
    return text(near.prefix(3).map { (folder as NSString).appendingPathComponent($0) })
  }
}

extension OperationLookup.Unknown {
  /// The message that commands show.
  func message(in trace: String) -> String {
    "no operation is called '\(printable(name))' in \(trace)" + (Suggestion.text(suggestions).map { "; \($0)" } ?? "")
  }
}
