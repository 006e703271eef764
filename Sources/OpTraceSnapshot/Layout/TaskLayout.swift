package import COpTrace
import OpTraceSymbols

/// Where Swift's concurrency runtime keeps what is read of a task: its variables for debuggers say which version and where its metadata is.
package struct TaskLayout: Sendable {
  /// Why tasks are left out. Each description is one sentence.
  package enum Trouble: Error, Hashable, Sendable, CustomStringConvertible {
    /// No runtime is loaded, so that there are no tasks.
    case noRuntime
    /// Its variables have no names, as in a program that is linked with it and stripped.
    case noNames(_ path: String)
    /// They have names, and are not there.
    case unreadable(_ path: String)
    case otherVersion(UInt32)
    case otherSize(UInt64)

    package var description: String {
      switch self {
      case .noRuntime: "The process has no tasks: Swift's concurrency runtime is not in it."
      case .noNames(let path): "Tasks are left out: \(path) is stripped, and its debug file was not found."
      case .unreadable(let path):
        "Tasks are left out: what \(path) says of its tasks could not be read."
      case .otherVersion(let version): "Tasks are left out: version \(version) of the runtime's layout is not known."
      case .otherSize(let size): "Tasks are left out: they have \(size) bytes in this runtime, which is not known."
      }
    }
  }

  /// The word that a task begins with.
  package let metadata: UInt64
  /// In bytes: behind it follow the parts that only some tasks have.
  package let size: UInt64
  package let offsets: optrace_task_layout
  /// What a task resumes with before it has run.
  package let adapters: Set<UInt64>
  package let module: Module
  /// That module is the runtime's own library, and not the program with the runtime in it.
  package let isLibrary: Bool

  /// The only size of the versions that are known.
  private static let knownSize: UInt64 = 208

  init(_ modules: [Module], _ view: MemoryView) throws(Trouble) {
    let library = modules.first { $0.name.hasPrefix("libswift_Concurrency.so") }
    guard let module = library ?? modules.program else { throw .noRuntime }
    let (version, size) = (OPTRACE_TASK_VERSION_SYMBOL, OPTRACE_TASK_SIZE_SYMBOL)
    let adapters = [OPTRACE_TASK_ADAPTER_SYMBOL, OPTRACE_TASK_RESULT_ADAPTER_SYMBOL]
    let metadata = "_swift_concurrency_debug_asyncTaskMetadata"
    guard let file = module.file, let image = try? ElfImage(path: file.path) else { throw .noNames(module.path) }
    let symbols = NamedSymbols([version, size, metadata] + adapters, in: image)
    func address(_ name: String) -> UInt64? { symbols[name].map { $0 &+ module.bias } }
    guard let pointer = address(metadata).flatMap({ view.pointer(at: $0) }),
      let count = address(size).flatMap({ view.word(at: $0) })
    else {
      // A program that loads Swift's library would load this one, too. One that is linked with both has names, unless it is stripped.
      let isDynamic = modules.contains { $0.name.hasPrefix("libswiftCore.so") }
      let hasRuntime = NamedSymbols(["swift_task_create"], in: image)["swift_task_create"] != nil
      let isStripped = image.section(".symtab") == nil
      guard library != nil || hasRuntime || (isStripped && !isDynamic) else { throw .noRuntime }
      throw .noNames(module.path)
    }
    // Runtimes before Swift 6.1 do not have it.
    var number: UInt32 = 0
    if let place = address(version) {
      guard let known = view.half(at: place) else { throw .unreadable(module.path) }
      number = known
    }
    guard let layout = optrace_task_layout_of(number) else { throw .otherVersion(number) }
    guard count == Self.knownSize else { throw .otherSize(count) }
    self.metadata = pointer
    self.size = count
    offsets = layout.pointee
    self.adapters = Set(adapters.compactMap { address($0).flatMap { view.word(at: $0) } })
    // Without one of them a task that has not run yet looks like one that waits.
    guard self.adapters.count == adapters.count else { throw .unreadable(module.path) }
    self.module = module
    isLibrary = library != nil
  }
}
