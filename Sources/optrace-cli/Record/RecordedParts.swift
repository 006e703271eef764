import ArgumentParser

/// The options for what is recorded besides operations.
struct RecordedParts: ParsableArguments {
  @Flag(help: "Record blocks of dispatch queues, too: who submits each, and when and where it runs.")
  var dispatch = false

  @Flag(
    help: "Record Swift's tasks, too: who creates each, when and where it runs, and what it waits for in between.")
  var tasks = false

  @Flag(
    help: ArgumentHelp(
      """
      Record what is held while locks and the like are taken, too: two of them in two orders are a deadlock that has not \
      happened yet.
      """))
  var orders = false

  @Flag(
    help: "Record the processor time of each operation too, to distinguish computing from waiting.")
  var cpu = false

  @Flag(help: "Sample where processor time is used, too: 'optrace profile' shows by which functions.")
  var profile = false

  @Option(
    // So that a value such as -1 gets the message that says what is needed.
    parsing: .unconditional,
    help: ArgumentHelp(
      "Take so many samples in each second of processor time: 1 to 1000, by default 99. Means --profile.",
      valueName: "hz"))
  var profileRate: String?

  @Option(
    help: ArgumentHelp(
      """
      How to sample: 'events' of the kernel (the default), or a 'timer' for each thread, whose signals interrupt it, \
      where the system refuses events. Means --profile.
      """, valueName: "way"))
  var profileBy: Way?

  enum Way: String, ExpressibleByArgument, CaseIterable {
    case events, timer
  }

  @Option(
    // So that a value such as -1 gets the message that says what is needed.
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Sample where memory is allocated, too, and watch whether it is freed: 'optrace memory' shows what grows. Of all \
      bytes one in so many is chosen: 512K without a size, 64K for tests and short runs.
      """, valueName: "size"))
  var memory: String?

  @Flag(help: "Record all of that but --orders and --memory: --dispatch --tasks --cpu --profile.")
  var all = false

  func validate() throws {
    if let profileRate, !(Int(profileRate).map((1...1000).contains) ?? false) {
      throw ValidationError("--profile-rate needs a number from 1 to 1000.")
    }
    if let memory, MemoryArgument.interval(memory) == nil {
      throw ValidationError("--memory needs a size such as 512K, from 1 byte to 1023G.")
    }
  }

  /// Whether tasks or blocks are recorded.
  var recordsUnits: Bool { dispatch || tasks || all }

  /// The environment variables that request all of it.
  static let everything = [
    "OPTRACE_DISPATCH": "1", "OPTRACE_TASKS": "1", "OPTRACE_CPU": "1", "OPTRACE_PROFILE": "1",
  ]

  /// The environment variables that request it.
  var variables: [String: String] {
    var variables = all ? Self.everything : [:]
    if dispatch { variables["OPTRACE_DISPATCH"] = "1" }
    if tasks { variables["OPTRACE_TASKS"] = "1" }
    if orders { variables["OPTRACE_ORDERS"] = "1" }
    if cpu { variables["OPTRACE_CPU"] = "1" }
    if profile || profileRate != nil || profileBy != nil { variables["OPTRACE_PROFILE"] = "1" }
    if let profileRate { variables["OPTRACE_PROFILE_RATE"] = profileRate }
    // In bytes, so that 1 is one byte: of a variable 1 means the usual size.
    if let bytes = memory.flatMap(MemoryArgument.interval) { variables["OPTRACE_MEMORY"] = "\(bytes)B" }
    if let profileBy { variables["OPTRACE_PROFILE_BY"] = profileBy.rawValue }
    return variables
  }
}
