import OpTraceKernel
package import OpTraceModel
import OpTraceSamples

/// The samples of a window of time, added up: those with the same stack that were taken for the same purpose are one
/// sum. It needs no trace any more.
package struct WindowProfile: Sendable {
  /// What the samples of a sum have in common. Indexes; -1: none.
  struct Key: Hashable {
    /// In ``tables``' stacks.
    var stack: Int
    var isInKernel: Bool
    /// In ``threads``.
    var thread: Int
    /// In ``tables``' owners.
    var owner: Int
    /// In ``requests``.
    var request: Int
    /// In ``spans``.
    var span: Int
  }

  struct Sum {
    var key: Key
    var samples = 0
    /// Nanoseconds of processor time.
    var weight: Nanoseconds = 0
  }

  /// When the window begins and ends, in nanoseconds since the trace's start.
  package let began: Nanoseconds
  package private(set) var ended: Nanoseconds
  /// The number of samples.
  package private(set) var samples = 0
  /// Samples that the recorder had no room for, as far as the trace shows.
  package private(set) var lost = 0
  /// Functions, frames, stacks, owners and the period; no samples.
  private(set) var tables = Profile()
  /// In the order of their first samples.
  private(set) var sums: [Sum] = []
  /// Names of threads.
  private(set) var threads: [String] = []
  /// Names of kinds of units of work.
  private(set) var requests: [String] = []
  private(set) var spans: [SpanRecord.Context] = []

  private var numbers = Numbers()

  /// With more sums than this, samples are no longer told apart by the span that they are in: each request has its own,
  /// and receivers accept only so many sums (Pyroscope: 16,000).
  private static let mostWithSpans = 8000

  private struct Numbers: Sendable {
    var functions: [Profile.Function: Int] = [:]
    var frames: [Profile.Frame: Int] = [:]
    var stacks: [Profile.Stack: Int] = [:]
    var owners: [Profile.Owner: Int] = [:]
    var threads: [String: Int] = [:]
    var requests: [String: Int] = [:]
    var spans: [String: Int] = [:]
    var sums: [Key: Int] = [:]
  }

  /// What is known of a sample besides its profile.
  struct Purpose {
    /// The name of the kind of the unit of work that it is for; nil: not known.
    var request: String?
    var context: SpanRecord.Context?
  }

  init(_ began: Nanoseconds, _ ended: Nanoseconds) { (self.began, self.ended) = (began, ended) }

  // MARK: - Adding

  /// Adds samples of a profile. O(samples + size of the profile's tables that they refer to).
  ///
  /// - Parameters:
  ///   - rows: indexes of samples.
  ///   - purposes: for each sample of the profile.
  ///   - names: what owners and requests may be called.
  mutating func add(_ rows: [Int], of profile: Profile, _ purposes: [Purpose], _ names: inout LabelNames) {
    tables.period = profile.period
    tables.processName = profile.processName
    tables.processID = profile.processID
    var stacks = [Int?](repeating: nil, count: profile.stacks.count)
    var owners = [Int?](repeating: nil, count: profile.owners.count)
    var threads: [ThreadID: Int] = [:]
    for row in rows {
      let sample = profile.samples[row]
      var key = Key(stack: -1, isInKernel: sample.isInKernel, thread: -1, owner: -1, request: -1, span: -1)
      if profile.stacks.indices.contains(sample.stack) {
        key.stack = stacks[sample.stack] ?? stack(sample.stack, of: profile)
        stacks[sample.stack] = key.stack
      }
      if let owner = profile.owner(ofSample: row) {
        key.owner = owners[owner] ?? self.owner(profile.owners[owner], &names)
        owners[owner] = key.owner
      }
      key.thread = threads[sample.thread] ?? thread(profile.threads[sample.thread], &names)
      threads[sample.thread] = key.thread
      if let request = purposes[row].request { key.request = self.request(names.name(request, of: .request)) }
      if let context = purposes[row].context, sums.count < Self.mostWithSpans { key.span = span(context) }
      add(sample.weight, key)
    }
  }

  /// Notes samples that the recorder had no room for.
  mutating func addLost(_ count: Int) { lost += max(0, count) }

  private mutating func add(_ weight: Nanoseconds, _ key: Key) {
    let number = numbers.sums.entry(key)
    if number == sums.count { sums.append(Sum(key: key)) }
    sums[number].samples += 1
    sums[number].weight = sums[number].weight.adding(weight)
    samples += 1
  }

  private mutating func stack(_ index: Int, of profile: Profile) -> Int {
    var stack = profile.stacks[index]
    stack.frames = stack.frames.map { frame in
      profile.frames.indices.contains(frame) ? self.frame(profile.frames[frame], of: profile) : -1
    }
    let number = numbers.stacks.entry(stack)
    if number == tables.stacks.count { tables.stacks.append(stack) }
    return number
  }

  private mutating func frame(_ frame: Profile.Frame, of profile: Profile) -> Int {
    var frame = frame
    frame.function =
      profile.functions.indices.contains(frame.function) ? function(profile.functions[frame.function]) : -1
    let number = numbers.frames.entry(frame)
    if number == tables.frames.count { tables.frames.append(frame) }
    return number
  }

  /// A function is the same whatever line of it was seen.
  private mutating func function(_ function: Profile.Function) -> Int {
    var nameless = function
    nameless.line = nil
    let number = numbers.functions.entry(nameless)
    if number == tables.functions.count {
      tables.functions.append(function)
    } else if let line = function.line {
      tables.functions[number].line = min(line, tables.functions[number].line ?? line)
    }
    return number
  }

  private mutating func owner(_ owner: Profile.Owner, _ names: inout LabelNames) -> Int {
    // A thread has its own label.
    guard owner.kind != Profile.Owner.threadKind else { return -1 }
    var owner = owner
    owner.name = names.name(owner.name, of: .work)
    owner.queue = owner.queue.map { names.name($0, of: .queue) }
    let number = numbers.owners.entry(owner)
    if number == tables.owners.count { tables.owners.append(owner) }
    return number
  }

  private mutating func thread(_ thread: Profile.Thread?, _ names: inout LabelNames) -> Int {
    guard let thread, !thread.name.isEmpty else { return -1 }
    let name = names.name(thread.name, of: .thread)
    let number = numbers.threads.entry(name)
    if number == threads.count { threads.append(name) }
    return number
  }

  private mutating func request(_ name: String) -> Int {
    let number = numbers.requests.entry(name)
    if number == requests.count { requests.append(name) }
    return number
  }

  private mutating func span(_ context: SpanRecord.Context) -> Int {
    let number = numbers.spans.entry(context.traceID + context.spanID)
    if number == spans.count { spans.append(context) }
    return number
  }

  /// Ends the window, at `time` if that comes first, and frees what only adding needs.
  mutating func finish(by time: Nanoseconds) {
    numbers = Numbers()
    ended = min(ended, max(began, time))
  }
}
