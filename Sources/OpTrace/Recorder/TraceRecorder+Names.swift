internal import COpTrace

/// Numbers of what occurs again and again: `COpTrace` writes each into the trace when its number is first asked for
/// (`COpTraceBegin.h`), under a lock. 0: there is no room, which is counted as a loss.
extension TraceRecorder {
  func id(of location: SourceLocation) -> UInt32 {
    guard location.file.hasPointerRepresentation else { return id(ofText: location.description) }
    let key = UInt64(UInt(bitPattern: location.file.utf8Start))
    let known = optrace_cache_find(core, key, UInt64(location.line))
    if known != 0 { return known }
    let id = id(ofText: location.description)
    if id != 0 { optrace_cache_add(core, key, UInt64(location.line), id) }
    return id
  }

  private func id(ofText text: String) -> UInt32 { optrace_text_id(core, text, text.utf8.count) }

  /// - Parameter code: the number of the code that its operations run instead of the class's own; 0: none.
  func id(of type: AnyClass, code: UInt32 = 0) -> UInt32 {
    // Apple's own classes have no Swift module.
    let parts = String(reflecting: type).split(separator: ".", maxSplits: 1)
    return id(ofClass: String(describing: type), module: parts.count > 1 ? String(parts[0]) : nil, code: code)
  }

  /// The same for something that is shown as a class.
  func id(ofClass name: String, module: String? = nil, code: UInt32 = 0) -> UInt32 {
    optrace_class_id(core, name, name.utf8.count, module, module?.utf8.count ?? 0, code)
  }
}

/// Where in the program something was created.
struct SourceLocation: Sendable, CustomStringConvertible {
  let file: StaticString
  let line: UInt

  var description: String { "\(file):\(line)" }
}
