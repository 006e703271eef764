#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
internal import OpTraceProcesses

/// Swift does not offer it, as a child of threads may hold locks for ever. This one calls nothing but the demanglers and `write`;
/// memory can be allocated in it, which the C library sees to.
@_silgen_name("fork")
private func forkProcess() -> Int32

/// Demangles names in a child of this process. The runtime's demangler ends the process at some names that are damaged, and a
/// short name can stand for gigabytes of text: names that come from a file are not given to it here.
enum DemanglingChild {
  /// In bytes. A longer text is dropped.
  static let longest = 1 << 16
  /// Processor time of a child with so many names. Normally they need a thousandth of that.
  static func seconds(_ names: Int) -> rlim_t { rlim_t(1 + names / 10_000) }
  /// The memory of a child, in bytes.
  static let memory: rlim_t = 1 << 28
  /// How many names may end a child. Those behind the last stay as they are.
  static let mostDeaths = 8

  /// For each name its text, or nil. Nil for all where there is no child.
  static func demangle(_ names: [String]) -> [String?] {
    var texts = [String?](repeating: nil, count: names.count)
    var start = 0
    for _ in 0..<mostDeaths where start < names.count {
      // The name that the child did not answer is the one that it crashed on.
      guard let next = run(names[start...].map { Array($0.utf8CString) }) else { break }
      for (index, text) in next.enumerated() { texts[start + index] = text }
      start += next.count + 1
    }
    return texts
  }

  private static func run(_ names: [[CChar]]) -> [String?]? {
    guard var pipe = SystemPipe() else { return nil }
    let process = forkProcess()
    guard process != 0 else { work(names, pipe.end) }
    pipe.closeEnd()
    guard process > 0 else { return nil }
    var output: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(pipe.start, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      output.append(contentsOf: piece[..<count])
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return texts(output, most: names.count)
  }

  /// Each is its length, and its bytes; a length of zero: no text.
  private static func texts(_ output: [UInt8], most: Int) -> [String?] {
    var cursor = ByteCursor(output)
    var texts: [String?] = []
    while texts.count < most {
      let count = Int(cursor.u32())
      let start = cursor.offset
      cursor.skip(UInt64(count))
      guard !cursor.isBroken else { break }
      texts.append(count == 0 ? nil : String(decoding: output[start..<start + count], as: UTF8.self))
    }
    return texts
  }

  /// In the child.
  private static func work(_ names: [[CChar]], _ target: Int32) -> Never {
    // It dies in silence.
    for number in [SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGXCPU] { signal(number, SIG_DFL) }
    // What others write must not stay open here, and these are never many.
    for descriptor in Int32(3)..<1024 where descriptor != target { close(descriptor) }
    let nowhere = open("/dev/null", O_WRONLY)
    if nowhere >= 0 { dup2(nowhere, STDERR_FILENO) }
    limit(cpuLimit, seconds(names.count))
    limit(dataLimit, memory)
    limit(coreLimit, 0)
    for name in names {
      let text = Demangler.demangle(name)
      let length = text.map { strlen($0) } ?? 0
      var count = length <= longest ? UInt32(length).littleEndian : 0
      guard put(&count, 4, target), put(text, Int(count), target) else { break }
      free(text)
    }
    _exit(0)
  }

  private static func put(_ bytes: UnsafeRawPointer?, _ count: Int, _ target: Int32) -> Bool {
    var done = 0
    while done < count {
      let written = write(target, bytes.map { $0 + done }, count - done)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return false }
      done += written
    }
    return true
  }

  private static func limit(_ what: UInt32, _ most: rlim_t) {
    var limit = rlimit(rlim_cur: most, rlim_max: most)
    setrlimit(.init(what), &limit)
  }

  #if canImport(Glibc)
    private static let cpuLimit = RLIMIT_CPU.rawValue
    private static let dataLimit = RLIMIT_DATA.rawValue
    private static let coreLimit = RLIMIT_CORE.rawValue
  #else
    private static let cpuLimit = UInt32(RLIMIT_CPU)
    private static let dataLimit = UInt32(RLIMIT_DATA)
    private static let coreLimit = UInt32(RLIMIT_CORE)
  #endif
}
