import OpTraceSymbols

/// What the system writes into a core besides memory: the threads' registers, which files were mapped, and the process's id.
///
/// After Linux's fs/binfmt_elf.c and include/linux/elfcore.h, for x86-64 and 64-bit ARM.
struct CoreNotes {
  struct MappedRange {
    var low: UInt64
    var high: UInt64
    var offset: UInt64
    var path: String
  }

  private(set) var processID: UInt32?
  private(set) var threads: [ThreadState] = []
  private(set) var files: [MappedRange] = []
  /// Where the kernel's own piece of code is.
  private(set) var kernelCode: UInt64?

  /// Where the program's own header is.
  private(set) var programHeader: UInt64?

  private var bytesRead: UInt64 = 0

  /// More counts as damage. A thread has about six notes.
  private enum Limit {
    static let notes = 1 << 20
    static let threads = 1 << 17
    static let files: UInt64 = 1 << 18
    static let bytesOfFiles: UInt64 = 64 << 20
    /// That are read of all notes.
    static let bytes: UInt64 = 128 << 20
  }

  private enum Kind {
    static let status: UInt32 = 1, process: UInt32 = 3, auxiliary: UInt32 = 6, files: UInt32 = 0x4649_4C45
  }

  /// - Complexity: O(notes); of each only what is used is read.
  init(_ file: ImageFile, _ path: String, _ segments: [ElfImage.Segment], processor: UInt16) throws(MemoryTrouble) {
    var count = 0
    for segment in segments where segment.type == ElfImage.Segment.note {
      var offset = segment.offset
      guard let end = offset.adding(segment.fileSize), end <= file.size else {
        throw .damagedCore(path, "it ends before the registers of its threads")
      }
      while end - offset >= 12, let head = file.bytes(at: offset, count: 12) {
        count += 1
        bytesRead += 12
        guard count <= Limit.notes, threads.count <= Limit.threads, bytesRead <= Limit.bytes else {
          throw .damagedCore(path, "it has more notes than a process has threads")
        }
        var cursor = ByteCursor(head)
        let (nameSize, size, kind) = (UInt64(cursor.u32()), UInt64(cursor.u32()), cursor.u32())
        let content = offset + 12 + (nameSize + 3) & ~3
        guard content <= end, size <= end - content else { break }
        read(kind, file, content, size, processor)
        offset = min(end, content + (size + 3) & ~3)
      }
    }
  }

  private mutating func read(
    _ kind: UInt32, _ file: ImageFile, _ offset: UInt64, _ size: UInt64, _ processor: UInt16
  ) {
    let limit: UInt64 = kind == Kind.files ? Limit.bytesOfFiles : 4096
    guard [Kind.status, Kind.process, Kind.auxiliary, Kind.files].contains(kind), size <= limit,
      size <= Limit.bytes - min(bytesRead, Limit.bytes),
      let bytes = file.bytes(at: offset, count: Int(size))
    else { return }
    bytesRead += size
    switch kind {
    case Kind.status: addThread(bytes, processor)
    case Kind.process:
      var cursor = ByteCursor(bytes, from: 24)
      let id = cursor.u32()
      if !cursor.isBroken { processID = id }
    case Kind.auxiliary: readAuxiliary(bytes)
    default: readFiles(bytes)
    }
  }

  /// `struct elf_prstatus`: the id at 32, the registers from 112 on.
  private mutating func addThread(_ bytes: [UInt8], _ processor: UInt16) {
    var cursor = ByteCursor(bytes, from: 32)
    var thread = ThreadState(id: cursor.u32())
    cursor = ByteCursor(bytes, from: 112)
    let isX86 = processor == 62
    let registers = (0..<(isX86 ? 27 : 34)).map { _ in cursor.u64() }
    guard !cursor.isBroken, thread.id != 0, !threads.contains(where: { $0.id == thread.id }) || threads.count > 4096
    else { return }
    if isX86 {
      thread.registers = .init(pc: registers[16], sp: registers[19], bp: registers[4])
      // The number of the call that was interrupted; below 0: it was in none.
      if let call = Int32(exactly: Int64(bitPattern: registers[15])), call >= 0,
        Self.isAsleep(call, result: Int64(bitPattern: registers[10]))
      {
        thread.call = call
        thread.arguments = [14, 13, 12, 7, 9, 8].map { registers[$0] }
      }
    } else {
      // The first argument is lost: its register has the result already.
      thread.registers = .init(pc: registers[32], sp: registers[31], bp: registers[29])
    }
    threads.append(thread)
  }

  /// The end of a process interrupts each call that sleeps: its result is one of the numbers by which the kernel begins it again, or for
  /// `epoll_wait` and the like EINTR. Any other number is a result: the thread was on its way back into the program.
  private static func isAsleep(_ call: Int32, result: Int64) -> Bool {
    (-516 ... -512).contains(result) || (result == -4 && [232, 281, 441].contains(call))
  }

  private mutating func readAuxiliary(_ bytes: [UInt8]) {
    var cursor = ByteCursor(bytes)
    while cursor.left >= 16 {
      let (key, value) = (cursor.u64(), cursor.u64())
      if key == 33 { kernelCode = value }
      if key == 3 { programHeader = value }
    }
  }

  /// The number of ranges and the size of a page; for each its begin, its end and its place in the file in pages; then all paths.
  private mutating func readFiles(_ bytes: [UInt8]) {
    var cursor = ByteCursor(bytes)
    let (count, page) = (cursor.u64(), cursor.u64())
    guard count <= Limit.files, page > 0, page <= 1 << 30, count * 24 <= UInt64(cursor.left) else { return }
    var ranges = (0..<count).map { _ in
      MappedRange(
        low: cursor.u64(), high: cursor.u64(), offset: cursor.u64().multipliedReportingOverflow(by: page).partialValue,
        path: "")
    }
    for index in ranges.indices { ranges[index].path = cursor.text() }
    files = ranges.filter { $0.low < $0.high && $0.path.hasPrefix("/") }.sorted { $0.low < $1.low }
  }
}
