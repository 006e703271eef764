package import OpTraceModel

/// The lines that show a stack to people; the report's page has the same rule (`stacks.mjs`).
package struct StackLines {
  /// One function, or some of the system in a row.
  package struct Line: Equatable {
    package var text: String
    /// Of the program's own code.
    package var isOwn: Bool
  }

  package private(set) var lines: [Line] = []

  /// `isFull`: nothing is folded. A stack without own code is always shown in full.
  package init(_ frames: [StackFrame], isFull: Bool = false) {
    let isFolded = !isFull && frames.contains(where: \.isOwn)
    var system: [StackFrame] = []
    func text(_ frame: StackFrame) -> String {
      var text = frame.isGuessed ? "? " : ""
      text += TerminalText.printable(frame.title)
      if let line = frame.lineText {
        text += " (\(TerminalText.printable(line)))"
      } else if frame.function != nil, let image = frame.image {
        text += " in \(TerminalText.printable(image))"
      }
      return text + (frame.isInlined ? ", inlined" : "")
    }
    func fold() {
      defer { system = [] }
      guard !system.isEmpty else { return }
      var images: [String] = []
      for frame in system {
        let name = frame.image.map(Self.shortName) ?? "unknown code"
        if !images.contains(name) { images.append(name) }
      }
      let guessed = system.contains(where: \.isGuessed) ? "? " : ""
      let names = TerminalText.printable(images.prefix(4).joined(separator: ", ")) + (images.count > 4 ? ", …" : "")
      lines.append(Line(text: "\(guessed)… \(counted(system.count, "frame")) of \(names)", isOwn: false))
    }
    for frame in frames {
      if isFolded, !frame.isOwn {
        system.append(frame)
      } else {
        fold()
        lines.append(Line(text: text(frame), isOwn: frame.isOwn))
      }
    }
    fold()
  }

  /// `libFoundation` of `libFoundation.so.6`.
  private static func shortName(_ image: String) -> String {
    image.split(separator: ".", omittingEmptySubsequences: false).first.flatMap { $0.isEmpty ? nil : String($0) }
      ?? image
  }
}
