#if os(Linux)
  import Foundation
  import OpTraceModel
  import OpTraceText

  /// Pushes the profiles of all processes of a run while they work, on a thread of its own.
  ///
  /// Sendable: the condition's lock guards what both threads use. Everything else belongs to the thread; of the notes it
  /// only reads files, and they are removed after ``finish()``.
  final class RecordPush: @unchecked Sendable {
    private let settings: PushSettings
    private let notes: RecordNotes
    private let queue: PushQueue
    private let condition = NSCondition()
    private var isEnding = false
    private var isDone = false

    /// The processes that are followed, by the paths of their traces, and all paths that were ever followed.
    private var pushers: [String: ProfilePusher] = [:]
    private var seen: Set<String> = []
    private var lost = 0

    /// Seconds between two readings. A small ring may be overwritten in a few.
    private static let pause = 1.0

    init(_ settings: PushSettings, notes: RecordNotes) {
      (self.settings, self.notes) = (settings, notes)
      queue = PushQueue(settings.receiver)
      Thread { [self] in run() }.start()
    }

    private func run() {
      while true {
        let isLast = condition.withLock { isEnding }
        follow()
        for (path, pusher) in pushers.sorted(by: { $0.key < $1.key }) {
          if isLast { pusher.finish() } else if !pusher.step() { continue }
          lost += pusher.lost
          pushers[path] = nil
        }
        if isLast { break }
        condition.withLock {
          if !isEnding { _ = condition.wait(until: Date(timeIntervalSinceNow: Self.pause)) }
        }
      }
      condition.withLock {
        isDone = true
        condition.broadcast()
      }
    }

    /// Begins to follow processes that have noted a trace.
    private func follow() {
      for case .trace(_, let path) in notes.read() where !seen.contains(path) {
        // A note may exist a moment before its file.
        guard
          let pusher = try? ProfilePusher(path: path, since: 0, settings: settings, queue: queue, process: seen.count)
        else { continue }
        seen.insert(path)
        pushers[path] = pusher
      }
    }

    /// When the program has ended: sends the last part of each window, which takes no longer than a request may, and says
    /// what became of all profiles.
    func finish() {
      condition.withLock {
        isEnding = true
        condition.broadcast()
        while !isDone { condition.wait() }
      }
      let ledger = queue.finish()
      let rest = lost > 0 ? "; the recorder had no room for \(counted(lost, "more sample"))" : ""
      Console.error(ledger.summary + rest)
    }
  }
#endif
