#if os(Linux)
  import OpTracePage
  import Foundation
  import OpTraceFormat
  import OpTraceModel
  import OpTraceText

  /// The pages of a run, for `--report`: a report for each trace that is worth one.
  struct RecordPages {
    /// The most pages: package managers may run a process for each test.
    private static let most = 20

    /// Whether all pages that were due have been written.
    private(set) var isWhole = true
    /// The text for standard error.
    private(set) var text = ""

    /// The names of the files for each run. Throws ``Failure`` if they could not be written, so that this is known
    /// before the program runs.
    static func files(_ path: String, runs: Int?) throws -> [String] {
      let files = runs.map { RunNames.all($0, of: path) } ?? [path]
      if Output(path: path).isTerminal {
        throw Failure.usage("a page is not for a terminal: name a file with --report")
      }
      for file in files {
        guard let why = obstacle(file) else { continue }
        throw Failure(message: "cannot write '\(printable(file))': \(why)", status: .cannotRecord)
      }
      return files
    }

    private static func obstacle(_ path: String) -> String? {
      var status = stat()
      if stat(path.asPath, &status) == 0 {
        if status.st_mode & S_IFMT == S_IFDIR { return reason(EISDIR) }
        return access(path.asPath, W_OK) == 0 ? nil : reason(errno)
      }
      let parent = RawPath.parts(path).folder
      let folder = parent.isEmpty ? "." : parent
      guard access(folder.asPath, F_OK) == 0 else { return "there is no folder '\(printable(folder))'" }
      return access(folder.asPath, W_OK | X_OK) == 0 ? nil : reason(errno)
    }

    /// Writes the pages, those with the most work first.
    init(of traces: [RecordedTrace], to path: String) {
      let worth = Self.worthAPage(traces)
      for (index, trace) in worth.prefix(Self.most).enumerated() {
        let file = Report.file(index + 1, of: path)
        do {
          let input = try TraceInput(path: trace.path).read(warns: false).withLiveNames()
          let report = Report.exporter(for: input.trace)
          try Output(path: file).writeLong { try report.write(to: $0) }
          text += "optrace: the report of \(trace.phrase) is in '\(printable(file))'\n"
        } catch {
          isWhole = false
          text += "optrace: no report of \(trace.phrase): \((error as? Failure)?.message ?? printable("\(error)"))\n"
        }
      }
      if worth.isEmpty { text += "optrace: no report is written: nothing was recorded\n" }
      let others = worth.count - Self.most
      if others > 0 { text += "optrace: no report of \(counted(others, "other process", plural: "other processes"))\n" }
    }

    /// The traces that get a page. If anything was recorded at all, there is at least one.
    private static func worthAPage(_ traces: [RecordedTrace]) -> [RecordedTrace] {
      let ofTests = traces.filter(\.isOfTests)
      let busy = ofTests.isEmpty ? traces.filter { $0.work > 0 } : ofTests
      // A stable order for equal amounts, because sorting alone may change it. The user looks first for what stalled.
      let stalled = traces.filter(\.isStalled)
      return stalled
        + (busy.isEmpty ? Array(traces.prefix(1)) : busy).filter { !$0.isStalled }.enumerated()
        .sorted { ($1.element.work, $0.offset) < ($0.element.work, $1.offset) }.map(\.element)
    }
  }
#endif
