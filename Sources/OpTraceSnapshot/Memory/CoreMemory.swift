import OpTraceModel
package import OpTraceSymbols

/// A process as a core file has it. A core of the kernel has what the process has written, and of each file that is mapped only the first
/// page; the rest is read from the files, once it is known that they are those that the process had.
package struct CoreMemory: ProcessMemory {
  /// A file whose content is missing in the core, and that is not on this machine as it was.
  package struct MissingFile: Hashable, Sendable {
    package var path: String
    /// Hexadecimal; empty: it has none.
    package var buildID: String
    /// There is a file of this name, and it is another build.
    package var isOtherBuild: Bool
  }

  private let content: CoreContent
  private let files: [String: ImageFile]
  package let missing: [MissingFile]

  package var processID: UInt32 { content.processID }
  package var machine: ElfFile.Machine { content.machine }
  package var programHeader: UInt64? { content.programHeader }
  package var mappings: [MemoryMapping] { content.mappings }
  /// The file ends before the memory does that it should have.
  package var isCutShort: Bool { content.isCutShort }

  /// - Parameters:
  ///   - programs: files of which some may be those that were mapped, wherever they were then.
  ///   - root: the folder that stands for `/`.
  package init(path: String, programs: [String] = [], root: String = "") throws(MemoryTrouble) {
    content = try CoreContent(try CoreFile.opened(path), path)
    let given = programs.compactMap { try? ImageFile(path: $0) }
    var files: [String: ImageFile] = [:]
    var missing: [MissingFile] = []
    let byPath = Dictionary(grouping: content.mappings.filter(\.isOfFile), by: \.path)
    for (path, parts) in byPath.sorted(by: { $0.key < $1.key }) {
      let mapped = MappedFile(content, path, parts: parts)
      // Only of programs and libraries more is read than the core has; each keeps a descriptor.
      guard mapped.beginning(at: 0, count: 4) == [0x7F, 0x45, 0x4C, 0x46] else { continue }
      let candidates = given + [try? ImageFile(path: root + path)].compactMap(\.self)
      if let file = candidates.first(where: { mapped.isSame(as: $0) == true }) {
        files[path] = file
      } else {
        missing.append(
          MissingFile(
            path: path, buildID: mapped.buildID.map(hexadecimal) ?? "", isOtherBuild: candidates.count > given.count))
      }
    }
    (self.files, self.missing) = (files, missing)
  }

  package func fill(_ target: UnsafeMutableRawBufferPointer, from address: UInt64) throws(MemoryTrouble) -> Int {
    var done = 0
    // One turn for each piece that is all in the core, or all in a file.
    while done < target.count {
      let at = address &+ UInt64(done)
      guard at >= address, let mapping = mappings.containing(at) else { break }
      let rest = UnsafeMutableRawBufferPointer(
        rebasing: target[done...].prefix(Int(clamping: mapping.high - at)))
      var count = try content.fill(rest, from: at)
      if count == 0, let file = files[mapping.path], let offset = mapping.offset.adding(at - mapping.low) {
        count = file.fill(rest, at: offset)
      }
      guard count > 0 else { break }
      done += count
    }
    return done
  }

  package func written(in range: Range<UInt64>) -> Range<UInt64>? { content.written(in: range) }

  /// What is in the core, or in a file.
  package func readable(in range: Range<UInt64>) -> Range<UInt64>? {
    var low = range.lowerBound
    while low < range.upperBound,
      let part = mappings.first(in: low..<range.upperBound, where: { _ in true })
    {
      if let found = content.readable(in: part) { return found }
      if let mapping = mappings.containing(part.lowerBound), let file = files[mapping.path] {
        let place = mapping.offset &+ (part.lowerBound - mapping.low)
        let rest = place < file.size ? file.size - place : 0
        if rest > 0 {
          return part.lowerBound..<part.lowerBound + min(rest, part.upperBound - part.lowerBound)
        }
      }
      low = part.upperBound
    }
    return nil
  }

  package func threads() -> [ThreadState] { content.threads() }
  package func file(of mapping: MemoryMapping) -> ImageFile? { files[mapping.path] }
}

/// What is in a core itself.
struct CoreContent: ProcessMemory {
  private struct Part {
    var low: UInt64
    var size: UInt64
    var offset: UInt64
  }

  let processID: UInt32
  let machine: ElfFile.Machine
  let mappings: [MemoryMapping]
  let isCutShort: Bool
  let programHeader: UInt64?
  private let file: ImageFile
  /// As `mappings`, one for each.
  private let parts: [Part]
  private let states: [ThreadState]

  /// - Parameter path: of the core as it was given, for messages; the file may be what was unpacked.
  init(_ file: ImageFile, _ path: String) throws(MemoryTrouble) {
    guard let head = try? ElfHead(file), head.type == 4 else { throw .notCore(path) }
    guard head.machine == ElfFile.own else { throw .otherMachine(head.machine.name) }
    let segments = head.segments()
    guard !segments.isEmpty else { throw .damagedCore(path, "its table of memory is not where its header says") }
    self.file = file
    machine = head.machine
    let notes = try CoreNotes(file, path, segments, processor: machine.processor)
    guard let first = notes.threads.first else { throw .damagedCore(path, "it has no threads") }
    programHeader = notes.programHeader
    processID = notes.processID ?? first.id
    states = notes.threads.sorted { $0.id < $1.id }
    let memory = segments.filter { $0.type == ElfImage.Segment.load && $0.address.adding($0.memorySize) != nil }
    let all = Self.mappings(memory, notes)
    mappings = all
    let byAddress = Dictionary(
      memory.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
    var isCutShort = false
    parts = all.map { mapping in
      guard let segment = byAddress[mapping.low] else {
        return Part(low: mapping.low, size: 0, offset: 0)
      }
      let size = min(segment.fileSize, mapping.size)
      let rest = segment.offset < file.size ? file.size - segment.offset : 0
      if size > rest { isCutShort = true }
      return Part(low: mapping.low, size: min(size, rest), offset: segment.offset)
    }
    self.isCutShort = isCutShort
    // Each byte of a core is in one place. Otherwise a small file could be as large as it likes.
    guard parts.reduce(0, { $0 &+ $1.size }) <= file.size else {
      throw .damagedCore(path, "parts of its memory are in the same place of the file")
    }
  }

  func fill(_ target: UnsafeMutableRawBufferPointer, from address: UInt64) throws(MemoryTrouble) -> Int {
    let next = parts.firstSorted { $0.low > address }
    guard next > 0 else { return 0 }
    let part = parts[next - 1]
    let at = address - part.low
    guard at < part.size, let offset = part.offset.adding(at) else { return 0 }
    return file.fill(.init(rebasing: target.prefix(Int(clamping: part.size - at))), at: offset)
  }

  /// What the core has of memory that is written. It does not say what was shared: a kernel keeps nothing of files that are.
  func written(in range: Range<UInt64>) -> Range<UInt64>? {
    first(in: range) { $0.isWritable && $0.isReadable }
  }

  func readable(in range: Range<UInt64>) -> Range<UInt64>? { first(in: range) { _ in true } }

  /// The first part of a range that is in the file.
  private func first(in range: Range<UInt64>, where fits: (MemoryMapping) -> Bool) -> Range<UInt64>? {
    for index in mappings[mappings.firstIndex(endingBehind: range.lowerBound)...].indices {
      guard mappings[index].low < range.upperBound else { return nil }
      guard fits(mappings[index]), parts[index].size > 0 else { continue }
      let there = (parts[index].low..<parts[index].low + parts[index].size).clamped(to: range)
      if !there.isEmpty { return there }
    }
    return nil
  }

  func threads() -> [ThreadState] { states }
  func file(of mapping: MemoryMapping) -> ImageFile? { nil }

  /// Those of the core's memory, and of files that are mapped and of which the core has nothing.
  private static func mappings(_ memory: [ElfImage.Segment], _ notes: CoreNotes) -> [MemoryMapping] {
    // What may be done with files' memory is not said: of each it may be code.
    let files = notes.files.map {
      MemoryMapping(
        low: $0.low, high: $0.high, isReadable: true, isWritable: false, isExecutable: true,
        offset: $0.offset,
        path: $0.path)
    }.inOrder()
    var result = memory.map { segment in
      var mapping = MemoryMapping(
        low: segment.address, high: segment.address + segment.memorySize, isReadable: segment.isReadable,
        isWritable: segment.isWritable, isExecutable: segment.isExecutable, offset: 0, path: "")
      if let file = files.containing(mapping.low) {
        mapping.path = file.path
        mapping.offset = file.offset &+ (mapping.low - file.low)
      } else if let code = notes.kernelCode, mapping.contains(code) {
        mapping.path = "[vdso]"
      }
      return mapping
    }.inOrder()
    result += files.filter { file in
      result.containing(file.low) == nil && result.containing(file.high - 1) == nil
    }
    return result.inOrder()
  }
}
