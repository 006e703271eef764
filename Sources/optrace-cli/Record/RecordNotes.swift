#if os(Linux)
  import COpTrace
  import Foundation
  import OpTraceFormat
  import OpTraceModel

  /// A private folder in which the processes of a run note which trace they write, or why they write none. A note is a
  /// symbolic link `PID-NUMBER` that leads nowhere: its target is the text, `+PATH` or `-REASON`. In contrast to a
  /// file, a link can be made by a process that may write no file (`ulimit -f 0`), and it is complete as soon as it
  /// exists.
  ///
  /// The same call gets a folder of the same name, because the name is in the program's environment, which tools such
  /// as package managers compare. The command holds a lock on a file in the folder, which identifies its process.
  final class RecordNotes {
    enum Note: Equatable {
      case trace(processID: pid_t, path: String)
      case failure(processID: pid_t, reason: String)
    }

    static let lockName = "command"

    let path: String
    private let lock: OwnedDescriptor
    private var isRemoved = false

    /// - Parameter call: what distinguishes this call from others.
    init(for call: [RawText]) throws {
      let temporary = FileManager.default.temporaryDirectory.standardizedFileURL.path
      let sum = call.reduce(0 as UInt64) { sum, word in
        word.bytes.withUnsafeBytes { optrace_checksum(sum, $0.baseAddress, $0.count) }
      }
      let name = "\(temporary)/optrace-record-\(getuid())-\(String(sum, radix: 36))"
      // The same call may run at the same time, or another user may have the name.
      for number in 1...1000 {
        let candidate = number == 1 ? name : "\(name)-\(number)"
        if let lock = Self.take(candidate) {
          path = candidate
          self.lock = lock
          return
        }
        guard [EEXIST, EAGAIN, EACCES, ENOENT].contains(errno), access(temporary, W_OK | X_OK) == 0 else { break }
      }
      throw Failure(
        message: "cannot make a folder in '\(printable(temporary))': \(reason(errno)); set TMPDIR to another one",
        status: .cannotRecord)
    }

    /// Nil with `errno`: the folder belongs to another user, or is in use.
    private static func take(_ folder: String) -> OwnedDescriptor? {
      guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { return nil }
      var status = stat()
      guard lstat(folder, &status) == 0 else { return nil }
      guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
        errno = EEXIST
        return nil
      }
      let file = "\(folder)/\(lockName)"
      guard let lock = OwnedDescriptor(open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)) else { return nil }
      var request = flock()
      request.l_type = Int16(F_WRLCK)
      request.l_whence = Int16(SEEK_SET)
      guard fcntl(lock.number, F_SETLK, &request) == 0 else { return nil }
      // Its last user may have removed the file between our opening and locking it.
      var held = stat()
      guard fstat(lock.number, &held) == 0, stat(file, &status) == 0, held.st_ino == status.st_ino else {
        errno = EAGAIN
        return nil
      }
      // Remove what a command that was killed has left.
      for note in notes(in: folder) { unlink("\(folder)/\(note)") }
      return lock
    }

    /// Removes the folder, once: after that, others may have the name.
    func remove() {
      guard !isRemoved else { return }
      isRemoved = true
      for name in Self.notes(in: path) + [Self.lockName] { unlink("\(path)/\(name)") }
      rmdir(path)
    }

    private static func notes(in folder: String) -> [String] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return names.filter { $0 != lockName }
    }

    /// The notes, in the order in which they were made.
    func read() -> [Note] {
      let found = Self.notes(in: path).compactMap { name -> (order: [Int], text: String)? in
        let numbers = name.split(separator: "-").compactMap { Int($0) }
        var status = stat()
        guard numbers.count == 2, lstat("\(path)/\(name)", &status) == 0, let text = target(of: name) else {
          return nil
        }
        return ([status.st_mtim.tv_sec, status.st_mtim.tv_nsec] + numbers, text)
      }
      return found.sorted { $0.order.lexicographicallyPrecedes($1.order) }.compactMap { order, text in
        let processID = pid_t(truncatingIfNeeded: order[2])
        let rest = String(text.dropFirst())
        switch text.first {
        case "+": return .trace(processID: processID, path: rest)
        case "-": return .failure(processID: processID, reason: rest)
        default: return nil
        }
      }
    }

    private func target(of name: String) -> String? {
      var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink("\(path)/\(name)", &bytes, bytes.count)
      return count > 0 ? RawPath.text(bytes[..<count].map(UInt8.init(bitPattern:))) : nil
    }
  }
#endif
