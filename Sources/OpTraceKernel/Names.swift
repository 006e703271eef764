package import OpTraceModel

/// Shortens names that are too long, in the same way in every output: both ends stay, with an ellipsis between them.
///
/// The end often distinguishes names: `image.resize.large`, `closure #2 in load(_:)`.
package enum NameCut {
  /// The text, shortened if it has more characters than `most`. O(most), plus counting the characters.
  package static func inside(_ text: String, _ most: Int) -> String {
    guard text.count > most else { return text }
    return inside(text, to: Double(most), ellipsis: 1) { _ in 1 }
  }

  /// Shortens a text that is known to be too wide, for characters of different widths, in any unit. A function first
  /// loses its argument labels, then the function that a closure is in, then its type. No spaces remain beside the
  /// ellipsis. O(length).
  package static func inside(
    _ text: String, to widest: Double, ellipsis: Double, width: (Character) -> Double
  ) -> String {
    let briefer = brieferForms(of: text)
    for form in briefer where form.reduce(0, { $0 + width($1) }) <= widest { return form }
    // A second ellipsis says no more than one, so drop `(…)`.
    let text = briefer.last.map { String($0.dropLast("(…)".count)) } ?? text
    if !briefer.isEmpty, text.reduce(0, { $0 + width($1) }) <= widest { return text }
    let room = max(0, widest - ellipsis)
    var used = 0.0
    var end = text.endIndex
    while end > text.startIndex {
      let before = text.index(before: end)
      let next = width(text[before])
      if used + next > min(room, widest / 2) { break }
      used += next
      end = before
    }
    var start = text.startIndex
    while start < end {
      let next = width(text[start])
      if used + next > room { break }
      used += next
      start = text.index(after: start)
    }
    while start > text.startIndex, text[text.index(before: start)] == " " { start = text.index(before: start) }
    while end < text.endIndex, text[end] == " " { end = text.index(after: end) }
    return text[..<start] + "…" + text[end...]
  }

  /// `closure #1 in static Epoll.wait(…)`, `Epoll.wait(…)`, `wait(…)` for a function with labels; nothing for other
  /// names.
  static func brieferForms(of name: String) -> [String] {
    guard name.hasSuffix(":)"), name.utf8.count < 1000, let open = name.lastIndex(of: "("),
      name[name.index(after: open)...].dropLast().allSatisfy({ $0 == ":" || $0 == "_" || $0.isLetter || $0.isNumber })
    else { return [] }
    var function = name[..<open]
    var forms = [function]
    while function.hasPrefix("closure #") || function.hasPrefix("implicit closure #"),
      let end = function.firstRange(of: " in ")
    {
      function = function[end.upperBound...]
    }
    if function.hasPrefix("static ") { function = function.dropFirst("static ".count) }
    if function != forms[0] { forms.append(function) }
    if let dot = function.lastIndex(of: "."), dot > function.startIndex {
      forms.append(function[function.index(after: dot)...])
    }
    return forms.filter { !$0.isEmpty }.map { $0 + "(…)" }
  }
}

/// What numbered names have in common: "Download" of "Download 12", "part … of …" of "part 3 of 40".
package enum NameStem {
  /// Replaces every number by an ellipsis (``NamePattern``); one at an end is dropped, with the punctuation beside it.
  package static func of(_ name: String) -> String {
    var text = Substring(NamePattern.of(String(decoding: name.utf8.prefix(300), as: UTF8.self), mark: "…"))
    while let last = text.last, " …-_.#:/([".contains(last) { text.removeLast() }
    while let first = text.first, " …-_.#:/)]".contains(first) { text.removeFirst() }
    return String(text)
  }
}

/// What numbered names have in common: each number is replaced by a mark.
///
/// `Load tile 17` and `Load tile 4` are both `Load tile #`. A number is a row of digits, a UUID, `0x` with hexadecimal
/// digits, or a word of eight or more hexadecimal digits that include decimal ones (a checksum). If the mark already
/// precedes a number, it is not doubled.
package enum NamePattern {
  /// - Parameter mark: what replaces a number. O(length).
  package static func of(_ name: String, mark: StaticString = "#") -> String {
    var name = name
    let mark = UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
    return name.withUTF8 { bytes in
      guard bytes.contains(where: isDigit) else { return String(decoding: bytes, as: UTF8.self) }
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count)
      var index = 0
      while index < bytes.count {
        guard isWord(bytes[index]) else {
          result.append(bytes[index])
          index += 1
          continue
        }
        let uuid = uuidEnd(bytes, index)
        if let uuid {
          append(mark, to: &result)
          index = uuid
          continue
        }
        let end = wordEnd(bytes, index)
        if isHexadecimal(bytes[index..<end]) {
          append(mark, to: &result)
        } else {
          append(bytes[index..<end], to: &result, mark)
        }
        index = end
      }
      return String(decoding: result, as: UTF8.self)
    }
  }

  private static func append(_ mark: UnsafeBufferPointer<UInt8>, to result: inout [UInt8]) {
    if !result.suffix(mark.count).elementsEqual(mark) { result.append(contentsOf: mark) }
  }

  /// Appends a word that is not a number as a whole, with its digits replaced.
  private static func append(
    _ word: Slice<UnsafeBufferPointer<UInt8>>, to result: inout [UInt8], _ mark: UnsafeBufferPointer<UInt8>
  ) {
    for byte in word {
      if isDigit(byte) { append(mark, to: &result) } else { result.append(byte) }
    }
  }

  private static func wordEnd(_ bytes: UnsafeBufferPointer<UInt8>, _ begin: Int) -> Int {
    var end = begin
    while end < bytes.count, isWord(bytes[end]) { end += 1 }
    return end
  }

  private static func isHexadecimal(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    if word.count > 2, word.first == UInt8(ascii: "0"), word.dropFirst().first == UInt8(ascii: "x") {
      return word.dropFirst(2).allSatisfy(isHexDigit)
    }
    return word.count >= 8 && word.allSatisfy(isHexDigit) && word.contains(where: isDigit)
  }

  /// The end of a UUID (`8-4-4-4-12` hexadecimal digits) that begins here, if no letter or digit follows it; nil: it is
  /// none.
  private static func uuidEnd(_ bytes: UnsafeBufferPointer<UInt8>, _ begin: Int) -> Int? {
    let length = 36
    guard begin + length <= bytes.count else { return nil }
    for offset in 0..<length {
      let byte = bytes[begin + offset]
      let isDash = [8, 13, 18, 23].contains(offset)
      guard isDash ? byte == UInt8(ascii: "-") : isHexDigit(byte) else { return nil }
    }
    let end = begin + length
    return end < bytes.count && isWord(bytes[end]) ? nil : end
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }
  private static func isWord(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) }
}

/// The titles of queues that are shown side by side.
package struct QueueTitles: Sendable {
  /// Names that several queues have.
  private let shared: Set<String>
  private let sharedLabels: Set<String>

  /// O(queues).
  package init(_ trace: Trace) {
    var seen: Set<String> = []
    shared = Set(trace.queues.map(\.title).filter { !seen.insert($0).inserted })
    seen = []
    sharedLabels = Set(trace.dispatchQueues.map(\.title).filter { !seen.insert($0).inserted })
  }

  /// A queue's title; queues with the same name are shown with their numbers.
  package func title(of queue: QueueRecord) -> String {
    with(queue, queue.title)
  }

  /// The title inside a sentence: `queue network (queue 7)`.
  package func phrase(of queue: QueueRecord) -> String { with(queue, queue.phrase) }

  /// A dispatch queue's title, made in the same way.
  package func title(of queue: DispatchQueueRecord) -> String {
    sharedLabels.contains(queue.title) ? "\(queue.title) (dispatch queue \(queue.id.rawValue))" : queue.title
  }

  /// `dispatch queue disk`, or a substitute for one without a label.
  package func phrase(of queue: DispatchQueueRecord) -> String {
    queue.label.allSatisfy(\.isWhitespace) ? queue.title : "dispatch queue " + title(of: queue)
  }

  private func with(_ queue: QueueRecord, _ text: String) -> String {
    shared.contains(queue.title) ? "\(text) (queue \(queue.id.rawValue))" : text
  }
}
