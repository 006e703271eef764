import Foundation
import OpTraceKernel
import OpTraceFormat
import OpTraceRunning
import OpTraceModel
import OpTraceProfile
import OpTraceSamples
import OpTraceText

/// How profiles are made, whatever process they are of.
struct PushSettings: Sendable {
  let receiver: PushReceiver
  /// Nanoseconds.
  let every: Nanoseconds
  /// Nil: each program's own name.
  let serviceName: String?

  /// Throws ``Failure``, or a `ValidationError`.
  init(_ options: PushOptions, url: String, every: Nanoseconds) throws {
    receiver = try PushReceiver(options, url: url)
    self.every = every
    serviceName = options.serviceName ?? ProcessInfo.processInfo.environment["OTEL_SERVICE_NAME"]
  }

  /// A window's profile as the receiver takes it. Throws ``Failure`` if there is no memory.
  func body(_ window: WindowProfile, of process: PushedProcess) throws -> [UInt8] {
    switch receiver.address.format {
    case .otlp: try Self.packed { OTLPProfileExporter.write(window, of: process, to: $0) }
    case .pyroscope:
      PyroscopePush.message(
        try Self.packed { PyroscopePush.writeProfile(window, of: process, to: $0) }, window, of: process)
    }
  }

  private static func packed(_ write: (ByteWriter) -> Void) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let gzip = try GzipSink()
    try ByteWriter.write(to: { try gzip.write($0, to: { bytes += $0 }) }, write)
    try gzip.finish(to: { bytes += $0 })
    return bytes
  }
}

/// Follows the samples of one process, and hands the profile of each window of time to a queue.
///
/// A window's samples are taken a few seconds after it is over, so that most of the requests that they were for have
/// ended, and their kinds are known.
final class ProfilePusher {
  private let settings: PushSettings
  private let queue: PushQueue
  private let process: Int
  private var samples: GrowingSamples
  private var windows: ProfileWindows
  private var names = PushedNames()
  /// The end of the first window that is not closed.
  private var nextEnd: Nanoseconds
  private var hasSaid = (missed: false, names: false, refused: false)
  /// Samples that the recorder had no room for.
  private(set) var lost = 0

  /// How long after its end a window is closed, at most.
  private static let longestRest: Nanoseconds = 5_000_000_000
  /// The most readings at the end, each of at most a second.
  private static let lastReadings = 10

  /// - Parameters:
  ///   - path: the trace that the process writes.
  ///   - since: samples from before this time on the trace's clock are left out.
  ///   - process: tells processes apart in the queue.
  init(
    path: String, since: Nanoseconds, settings: PushSettings, queue: PushQueue, process: Int
  ) throws(TraceError) {
    (self.settings, self.queue, self.process) = (settings, queue, process)
    samples = try GrowingSamples(path: path, since: since)
    windows = ProfileWindows(every: settings.every, from: since)
    nextEnd = since.saturatingSum(settings.every)
  }

  var header: TraceHeader { samples.header }

  private var rest: Nanoseconds { min(Self.longestRest, settings.every / 2) }

  /// Reads up to the present. True: the process has ended.
  func catchUp() -> Bool {
    while true {
      switch samples.read() {
      case .past: add(samples.takeEarly())
      case .present: return false
      case .over: return true
      }
    }
  }

  /// Why there never will be a sample, and what to do; nil: there may be some. `name`: of the trace.
  func refusal(in name: String) -> String? {
    guard samples.profile.map({ $0.refused != nil }) ?? true else { return nil }
    return ProfileNotes(Profile(of: samples.trace())).nothing(in: name, isPart: false)
  }

  /// Reads what is new, for a second at most, and hands on the windows that are over. True: the process has ended, and
  /// all of it was handed on.
  func step() -> Bool {
    switch samples.read() {
    case .past: add(samples.takeEarly())
    case .present:
      sayWhatIsMissing()
      guard samples.known >= nextEnd.saturatingSum(rest) else { return false }
      // After a stop of the whole machine, several windows may be over.
      let end = nextEnd + (samples.known - rest - nextEnd) / settings.every * settings.every
      add(samples.take(before: end))
      push(windows.close(until: end))
      nextEnd = end.saturatingSum(settings.every)
    case .over:
      end()
      return true
    }
    return false
  }

  /// Hands on what is there, though the process may go on.
  func finish() {
    // A program may write faster than anybody reads.
    for _ in 0..<Self.lastReadings {
      guard case .past = samples.read() else { break }
      add(samples.takeEarly())
    }
    end()
  }

  private func end() {
    add(samples.take(before: .max))
    push(windows.closeAll(at: samples.known))
    sayWhatIsMissing()
  }

  private func add(_ traces: [Trace]) {
    for var trace in traces {
      names.name(&trace)
      windows.add(trace)
    }
  }

  private func push(_ closed: [WindowProfile]) {
    guard !closed.isEmpty else { return }
    let process = PushedProcess(samples.header, serviceName: settings.serviceName, startWall: startWall)
    for window in closed {
      lost += window.lost
      do {
        queue.add(try settings.body(window, of: process), samples: window.samples, process: self.process)
      } catch {
        queue.drop((error as? Failure)?.message ?? "\(error)")
      }
    }
  }

  /// The wall clock at the trace's time 0, as the two clocks are related now.
  private var startWall: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let wall = UInt64(max(0, time.tv_sec)) &* 1_000_000_000 &+ UInt64(max(0, time.tv_nsec))
    let now = UInt64(max(0, LiveProcess.now(of: samples.header)))
    return wall > now ? wall - now : samples.header.startWall
  }

  private func sayWhatIsMissing() {
    if samples.profile?.refused != nil, !hasSaid.refused {
      hasSaid.refused = true
      if let why = refusal(in: programName) { Console.warning("no profiles are pushed: \(why)") }
    }
    if samples.missedChunks > 0, !hasSaid.missed {
      hasSaid.missed = true
      Console.warning(
        "\(programName): parts of the flight recorder were overwritten before they were read, so samples are missing in the "
          + "profiles: use a larger --flight-recorder")
    }
    if windows.hasReplacedNames, !hasSaid.names {
      hasSaid.names = true
      Console.note(
        "\(programName): its work, queues, threads or requests have more names than receivers can keep: further ones are "
          + "pushed as '(other)'")
    }
  }

  private var programName: String {
    let name = samples.header.processName
    return "\(name.isEmpty ? "process" : printable(name)) (\(samples.header.processID))"
  }
}

extension Nanoseconds {
  /// The sum, no larger than the largest number.
  fileprivate func saturatingSum(_ other: Nanoseconds) -> Nanoseconds {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
