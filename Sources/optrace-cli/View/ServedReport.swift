import OpTraceRunning
import OpTracePage
import Foundation
import OpTraceModel

/// The report page of a trace, made again when the trace has changed; and while its program runs, the updates for open pages.
///
/// Sendable: the lock guards everything that changes, and is held while a page is made.
final class ServedReport: @unchecked Sendable {
  private let name: String
  /// Nil: the trace cannot be read again (a pipe).
  private let path: String?
  private let unpacker: TraceUnpacker?
  private let lock = NSLock()

  private var header: TraceHeader
  private var bytes: [UInt8]
  /// The state of the trace that the page shows.
  private var state: String
  private var made = Date()
  private var hasComplained = false
  /// For pages that were opened while the program ran. They may stay open when it has ended.
  private var live: LivePage?

  /// How long a page of a growing trace is reused, in seconds.
  private static let lifetime = 0.5

  /// Makes the first page.
  init(_ trace: Trace, named name: String, path: String?, unpacker: TraceUnpacker? = nil) throws {
    self.name = name
    self.path = path
    self.unpacker = unpacker
    header = trace.header
    // Taken before the page is made, so that what is written meanwhile counts as new.
    let reading = path.flatMap { FileState(at: $0, trace.header) }
    state = reading?.text ?? "read-once"
    bytes = []
    bytes = try page(of: trace, isLive: reading?.isLive ?? false)
  }

  /// The page of the trace as it is now, or the last one if the trace cannot be read any more.
  func page() -> [UInt8] { lock.withLock { current() } }

  /// A text that changes when the page would change.
  func currentState() -> String { lock.withLock { path.flatMap { FileState(at: $0, header)?.text } ?? state } }

  /// The updates for a page that was opened while the program ran, as JSON; nil: there is no such page. See ``LivePage/news(since:withGraph:)``.
  func news(since revision: Int?, withGraph: Bool) -> [UInt8]? {
    lock.withLock {
      do {
        return try live?.news(since: revision, withGraph: withGraph)
      } catch {
        complain("cannot be read any more (\(printable("\(error)")))")
        return Array("{\"isOver\":\(live?.isOver ?? true),\"again\":2000,\"updates\":[]}".utf8)
      }
    }
  }

  private func current() -> [UInt8] {
    guard let path else { return bytes }
    guard let stamp = try? TraceStamp(path: path) else {
      complain("is gone")
      return bytes
    }
    let now = FileState(stamp, header)
    let isFresh = !now.isLive || Date().timeIntervalSince(made) < Self.lifetime
    if now.text == state, isFresh { return bytes }
    do {
      let trace = try TraceReader.read(path: path, unpacking: unpacker)
      let read = FileState(stamp, trace.header)
      bytes = try page(of: trace, isLive: read.isLive)
      (header, state, made) = (trace.header, read.text, Date())
      hasComplained = false
    } catch {
      complain("cannot be read any more (\(printable("\(error)")))")
    }
    return bytes
  }

  private func page(of trace: Trace, isLive: Bool) throws -> [UInt8] {
    if isLive, let path {
      // Keep the one that there is, so that the numbers of revisions continue for pages that are open.
      if live?.isOver != false { live = LivePage(path: path) }
      if let bytes = try live?.page() { return bytes }
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

  /// What is known of a trace without reading its records.
  private struct FileState {
    /// Its program runs and may still write.
    let isLive: Bool
    /// It changes when the program ends, too: then there is nothing more to wait for.
    let text: String

    init(_ stamp: TraceStamp, _ header: TraceHeader) {
      isLive = stamp.isOpen && LiveProcess.writes(header)
      text = isLive ? stamp.text : stamp.text + "-over"
    }

    /// Nil: the file is gone.
    init?(at path: String, _ header: TraceHeader) {
      guard let stamp = try? TraceStamp(path: path) else { return nil }
      self.init(stamp, header)
    }
  }
}
