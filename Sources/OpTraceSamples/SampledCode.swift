import OpTraceKernel
import OpTraceModel

/// Which frames of a trace a profile shows, and as which functions.
///
/// As in all stacks, the code that runs a program's functions on threads and queues is hidden, and so are OpTrace's
/// hooks and the glue that the compiler makes for closures. Code that the program calls stays: a system's function uses
/// time, too.
struct SampledCode {
  /// How a frame is shown.
  enum Part {
    /// The program's code.
    case own
    /// A library's.
    case library
    /// Code that runs blocks, operations and tasks: hidden if it leads to the program's code.
    case runner
    /// Code that begins a thread: also hidden, but only at a stack's outer end, because a library may call the program
    /// back, as `qsort` does.
    case start
    /// OpTrace's own.
    case recorder
    /// Made by the compiler to call a closure.
    case glue
  }

  /// What one frame is shown as.
  struct Shown {
    var part: Part
    /// The outermost of several inlined functions first.
    var frames: [Profile.Frame]
    /// Whether the compiler made it to call the function of the same name: it replaces that frame instead of standing
    /// beside it.
    var isForwarder = false
  }

  private struct Name: Hashable {
    var function: String
    var module: String?
    var file: String?
  }

  /// Each once.
  private(set) var functions: [Profile.Function] = []
  private let stacks: StackTable
  private var known: [FrameRecord.Address: Shown] = [:]
  private var indexes: [Name: Int] = [:]

  init(_ stacks: StackTable) { self.stacks = stacks }

  /// O(functions of the frame) for the first frame of an address, then O(1).
  mutating func shown(_ id: FrameID) -> Shown {
    guard let address = stacks[id]?.address else { return Shown(part: .library, frames: [unknown]) }
    if let one = known[address] { return one }
    let one = read(id)
    known[address] = one
    return one
  }

  /// The frame for a sample without a recorded stack.
  var unknown: Profile.Frame {
    mutating get { Profile.Frame(function: index("[no stack]", isOwn: false), line: nil, isInlined: false) }
  }

  /// What was waited for, as the outermost frame.
  mutating func reason(_ words: String) -> Profile.Frame {
    let index = index(words, isOwn: false)
    functions[index].isReason = true
    return Profile.Frame(function: index, line: nil, isInlined: false)
  }

  private mutating func read(_ id: FrameID) -> Shown {
    let named = stacks.functions(of: id)
    let part = part(of: id)
    if part == .recorder {
      let index = index("OpTrace", module: "OpTrace", isOwn: false)
      return Shown(part: part, frames: [Profile.Frame(function: index, line: nil, isInlined: false)])
    }
    var frames = named.reversed().compactMap { one -> Profile.Frame? in
      if CodeLocation(function: one.function).isGlue { return nil }
      let isOwn = one.isOwn && !Self.swiftModules.contains(one.module ?? "")
      // For nameless code of the system, each address would otherwise be a function of its own.
      let name = one.function ?? (one.isOwn ? one.title : one.module ?? one.title)
      return Profile.Frame(
        function: index(name, module: one.module, file: one.file, line: one.line, isOwn: isOwn),
        line: one.line, isInlined: one.isInlined)
    }
    if frames.isEmpty { return Shown(part: .glue, frames: []) }
    // It was inlined into glue, which is hidden.
    frames[0].isInlined = false
    let isForwarder = frames.count == 1 && stacks.function(of: id).map { Self.forwards($0) } == true
    return Shown(part: part, frames: frames, isForwarder: isForwarder)
  }

  private mutating func index(
    _ function: String, module: String? = nil, file: String? = nil, line: Int? = nil, isOwn: Bool
  ) -> Int {
    let index = known(Name(function: function, module: module, file: file)) ?? functions.count
    if index == functions.count {
      functions.append(.init(name: function, module: module, file: file, line: line, isOwn: isOwn))
      indexes[Name(function: function, module: module, file: file)] = index
      if indexes[Name(function: function, module: module, file: nil)] == nil {
        indexes[Name(function: function, module: module, file: nil)] = index
      }
    }
    if let line { functions[index].line = min(line, functions[index].line ?? line) }
    if isOwn { functions[index].isOwn = true }
    return index
  }

  /// If a part of a function has no file, such as code that the compiler added, use that of the first function with the
  /// name.
  private mutating func known(_ name: Name) -> Int? {
    if let index = indexes[name] { return index }
    guard let index = indexes[Name(function: name.function, module: name.module, file: nil)],
      functions[index].file == nil
    else { return nil }
    functions[index].file = name.file
    indexes[name] = index
    return index
  }

  private static let forwarders = ["protocol witness for ", "partial apply forwarder for ", "dispatch thunk of "]

  private static func forwards(_ symbol: SymbolRecord) -> Bool { forwarders.contains { symbol.function.hasPrefix($0) } }

  // MARK: - Whose code it is

  /// Modules whose inlined code may be in a program's functions.
  private static let swiftModules: Set<String> = [
    "Swift", "_Concurrency", "_StringProcessing", "Synchronization", "Foundation", "FoundationEssentials", "Dispatch",
  ]
  private static let runners = ["libdispatch", "libswiftDispatch", "libBlocksRuntime", "libswift_Concurrency"]
  private static let starts = ["libc.so", "libc-", "libpthread", "ld-linux", "ld-musl"]
  /// Words in the names of Foundation's own runners.
  private static let foundationRunners = ["Operation", "Thread", "RunLoop"]

  private func part(of id: FrameID) -> Part {
    let function = stacks.function(of: id)
    if isRecorder(id, function) { return .recorder }
    if stacks.isOwn(id) { return .own }
    let name = stacks.codeName(of: id) ?? ""
    if stacks[id]?.library == .swift {
      return function.map { Self.runsTasks($0.function) } == true ? .runner : .library
    }
    if Self.runners.contains(where: name.hasPrefix) { return .runner }
    if Self.starts.contains(where: name.hasPrefix) || function?.function == "_start" { return .start }
    if name.hasPrefix("libFoundation") {
      guard let short = function?.shortName else { return .runner }
      return Self.foundationRunners.contains(where: short.contains) ? .runner : .library
    }
    return .library
  }

  private func isRecorder(_ id: FrameID, _ function: SymbolRecord?) -> Bool {
    if stacks.image(of: id)?.name.hasPrefix("libOpTrace") == true { return true }
    guard let function else { return false }
    return function.function.hasPrefix("optrace_") || function.file?.contains("/COpTrace/") == true
      || function.module == "OpTrace" || function.module == "OpTraceDiagnostics"
  }

  private static func runsTasks(_ function: String) -> Bool {
    runsJob(function) || function.hasPrefix("swift_task_") || function.hasPrefix("swift_job_")
  }

  private static func runsJob(_ function: String) -> Bool { function.contains("runJob") }

  /// Whether a frame is that of the executor, which calls a task's function. O(1).
  func runsJob(_ id: FrameID) -> Bool { stacks.function(of: id).map { Self.runsJob($0.function) } == true }

  /// Whether a frame's code is of the library of Swift's tasks. O(1).
  func isOfTasks(_ id: FrameID) -> Bool { stacks.codeName(of: id)?.hasPrefix("libswift_Concurrency") == true }
}
