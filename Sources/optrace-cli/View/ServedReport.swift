import OpTraceLive
import OpTraceReport
import Foundation
import OpTraceModel

/// The page of a trace, made anew when the trace has changed; and, while its program runs, what is new for pages that are open.
///
/// Sendable: all that changes is guarded by the lock, which whoever makes a page holds until it is made.
final class ServedReport: @unchecked Sendable {
  private let name: String
  /// Nil: what was read cannot be read again (a pipe).
  private let path: String?
  private let unpacker: TraceUnpacker?
  private let lock = NSLock()

  private var header: TraceHeader
  private var bytes: [UInt8]
  /// What the page shows.
  private var state: String
  private var made = Date()
  private var hasComplained = false
  /// For pages that were given out while the program ran. They stay open when it has ended.
  private var living: LivingPage?

  /// How long the page of a living trace is good for everybody who asks.
  private static let life = 0.5

  /// Makes the first page. Throws what making it throws.
  init(_ trace: Trace, named name: String, path: String?, unpacker: TraceUnpacker? = nil) throws {
    self.name = name
    self.path = path
    self.unpacker = unpacker
    header = trace.header
    // From before the page is made: what comes meanwhile is then seen as new.
    let look = path.flatMap { Look(at: $0, trace.header) }
    state = look?.text ?? "read-once"
    bytes = []
    bytes = try page(of: trace, isLive: look?.isLive ?? false)
  }

  /// The page of the trace as it is now; where it cannot be read any more, the last one.
  func page() -> [UInt8] { lock.withLock { current() } }

  /// Another text when the page would be another one.
  func currentState() -> String { lock.withLock { path.flatMap { Look(at: $0, header)?.text } ?? state } }

  /// What a page needs that was given out while the program ran, as JSON; nil: none was. See ``LivingPage/news(since:withGraph:)``.
  func news(since revision: Int?, withGraph: Bool) -> [UInt8]? {
    lock.withLock {
      do {
        return try living?.news(since: revision, withGraph: withGraph)
      } catch {
        complain("cannot be read any more (\(printable("\(error)")))")
        return Array("{\"isOver\":\(living?.isOver ?? true),\"again\":2000,\"updates\":[]}".utf8)
      }
    }
  }

  private func current() -> [UInt8] {
    guard let path else { return bytes }
    guard let stamp = try? TraceStamp(path: path) else {
      complain("is gone")
      return bytes
    }
    let now = Look(stamp, header)
    let isFresh = !now.isLive || Date().timeIntervalSince(made) < Self.life
    if now.text == state, isFresh { return bytes }
    do {
      let trace = try TraceReader.read(path: path, unpacking: unpacker)
      let look = Look(stamp, trace.header)
      bytes = try page(of: trace, isLive: look.isLive)
      (header, state, made) = (trace.header, look.text, Date())
      hasComplained = false
    } catch {
      complain("cannot be read any more (\(printable("\(error)")))")
    }
    return bytes
  }

  private func page(of trace: Trace, isLive: Bool) throws -> [UInt8] {
    if isLive, let path {
      // Numbers of revisions go on, for pages that others have open.
      if living?.isOver != false { living = LivingPage(path: path) }
      if let bytes = try living?.page() { return bytes }
    }
    var bytes: [UInt8] = []
    let report = Report.exporter(for: trace, isServed: true)
    try withProgress("making the page") { try report.write { bytes.append(contentsOf: $0) } }
    return bytes
  }

  /// Once, however often a page asks.
  private func complain(_ what: String) {
    guard !hasComplained else { return }
    hasComplained = true
    Console.warning("\(name) \(what): the page stays as it was")
  }

  /// What can be told of a trace without reading it.
  private struct Look {
    /// Its program runs, and may still write.
    let isLive: Bool
    /// Another one when the program has ended, too: then there is no more to wait for.
    let text: String

    init(_ stamp: TraceStamp, _ header: TraceHeader) {
      isLive = stamp.isOpen && LiveProcess.writes(header)
      text = isLive ? stamp.text : stamp.text + "-over"
    }

    /// Nil: there is no such file any more.
    init?(at path: String, _ header: TraceHeader) {
      guard let stamp = try? TraceStamp(path: path) else { return nil }
      self.init(stamp, header)
    }
  }
}
