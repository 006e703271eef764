import OpTraceModel
import OpTraceText

/// What is said of stacks, each made once: a hundred thousand tasks stand at a few.
final class StackWords {
  struct Words {
    var location: CodeLocation
    /// `load() (main.swift:12)`; nil: none is known.
    var text: String?
    /// The program's own functions, the innermost first; nil: there is only one.
    var stack: String?
  }

  private static let most = 32
  private var known: [FrameID: Words?] = [:]

  /// Nil: nothing is known of it. O(depth) the first time, then O(1).
  func of(_ innermost: FrameID?, in stacks: StackTable) -> Words? {
    guard let innermost else { return nil }
    if let words = known[innermost] { return words }
    let words = make(innermost, stacks)
    known[innermost] = .some(words)
    return words
  }

  private func make(_ innermost: FrameID, _ stacks: StackTable) -> Words? {
    guard let location = stacks.codeLocation(innermost) else { return nil }
    var words = Words(location: location, text: location.text)
    let own = stacks.frames(innermost).filter(\.isOwn)
    guard own.count > 1 else { return words }
    let lines = StackLines(Array(own.prefix(Self.most)), isFull: true).lines
    words.stack = lines.map(\.text).joined(separator: " ← ")
    return words
  }
}
