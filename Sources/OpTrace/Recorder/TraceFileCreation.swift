internal import COpTrace
internal import Foundation
internal import OpTraceFormat

#if canImport(Glibc)
  internal import Glibc
#endif

/// Creates the file of a trace: always a new inode (a process that has the old one mapped keeps it), never through a
/// symbolic link, and private to its user.
enum TraceFileCreation {
  struct File {
    var descriptor: Int32
    var path: String
  }

  /// One at a time: two recorders that start together must not both replace the same finished trace.
  private static let lock = Lock()

  static func create(at path: String) throws(TraceRecorderError) -> File {
    lock.lock()
    defer { lock.unlock() }
    return try createAlone(at: path)
  }

  private static func createAlone(at path: String) throws(TraceRecorderError) -> File {
    var candidate = path
    for number in 2...1000 {
      if let file = openNew(candidate) { return file }
      guard errno == EEXIST else { throw TraceRecorderError(.cannotCreate, path: path, errno: errno) }
      switch occupant(of: candidate) {
      case .finishedTrace:
        if let file = try replace(candidate) { return file }
      case .liveTrace:
        candidate = TracePath.inserting("-\(number)", beforeEndingOf: path)
      case .other:
        throw TraceRecorderError(.notATrace, path: candidate)
      }
    }
    throw TraceRecorderError(.cannotCreate, path: path, errno: EEXIST)
  }

  private static func openNew(_ path: String) -> File? {
    var descriptor = open(path.asPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    if descriptor <= STDERR_FILENO {
      // The program has closed a standard stream; what it still writes there would go into the trace.
      let low = descriptor
      descriptor = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
      let error = errno
      close(low)
      guard descriptor >= 0 else {
        unlink(path.asPath)
        errno = error
        return nil
      }
    }
    // Until the first word is written, the lock shows other recorders that the file is in use. It ends with the
    // descriptor, at the latest with the process. On a file system without locks they wait as long as a file usually
    // stays empty.
    flock(descriptor, LOCK_EX | LOCK_NB)
    #if os(iOS)
      // A mapped file must stay writable while the device is locked.
      try? FileManager.default.setAttributes([.protectionKey: FileProtectionType.none], ofItemAtPath: path)
    #endif
    return File(descriptor: descriptor, path: path)
  }

  /// A new file under a temporary name, then renamed over the old one.
  private static func replace(_ path: String) throws(TraceRecorderError) -> File? {
    let temporary = "\(path).\(getpid())-\(UInt32.random(in: 0 ... .max))"
    guard let file = openNew(temporary) else {
      throw TraceRecorderError(.cannotCreate, path: path, errno: errno)
    }
    guard rename(temporary.asPath, path.asPath) == 0 else {
      let error = errno
      close(file.descriptor)
      unlink(temporary.asPath)
      throw TraceRecorderError(.cannotCreate, path: path, errno: error)
    }
    return File(descriptor: file.descriptor, path: path)
  }

  private enum Occupant { case finishedTrace, liveTrace, other }

  private static func occupant(of path: String) -> Occupant {
    let descriptor = open(path.asPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return .other }
    defer { close(descriptor) }
    var info = stat()
    guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return .other }
    var header = [UInt8](repeating: 0, count: Layout.Header.size)
    var count = pread(descriptor, &header, header.count, 0)
    // Empty, or reserved space only: perhaps another recorder is starting at this moment.
    for round in 0..<500 where header.starts(with: repeatElement(0, count: Layout.magic.count)) {
      if flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK { return .liveTrace }
      flock(descriptor, LOCK_UN)
      if count == 0, round >= 50 { return .finishedTrace }
      usleep(2000)
      count = pread(descriptor, &header, header.count, 0)
    }
    guard count >= Layout.magic.count, header.starts(with: Layout.magic) else {
      return isUnwritten(descriptor) ? .finishedTrace : .other
    }
    func number<T: FixedWidthInteger>(_ offset: Int, _: T.Type) -> T {
      header.withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: T.self)) }
    }
    guard count == header.count, number(Layout.Header.state, UInt32.self) == Layout.FileState.open.rawValue else {
      return .finishedTrace
    }
    // Open: its process is alive, or was killed. A process id alone may have been reused.
    var bootID = [UInt8](repeating: 0, count: 16)
    optrace_boot_id(&bootID)
    let processID = number(Layout.Header.processID, UInt32.self)
    let start = optrace_process_start(processID)
    let sameBoot = header[Layout.Header.bootID..<Layout.Header.bootID + 16].elementsEqual(bootID)
    return sameBoot && start != 0 && start == number(Layout.Header.processStart, UInt64.self)
      ? .liveTrace : .finishedTrace
  }

  /// Reserved space only: its process was killed before it wrote the first word.
  private static func isUnwritten(_ descriptor: Int32) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var offset: off_t = 0
    while true {
      let count = pread(descriptor, &bytes, bytes.count, offset)
      if count <= 0 { return count == 0 }
      if bytes[..<count].contains(where: { $0 != 0 }) { return false }
      offset += off_t(count)
    }
  }
}
