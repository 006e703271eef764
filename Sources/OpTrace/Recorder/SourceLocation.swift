internal import COpTrace

/// Where in the program something was created.
struct SourceLocation: Sendable, CustomStringConvertible {
  let file: StaticString
  let line: UInt

  var description: String { "\(file):\(line)" }

  /// Its number in a trace: `COpTrace` writes the text into it when the number is first asked for (`COpTraceBegin.h`), under
  /// a lock. 0: there is no room, which is counted as a loss.
  func id(in core: OpaquePointer) -> UInt32 {
    guard file.hasPointerRepresentation else { return textID(in: core) }
    let key = UInt64(UInt(bitPattern: file.utf8Start))
    let known = optrace_cache_find(core, key, UInt64(line))
    if known != 0 { return known }
    let id = textID(in: core)
    if id != 0 { optrace_cache_add(core, key, UInt64(line), id) }
    return id
  }

  private func textID(in core: OpaquePointer) -> UInt32 {
    let text = description
    return optrace_text_id(core, text, text.utf8.count)
  }
}
