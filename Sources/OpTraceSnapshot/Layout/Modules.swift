import OpTraceModel
package import OpTraceSymbols

/// A program or a library in a process.
package struct Module: Sendable {
  package let path: String
  /// Its address in memory minus its address in the file.
  package let bias: UInt64
  package let low: UInt64
  /// Behind the last byte.
  package let high: UInt64
  package let segments: [ElfImage.Segment]
  /// Hexadecimal; nil: it has none.
  package let buildID: String?
  /// The same file: its sections and symbols. Nil: it is not on this machine.
  package let file: ImageFile?
  /// It is the program itself, and no library.
  package fileprivate(set) var isProgram = false

  package func contains(_ address: UInt64) -> Bool { address >= low && address < high }

  package func hasCode(at address: UInt64) -> Bool {
    segments.contains { $0.isExecutable && address &- bias &- $0.address < $0.memorySize }
  }

  /// The last part of the path.
  package var name: Substring { path.split(separator: "/").last ?? path[...] }

  /// Where it may have data: ranges that are no code.
  var data: [Range<UInt64>] {
    segments.filter { $0.type == ElfImage.Segment.load && !$0.isExecutable }.compactMap { segment in
      let low = segment.address &+ bias
      return low.adding(segment.memorySize).map { low..<$0 }
    }
  }
}

extension Module {
  /// All of them, by their addresses. A file that is mapped only to be read is none.
  package static func all(in memory: any ProcessMemory) throws(MemoryTrouble) -> [Module] {
    var modules: [Module] = []
    let byFile = Dictionary(grouping: memory.mappings) {
      FileKey(path: $0.path, isDeleted: $0.isDeleted)
    }
    for first in memory.mappings where first.offset == 0 && (first.isOfFile || first.path == "[vdso]") {
      guard modules.count < most, first.low >= modules.last?.high ?? 0 else { continue }
      let parts = (byFile[FileKey(path: first.path, isDeleted: first.isDeleted)] ?? []).filter {
        $0.low >= first.low
      }
      let mapped = MappedFile(memory, first.path, parts: parts)
      guard let head = try? ElfHead(mapped), head.machine == memory.machine else { continue }
      let segments = head.segments().filter {
        $0.address.adding($0.memorySize) != nil && $0.memorySize < 1 << 40
      }
      let loaded = segments.filter { $0.type == ElfImage.Segment.load }
      guard let start = loaded.first(where: { $0.offset == 0 }),
        let end = loaded.map({ $0.address + $0.memorySize }).max()
      else { continue }
      let bias = first.low &- (start.address & ~4095)
      let high = bias &+ end
      guard high > first.low, high <= [MemoryMapping].top else { continue }
      // Its code is mapped where it says.
      let hasCode = loaded.filter(\.isExecutable).allSatisfy { segment in
        parts.contains { $0.isExecutable && $0.contains(bias &+ segment.address) }
      }
      guard hasCode else { continue }
      modules.append(
        Module(
          path: first.path, bias: bias, low: first.low, high: high, segments: segments,
          buildID: ElfImage.buildID(mapped, segments, []).map(hexadecimal), file: try memory.file(of: first)))
    }
    let program =
      memory.programHeader.flatMap { address in modules.firstIndex { $0.contains(address) } }
      ?? modules.firstIndex { !$0.name.contains(".so") && $0.path != "[vdso]" }
    if let program { modules[program].isProgram = true }
    return modules
  }

  private static let most = 4096

  private struct FileKey: Hashable {
    var path: String
    var isDeleted: Bool
  }
}

extension [Module] {
  /// Nil: it is not on this machine, or not known.
  package var program: Module? { first(where: \.isProgram) }

  /// Swift's libraries or libdispatch are loaded.
  package var haveSwiftLibraries: Bool {
    let names = ["libFoundation.so", "libdispatch.so", "libswift_Concurrency.so", "libswiftCore.so"]
    return contains { module in names.contains { $0 == module.name } }
  }

  /// They are linked into the program itself.
  package var haveSwiftLinkedIn: Bool {
    program?.file.flatMap { ElfFile(path: $0.path) }?.hasSwiftSections == true
  }

  /// The one with an address, of ascending ones. O(log n).
  package func containing(_ address: UInt64) -> Module? {
    let next = firstSorted { $0.high > address }
    return next < count && self[next].contains(address) ? self[next] : nil
  }
}
