import ArgumentParser
import OpTraceKernel
import OpTraceModel
import OpTraceProfile
import OpTraceSamples
import OpTraceText

struct ProfileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile",
    abstract: "Show where processor time went.",
    discussion: """
      Samples of processor time ('optrace record --profile') by function, and by the operation, block or task that used \
      it. 'self' is a function's own code, 'total' includes what it called. With --off-cpu: where threads waited and tasks \
      were suspended, which every trace has. Documentation/profile.md says how to read it, and what it does not see.

      With --push the samples of each minute go to a collector of OpenTelemetry or to Pyroscope, with the work and the kind \
      of request that each was for, until the program ends or Ctrl-C. What a receiver that is down misses is sent later, up \
      to the last ten profiles; standard error says what is lost. The status is 73 if anything was.

      Example: optrace profile run.optrace --by work

      A program that runs, recorded or not: optrace profile 4711 --for 30s

      While it runs: optrace profile 4711 --push http://localhost:4318
      """)

  enum Grouping: String, CaseIterable, ExpressibleByArgument {
    case function, work, thread, queue
  }

  @OptionGroup var trace: TraceArgument

  @Option(help: "What to list: function (and then work), work, thread or queue, each with its functions.")
  var by = Grouping.function

  @Flag(help: "Show where time was waited, in place of processor time.")
  var offCpu = false

  @OptionGroup var written: ComparedOutput<TimeFormats>

  @OptionGroup var recording: AttachedTime

  @OptionGroup(title: "Part of a trace") var part: ProfilePart

  @OptionGroup(title: "Continuous profiles") var pushing: PushOptions

  @Option(
    // So that a value such as -1 gets the message that says what is needed.
    parsing: .unconditional,
    help: ArgumentHelp("With --push: how much time a profile is of (default: 60s).", valueName: "time"))
  var every: String?

  @OptionGroup var limit: UnpackingLimit

  private var input: TraceInput {
    var input = trace.input(limit)
    if pushing.push == nil { input.recorded = recording.input.trace }
    return input
  }

  func validate() throws {
    if pushing.push == nil {
      if every != nil { throw ValidationError("--every needs --push.") }
    } else {
      if recording.duration != nil { throw ValidationError("--push goes on until the program ends: omit --for.") }
      _ = try PushInterval.nanoseconds(every, option: "--every")
      let others: [(String, Bool)] = [
        ("--off-cpu", offCpu), ("--compare", written.compare != nil), ("--top", written.top != nil),
        ("--json", written.json), ("-o", written.output != nil), ("--by", by != .function),
        ("options for a part of a trace", part.isPart),
      ]
      if let other = others.first(where: \.1)?.0 {
        throw ValidationError("--push sends all samples, and shows nothing: omit \(other).")
      }
    }
    try written.check(input.path)
  }

  func run() throws {
    if let url = pushing.push {
      let every = try PushInterval.nanoseconds(every, option: "--every")
      return try ProfilePush(input: input, settings: try PushSettings(pushing, url: url, every: every)).run()
    }
    let other = written.compare.map { TraceInput(path: $0, limit: input.limit) }
    var output = try input.output(written.output)
    if let other { output = try other.output(written.output) }
    let (read, profile) = try profile(of: input)
    let earlier = try other.map { try self.profile(of: $0) }
    try write(profile, comparedWith: earlier.map { ($0.profile, other?.name ?? "") }, as: written.target, to: output)
    try read.end()
    try earlier?.read.end()
  }

  private func profile(of input: TraceInput) throws -> (read: InputTrace, profile: Profile) {
    let read = try input.read().withLiveNames()
    let selection = try part.selection(in: read.trace, named: input.name)
    let profile = withProgress("adding up \(input.name)") {
      offCpu ? Profile(offProcessorOf: read.trace, selection: selection) : Profile(of: read.trace, selection: selection)
    }
    return (read, profile)
  }

  private func write(
    _ profile: Profile, comparedWith other: (profile: Profile, name: String)?, as target: ProfileTarget,
    to output: Output
  ) throws {
    let nothing = ProfileNotes(profile).nothing(in: input.name, isPart: part.isPart)
    if let nothing { Console.error("optrace: " + nothing) }
    if let other, let nothing = ProfileNotes(other.profile).nothing(in: other.name, isPart: part.isPart) {
      Console.error("optrace: " + nothing)
    }
    switch target {
    case .file where nothing != nil: break
    case .file(let format):
      try output.writeLong { try format.write(profile, comparedWith: other?.profile, to: $0) }
    case .json:
      let json = ProfileJSON(profile, most: written.top).value(by: by.group, comparedWith: other?.profile)
      try output.write(json.bytes)
    // Comparing with nothing shows what was added; without both there is nothing to say.
    case .text where nothing != nil && other?.profile.samples.isEmpty ?? true: break
    case .text:
      if let other {
        let text = ProfileDifferenceText(from: other.profile, to: profile, most: written.rows, style: output.style)
        try output.write(text.text((before: other.name, after: input.name)))
      } else {
        try output.write(ProfileText(profile, most: written.rows, style: output.style).text(by: by.table))
      }
    }
  }
}

enum TimeFormats: WrittenFormats {
  static let formats = ProfileFormat.allCases
  static let help =
    "A name that ends with .svg gets a flame graph; .collapsed, .speedscope.json, .firefox.json and .pb.gz (pprof) are for "
    + "other tools; .json is this command's own."
}

extension ProfileCommand.Grouping {
  fileprivate var table: ProfileText.Table {
    switch self {
    case .function: .functions
    case .work: .work
    case .thread: .threads
    case .queue: .queues
    }
  }

  /// What JSON lists besides work.
  fileprivate var group: Profile.Grouping? {
    switch self {
    case .function, .work: nil
    case .thread: .thread
    case .queue: .queue
    }
  }
}
