import OpTraceModel
import OpTraceText

/// Makes the texts for stacks, each of them once: a hundred thousand tasks are suspended at only a few stacks.
final class StackWords {
  struct Words {
    var location: CodeLocation
    /// Text like `load() (main.swift:12)`. Nil: nothing is known.
    var text: String?
    /// The program's own functions, the innermost first. Nil: there is only one.
    var stack: String?
  }

  private static let most = 32
  private var known: [FrameID: Words?] = [:]

  /// Returns the texts of a stack. Nil: nothing is known about it. O(depth) the first time, then O(1).
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
