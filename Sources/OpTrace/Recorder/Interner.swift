internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// Gives texts that occur again and again (class names, source locations) a number, and writes each once into the
/// trace.
///
/// The slow path: it locks, and runs once for each class and source location. The numbers are cached in `COpTrace`.
/// Sendable: `ids` is only touched under `lock`.
final class Interner: @unchecked Sendable {
  private let core: OpaquePointer
  private let lock = Lock()
  private var ids: [String: UInt32] = [:]
  private var described = Set<UInt32>()
  /// Bytes that may still be written: in a ring the texts stay for good, and must leave room for events.
  private var bytesLeft: Int

  init(core: OpaquePointer, byteLimit: Int) {
    self.core = core
    bytesLeft = byteLimit
  }

  func id(of location: SourceLocation) -> UInt32 {
    guard location.file.hasPointerRepresentation else { return id(of: location.description) }
    let key = UInt64(UInt(bitPattern: location.file.utf8Start))
    let known = optrace_cache_find(core, key, UInt64(location.line))
    if known != 0 { return known }
    let id = id(of: location.description)
    if id != 0 { optrace_cache_add(core, key, UInt64(location.line), id) }
    return id
  }

  /// The id that `created` has as a class: of its name, or of the name with the number of the code that its operations
  /// run instead of the class's own (a frame; 0: none). Describes the class once.
  func id(of type: AnyClass, code: UInt32 = 0) -> UInt32 {
    // Apple's own classes have no Swift module.
    let parts = String(reflecting: type).split(separator: ".", maxSplits: 1)
    return id(ofClass: String(describing: type), module: parts.count > 1 ? String(parts[0]) : nil, code: code)
  }

  /// The same for something that is shown as a class.
  func id(ofClass text: String, module: String? = nil, code: UInt32 = 0) -> UInt32 {
    let id = id(of: code == 0 ? text : "\(text) f\(code)")
    let module = module.map(self.id) ?? 0
    let name = code == 0 ? id : self.id(of: text)
    guard id != 0, lock.withLock({ described.insert(id).inserted }) else { return id }
    let fields = EventFields.ClassDescribed(name: id, class: name, module: module, code: code)
    _ = optrace_define(core, EventKind.classDescribed.rawValue, 0, fields.word1, fields.word2, nil, 0)
    return id
  }

  /// Reserves room for a definition that others write. False: there is none, which is counted as a loss.
  func reserve(_ bytes: Int) -> Bool {
    lock.withLock {
      guard bytes <= bytesLeft else {
        optrace_recorder_count_lost(core, LossReason.tableFull.rawValue, 1)
        return false
      }
      bytesLeft -= bytes
      return true
    }
  }

  /// 0: the table or the file is full, which is counted as a loss.
  func id(of text: String) -> UInt32 {
    lock.withLock {
      if let id = ids[text] { return id }
      let bytes = min(text.utf8.count, Layout.longestText) + 32
      guard ids.count < Int(UInt16.max), bytes <= bytesLeft else {
        optrace_recorder_count_lost(core, LossReason.tableFull.rawValue, 1)
        return 0
      }
      let id = UInt32(ids.count + 1)
      var isWritten = false
      UTF8Text.with(text) { isWritten = optrace_define(core, EventKind.string.rawValue, id, 0, 0, $0, $1) }
      // If not, it is not remembered: there may be room the next time.
      guard isWritten else { return 0 }
      ids[text] = id
      bytesLeft -= bytes
      return id
    }
  }
}

/// Where in the program something was created.
struct SourceLocation: Sendable, CustomStringConvertible {
  let file: StaticString
  let line: UInt

  var description: String { "\(file):\(line)" }
}
