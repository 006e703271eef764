import COpTraceAttach
import OpTraceSnapshot
import OpTraceSymbols

/// What is loaded in a process, and where in it there is room.
struct LoadedLibraries {
  let modules: [Module]
  /// glibc.
  let library: Module
  let functions: optrace_attach_functions
  /// Where the code for the borrowed thread goes.
  let code: UInt64
  /// Modules with an allocator of their own.
  let allocators: [Module]

  static let recorder = "libOpTracePreload.so"

  init(_ memory: LiveMemory) throws(AttachTrouble) {
    do throws(MemoryTrouble) { modules = try Module.all(in: memory) } catch { throw .memory(error) }
    guard modules.contains(where: { Self.isLoader($0) }) else { throw .linkedStatically }
    let found = modules.filter { $0.name.hasPrefix("libc.so") || $0.name.hasPrefix("libc-2.") }
    guard let library = found.first else { throw .otherLoader("it has no C library that is known") }
    guard found.count == 1 else { throw .otherLoader("it has loaded the C library several times (dlmopen)") }
    self.library = library
    try Self.checkRecorded(modules)
    guard let image = library.file.flatMap({ try? ElfImage(path: $0.path) }), library.buildID != nil else {
      throw .otherLoader("the file of its C library is gone; it was updated meanwhile")
    }
    functions = try Self.functions(image, library)
    code = try Self.room(in: [library] + modules.filter { Self.isLoader($0) || $0.name.hasPrefix("libm.so") }, memory)
    let names = ["malloc", "calloc", "pthread_create"]
    allocators = modules.filter { module in
      module.low != library.low && module.path.hasPrefix("/")
        && module.file.flatMap { try? ElfImage(path: $0.path) }.map { NamedSymbols.exports(names, $0) } == true
    }
    // A sanitizer, or another library that stands for the C library's threads.
    let threads = allocators.filter { module in
      module.file.flatMap { try? ElfImage(path: $0.path) }.map { NamedSymbols.exports(["pthread_create"], $0) } == true
        && !module.name.hasPrefix("libpthread")
    }
    if let other = threads.first { throw .otherLoader("'\(other.name)' stands in for the C library's threads") }
  }

  static func isLoader(_ module: Module) -> Bool { module.name.hasPrefix("ld-linux") || module.name.hasPrefix("ld-2.") }

  func isLibrary(_ module: Module) -> Bool { module.low == library.low || module.name.hasPrefix("libpthread") }

  private static func checkRecorded(_ modules: [Module]) throws(AttachTrouble) {
    guard modules.haveSwiftLibraries else { throw modules.haveSwiftLinkedIn ? .swiftLinkedIn : .nothingToRecord }
    guard let program = modules.program, let image = program.file.flatMap({ try? ElfImage(path: $0.path) }) else {
      return
    }
    if NamedSymbols(["optrace_record_begin"], in: image)["optrace_record_begin"] != nil { throw .linkedWithOpTrace }
  }

  private static func functions(_ image: ElfImage, _ library: Module) throws(AttachTrouble) -> optrace_attach_functions
  {
    let names = ["pthread_create", "pthread_detach", "__errno_location", "dlopen", "dlsym", "dlerror"]
    let found = NamedSymbols(names, in: image)
    func address(_ name: String) throws(AttachTrouble) -> UInt64 {
      guard let offset = found[name] else {
        throw .otherLoader("its C library has no '\(name)': glibc 2.34 or newer is needed")
      }
      return offset &+ library.bias
    }
    return optrace_attach_functions(
      pthread_create: try address("pthread_create"), pthread_detach: try address("pthread_detach"),
      errno_location: try address("__errno_location"), dlopen: try address("dlopen"), dlsym: try address("dlsym"),
      dlerror: try address("dlerror"))
  }

  /// Behind the code of a library up to the end of its last page: zeros that belong to nothing, or our code of another time.
  private static func room(in modules: [Module], _ memory: LiveMemory) throws(AttachTrouble) -> UInt64 {
    let size = UInt64(optrace_attach_code_size())
    for module in modules {
      let code = module.segments.filter { $0.type == ElfImage.Segment.load && $0.isExecutable }
      guard code.count == 1, let segment = code.first, segment.fileSize == segment.memorySize, !segment.isWritable
      else {
        continue
      }
      let end = module.bias &+ segment.address &+ segment.memorySize
      let start = (end + 15) & ~15
      guard start + size <= (end + 4095) & ~4095, start + size <= module.high,
        let mapping = memory.mappings.containing(start), mapping.isExecutable, !mapping.isWritable,
        mapping.contains(start + size - 1),
        let bytes = try? memory.bytes(at: start, count: Int(size)),
        bytes.allSatisfy({ $0 == 0 }) || optrace_attach_is_code(bytes, bytes.count)
      else { continue }
      return start
    }
    throw .otherLoader("there is no room behind the code of its C library")
  }

  /// A page-aligned range that is far from everything that is mapped.
  static func freeAddress(_ mappings: [MemoryMapping]) -> UInt64? {
    let top: UInt64 = 1 << 47 - 1 << 32
    var best: (size: UInt64, start: UInt64) = (0, 0)
    for (one, next) in zip(mappings, mappings.dropFirst()) where next.low < top && next.low > one.high {
      if next.low - one.high > best.size { best = (next.low - one.high, one.high) }
    }
    let needed: UInt64 = 1 << 30
    return best.size > needed ? (best.start + best.size / 2) & ~0xFFFF : nil
  }
}
