#if CLI && os(Linux)
  import Foundation
  import OpTraceModel
  import OpTraceText

  /// What is said when all is over: where each trace is, what is in it, what to do with it.
  struct RecordReport {
    /// Of a trace, which may be large while there are many, only what is told.
    private struct Entry {
      var path: String
      var header: TraceHeader
      var operations: Int
      var queues: Int
      var lost: UInt64
    }

    private var entries: [Entry] = []
    private var problems: [String] = []
    private let program: String
    private let folder: String

    init(_ notes: [RecordNotes.Note], program: String, folder: String) {
      self.program = program
      self.folder = folder
      for note in notes {
        switch note {
        case .trace(_, let path): add(path)
        case .failure(let processID, let reason): problems.append("process \(processID): \(printable(reason))")
        }
      }
    }

    /// A file that is gone was taken back by its process, which says why, or removed by the program.
    private mutating func add(_ path: String) {
      guard access(path, F_OK) == 0 else { return }
      let name = path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : path
      do {
        let trace = try withProgress("reading '\(printable(name))'") { try TraceReader.read(path: path) }
        entries.append(
          Entry(
            path: name, header: trace.header, operations: trace.operations.count, queues: trace.queues.count,
            lost: trace.loss.lostCount))
      } catch {
        problems.append("'\(printable(name))' cannot be read: \(printable("\(error)"))")
      }
    }

    /// The one to look at first; nil where there is none.
    var firstTrace: String? { entries.first?.path }

    var text: String {
      guard let first = entries.first else {
        return "optrace: nothing was recorded: "
          + (problems.first ?? "neither '\(printable(program))' nor what it ran had Foundation when it began") + "\n"
      }
      var text = ""
      for entry in entries { text += "optrace: \(describe(entry))\n" }
      if let problem = problems.first {
        let others = problems.count > 1 ? " (and \(problems.count - 1) more)" : ""
        text += "optrace: not recorded: \(problem)\(others)\n"
      }
      let path = quoted(first.path)
      let stem = quoted(first.path.hasSuffix(".optrace") ? String(first.path.dropLast(8)) : first.path)
      return text
        + "  \(command) summary \(path)\n"
        + "  \(command) doctor \(path)\n"
        + "  \(command) graph \(path) -o \(stem).svg\n"
        + "  \(command) timeline \(path) -o \(stem).json\n"
    }

    private func describe(_ entry: Entry) -> String {
      var text = counted(entry.operations, "operation") + " on " + counted(entry.queues, "queue")
      if entry.lost > 0 { text += ", \(counted(entry.lost, "record")) lost" }
      text += " in '\(printable(entry.path))'"
      if entries.count > 1 {
        text += ", written by \(printable(entry.header.processName)) (pid \(entry.header.processID))"
      }
      if !entry.header.isClosed { text += ", not closed: its process was killed, called exec, or still runs" }
      return text
    }

    private var command: String { quoted(CommandLine.arguments.first ?? "optrace") }
  }
#endif
