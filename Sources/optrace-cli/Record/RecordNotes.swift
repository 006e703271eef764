#if CLI && os(Linux)
  import Foundation
  import OpTraceModel

  /// A private file in which the processes of a run tell which trace they write, or why they write none. Each note is
  /// `+PID PATH` or `-PID REASON` and a zero.
  struct RecordNotes {
    enum Note: Equatable {
      case trace(processID: String, path: String)
      case failure(processID: String, reason: String)
    }

    let path: String

    init() throws {
      let folder = FileManager.default.temporaryDirectory.path
      var template = Array("\(folder)/optrace-record.XXXXXX".utf8CString)
      guard OwnedDescriptor(mkstemp(&template)) != nil else {
        throw Failure(
          message: "cannot make a file in '\(printable(folder))': \(reason(errno)); set TMPDIR to another folder",
          status: .cannotRecord)
      }
      path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func remove() { unlink(path) }

    /// In the order in which they were written.
    func read() -> [Note] {
      guard let bytes = FileManager.default.contents(atPath: path) else { return [] }
      return bytes.split(separator: 0).compactMap { note in
        let text = String(decoding: note, as: UTF8.self)
        let parts = text.dropFirst().split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        switch text.first {
        case "+": return .trace(processID: parts[0], path: parts[1])
        case "-": return .failure(processID: parts[0], reason: parts[1])
        default: return nil
        }
      }
    }
  }
#endif
