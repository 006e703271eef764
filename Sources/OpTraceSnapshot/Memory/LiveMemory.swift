import Foundation
package import OpTraceSymbols

/// A process that runs. Nothing stops it, no signal is sent to it, and it is not traced: it does not notice.
///
/// Its memory is read through `/proc/PID/mem`, which stays the memory of this program: if the process ends or becomes another one, there
/// is nothing more to read, even if the id is given away again. Of that only pages are read that are there already: see ``PageMap``.
package struct LiveMemory: ProcessMemory {
  package let processID: UInt32
  package let machine: ElfFile.Machine
  /// As they were when it was opened, or looked at again.
  package private(set) var mappings: [MemoryMapping] = []
  private let memory: SystemFile
  private let pages: PageMap
  private let files: LiveFiles
  let folder: String
  /// In ticks since the machine's start: with the id it names a process.
  private let began: String

  package init(_ processID: UInt32) throws(MemoryTrouble) {
    guard processID != UInt32(getpid()) else { throw .ownProcess }
    self.processID = processID
    folder = "/proc/\(processID)"
    let status = try Self.status(of: processID)
    began = status.began
    if status.letter == UInt8(ascii: "Z") || status.letter == UInt8(ascii: "X") { throw .zombie(processID) }
    do throws(SystemNumber) {
      memory = try SystemFile("\(folder)/mem")
      pages = try PageMap(folder)
      mappings = try Self.mappings(folder)
    } catch {
      if error.isMissing { throw .noSuchProcess(processID) }
      if error.isRefused { throw .noPermission(processID) }
      throw .cannotRead(folder, error.text)
    }
    files = LiveFiles(folder)
    guard try Self.status(of: processID).began == began else { throw .ended(processID) }
    guard !mappings.isEmpty else { throw .noProgram(processID) }
    guard let machine = ElfFile(path: "\(folder)/exe")?.machine ?? ElfFile.own else { throw .noProgram(processID) }
    guard machine == ElfFile.own else { throw .otherMachine(machine.name) }
    self.machine = machine
  }

  private static func mappings(_ folder: String) throws(SystemNumber) -> [MemoryMapping] {
    guard let text = try SystemFile.text("\(folder)/maps") else { throw SystemNumber(value: EFBIG) }
    return text.split(separator: "\n").compactMap { MemoryMapping(line: $0) }.inOrder()
  }

  /// The same process with the mappings that it has now.
  package func again() throws(MemoryTrouble) -> any ProcessMemory {
    var now = self
    do throws(SystemNumber) {
      now.mappings = try Self.mappings(folder)
    } catch {
      throw trouble(error) ?? .cannotRead(folder, error.text)
    }
    guard !now.mappings.isEmpty else { throw .ended(processID) }
    return now
  }

  private func trouble(_ error: SystemNumber) -> MemoryTrouble? {
    if error.isMissing { return .ended(processID) }
    return error.isRefused ? .noPermission(processID) : nil
  }

  package func fill(_ target: UnsafeMutableRawBufferPointer, from address: UInt64) throws(MemoryTrouble) -> Int {
    var done = 0
    // One turn for each mapping.
    while done < target.count {
      let at = address &+ UInt64(done)
      guard at >= address, let mapping = mappings.containing(at), mapping.isPlain else { break }
      let rest = UnsafeMutableRawBufferPointer(
        rebasing: target[done...].prefix(Int(clamping: mapping.high - at)))
      let count = try fill(rest, from: at, in: mapping)
      done += count
      if count < rest.count { break }
    }
    return done
  }

  /// From one mapping, piece by piece: pages that are there, and others.
  private func fill(
    _ target: UnsafeMutableRawBufferPointer, from address: UInt64, in mapping: MemoryMapping
  ) throws(MemoryTrouble) -> Int {
    let size = PageMap.page
    let first = address & ~(size - 1)
    var done = 0
    do throws(SystemNumber) {
      let pages = try pages.pages(
        from: first, count: (address - first + UInt64(target.count) - 1) / size + 1)
      // There is something of each mapping while the process lives.
      guard !pages.isEmpty else { throw SystemNumber(value: ESRCH) }
      var index = 0
      while index < pages.count, done < target.count {
        let isThere = pages[index].isThere
        let end = pages[index...].firstIndex { $0.isThere != isThere } ?? pages.endIndex
        let most = first + UInt64(end) * size - address - UInt64(done)
        let rest = UnsafeMutableRawBufferPointer(
          rebasing: target[done...].prefix(Int(clamping: most)))
        let at = address + UInt64(done)
        let count =
          isThere ? try memory.fill(rest, at: at) : fillUntouched(rest, from: at, in: mapping)
        // At a place that can be read there is at least a byte while the process lives.
        if isThere, count == 0 { throw SystemNumber(value: ESRCH) }
        done += count
        if count < rest.count { return done }
        index = end
      }
    } catch {
      if let trouble = trouble(error) { throw trouble }
    }
    return done
  }

  /// What the process would find in pages that it has not touched: zeros, or a file's content. Of shared memory nobody knows.
  private func fillUntouched(
    _ target: UnsafeMutableRawBufferPointer, from address: UInt64, in mapping: MemoryMapping
  ) -> Int {
    guard mapping.isReadable, !mapping.isShared else { return 0 }
    guard mapping.isOfFile else {
      guard mapping.path != "[vdso]" else { return 0 }
      target.initializeMemory(as: UInt8.self, repeating: 0)
      return target.count
    }
    guard let offset = mapping.offset.adding(address - mapping.low) else { return 0 }
    return files.file(of: mapping)?.fill(target, at: offset) ?? 0
  }

  package func written(in range: Range<UInt64>) throws(MemoryTrouble) -> Range<UInt64>? {
    var low = range.lowerBound
    while low < range.upperBound,
      let part = mappings.first(in: low..<range.upperBound, where: \.mayHaveObjects)
    {
      do throws(SystemNumber) {
        if let found = try pages.written(in: part) { return found }
      } catch {
        throw trouble(error) ?? .cannotRead(folder, error.text)
      }
      low = part.upperBound
    }
    return nil
  }

  package func readable(in range: Range<UInt64>) -> Range<UInt64>? {
    mappings.first(in: range) { $0.isReadable && $0.isPlain }
  }

  package var handledSignals: UInt64? {
    status("SigCgt").flatMap { UInt64($0, radix: 16) }.map { $0 & Signals.asked }
  }

  package var programHeader: UInt64? {
    let words = (try? SystemFile("\(folder)/auxv").words(at: 0, count: 128)) ?? []
    // Pairs of a key and a value; AT_PHDR.
    return stride(from: 0, to: words.count - 1, by: 2).first { words[$0] == 3 }.map {
      words[$0 + 1]
    }
  }

  /// A mask in words of 32 bits.
  package var processors: Int? {
    status("Cpus_allowed").map { mask in
      mask.split(separator: ",").reduce(0) { $0 + (UInt64($1, radix: 16)?.nonzeroBitCount ?? 0) }
    }
  }

  /// A value of `/proc/PID/status`.
  private func status(_ name: String) -> Substring? {
    let text = (try? SystemFile.text("\(folder)/status")).flatMap(\.self)
    return text?.split(separator: "\n").first { $0.hasPrefix("\(name):") }?.split(
      whereSeparator: \.isWhitespace
    ).last
  }

  package func threads() throws(MemoryTrouble) -> [ThreadState] {
    let tasks = "\(folder)/task"
    let ids = ((try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []).compactMap { UInt32($0) }.sorted()
    let threads = ids.compactMap { id in LiveThread.state(of: id, "\(tasks)/\(id)") }
    guard !threads.isEmpty, try Self.status(of: processID).began == began else { throw .ended(processID) }
    return threads
  }

  package func file(of mapping: MemoryMapping) throws(MemoryTrouble) -> ImageFile? {
    guard mapping.isOfFile else { return nil }
    if let file = files.file(of: mapping) { return file }
    // File systems may give a file another number than the one that is mapped.
    for path in files.paths(of: mapping) {
      if let file = try? ImageFile(path: path), MappedFile(self, of: mapping).isSame(as: file) == true {
        return file
      }
    }
    return nil
  }

  /// The state of the process, and when it began.
  private static func status(
    of processID: UInt32
  ) throws(MemoryTrouble) -> (
    letter: UInt8?, began: String
  ) {
    guard let text = try? SystemFile.text("/proc/\(processID)/stat"),
      let fields = LiveThread.fields(ofStatus: text), fields.count > 19
    else { throw .noSuchProcess(processID) }
    return (fields[0].utf8.first, String(fields[19]))
  }
}

extension MemoryMapping {
  /// A line of `/proc/PID/maps`: "7f00-7f10 r-xp 00002000 08:01 1234   /usr/lib/libc.so.6". Nil: it is another text.
  init?(line: Substring) {
    let parts = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
    guard parts.count >= 5, parts[1].utf8.count == 4, let dash = parts[0].firstIndex(of: "-"),
      let low = UInt64(parts[0][..<dash], radix: 16),
      let high = UInt64(parts[0][parts[0].index(after: dash)...], radix: 16),
      let offset = UInt64(parts[2], radix: 16), low < high
    else { return nil }
    var path = parts.count > 5 ? Substring(parts[5].drop { $0 == " " }) : ""
    let gone = " (deleted)"
    let isDeleted = path.hasPrefix("/") && path.hasSuffix(gone)
    if isDeleted { path = path.dropLast(gone.count) }
    let rights = Array(parts[1].utf8)
    let device = parts[3].split(separator: ":").compactMap { UInt64($0, radix: 16) }
    var node: Node?
    if device.count == 2, let number = UInt64(parts[4]), number != 0 {
      node = Node(major: device[0], minor: device[1], number: number)
    }
    self.init(
      low: low, high: high, isReadable: rights[0] == UInt8(ascii: "r"), isWritable: rights[1] == UInt8(ascii: "w"),
      isExecutable: rights[2] == UInt8(ascii: "x"), offset: offset, path: String(path), isDeleted: isDeleted,
      isShared: rights[3] != UInt8(ascii: "p"), node: node)
  }

  /// Memory like any other: reading it does nothing else. A device's registers are none, nor is what only drivers know.
  fileprivate var isPlain: Bool {
    if isShared {
      return ["/dev/zero", "/dev/shm/", "/memfd:", "/SYSV"].contains(where: path.hasPrefix)
    }
    if path == "/dev/zero" { return true }
    return path.isEmpty || isOfFile && !path.hasPrefix("/dev/")
      || ["[heap]", "[stack", "[anon:", "[vdso]"].contains(where: path.hasPrefix)
  }

  fileprivate var mayHaveObjects: Bool { isWritable && isReadable && !isShared && isPlain }
}

/// A thread in `/proc/PID/task`.
enum LiveThread {
  /// Nil: it has ended.
  static func state(of id: UInt32, _ folder: String) -> ThreadState? {
    func text(_ name: String) -> String? { (try? SystemFile.text("\(folder)/\(name)")).flatMap(\.self) }
    guard let status = text("stat"), let fields = fields(ofStatus: status) else { return nil }
    var state = ThreadState(id: id)
    state.letter = fields.first?.utf8.first
    // The 39th of all, of which the first two are not among these.
    state.processor = fields.count > 36 ? UInt32(fields[36]) : nil
    state.name = text("comm").map { String($0.hasSuffix("\n") ? $0.dropLast() : $0[...]) }
    state.runs = text("schedstat").flatMap(runs)
    state.lastRan = text("sched").flatMap(lastRan)
    if let call = text("syscall") { read(call, into: &state) }
    return state
  }

  /// "12 (a name) S 1 …": the name may hold anything. The fields behind it, from the state on.
  static func fields(ofStatus text: String) -> [Substring]? {
    text.lastIndex(of: ")").map { text[text.index(after: $0)...].split(separator: " ") }
  }

  /// "time delay times".
  static func runs(_ text: String) -> ThreadState.Runs? {
    let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) }
    guard numbers.count == 3, numbers[2] > 0 else { return nil }
    return ThreadState.Runs(times: numbers[2], time: numbers[0])
  }

  /// "se.exec_start   :   2214167.925792", in milliseconds.
  static func lastRan(_ text: String) -> UInt64? {
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("se.exec_start") }),
      let value = line.split(separator: ":").last.map({ $0.split(separator: ".") }), value.count == 2,
      let whole = UInt64(value[0].drop { $0 == " " }), let part = UInt64(value[1]), value[1].count == 6
    else { return nil }
    let (scaled, isTooLarge) = whole.multipliedReportingOverflow(by: 1_000_000)
    return isTooLarge ? nil : scaled.adding(part)
  }

  /// When this thread itself was last seen to run, which is now. Nil: the system does not say.
  static var ownTime: UInt64? { (try? SystemFile.text("/proc/thread-self/sched")).flatMap(\.self).flatMap(lastRan) }

  /// "running", "-1 sp pc" (in the kernel, but in no call), or "number, six arguments, sp, pc".
  static func read(_ text: String, into state: inout ThreadState) {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count == 3 || words.count == 9, let call = Int32(words[0]) else { return }
    let numbers = words.dropFirst().compactMap { $0.hasPrefix("0x") ? UInt64($0.dropFirst(2), radix: 16) : nil }
    guard numbers.count == words.count - 1 else { return }
    state.registers = .init(pc: numbers[numbers.count - 1], sp: numbers[numbers.count - 2])
    guard numbers.count == 8, call >= 0 else { return }
    state.call = call
    state.arguments = Array(numbers.prefix(6))
  }
}
