import OpTraceSymbols

/// The bytes of a file as far as a process has it mapped. Relocated words are those of the process.
struct MappedFile: ElfBytes {
  let path: String
  private let memory: any ProcessMemory
  private let parts: [MemoryMapping]

  /// The file of a mapping, wherever else in the process it is mapped.
  init(_ memory: any ProcessMemory, of mapping: MemoryMapping) {
    let parts = memory.mappings.filter { $0.path == mapping.path && $0.isDeleted == mapping.isDeleted }
    self.init(memory, mapping.path, parts: parts)
  }

  /// Of one module: a file may be mapped several times.
  init(_ memory: any ProcessMemory, _ path: String, parts: [MemoryMapping]) {
    (self.path, self.memory, self.parts) = (path, memory, parts)
  }

  func bytes(at offset: UInt64, count: Int) -> [UInt8]? {
    let bytes = beginning(at: offset, count: count)
    return bytes.count == count ? bytes : nil
  }

  func beginning(at offset: UInt64, count: Int) -> [UInt8] {
    guard let part = parts.first(where: { offset >= $0.offset && offset - $0.offset < $0.size }) else { return [] }
    let at = part.low + (offset - part.offset)
    return (try? memory.beginning(at: at, count: Int(min(UInt64(max(0, count)), part.high - at)))) ?? []
  }

  /// Nil: it has none, or it is not in memory.
  var buildID: [UInt8]? {
    guard let head = try? ElfHead(self) else { return nil }
    return ElfImage.buildID(self, head.segments(), [])
  }

  /// Whether a file is the one that is mapped: by its build id, or if it has none by its first page, which tells the sizes of all parts.
  /// Nil: the process has nothing of it in its memory to compare.
  func isSame(as file: ImageFile) -> Bool? {
    let first = beginning(at: 0, count: 4096)
    guard !first.isEmpty else { return nil }
    guard let own = buildID else { return file.beginning(at: 0, count: first.count) == first }
    guard let head = try? ElfHead(file) else { return false }
    return ElfImage.buildID(file, head.segments(), []) == own
  }
}
