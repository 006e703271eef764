#if os(Linux)
  import Foundation
  import ArgumentParser
  import OpTraceDoctor
  import OpTraceFormat
  import OpTraceModel
  import OpTraceOrders
  import OpTraceProcesses
  import OpTraceText

  /// Runs a program again and again, with pauses that let threads meet as they seldom do, until one run hangs. Only traces of runs that hung
  /// are kept.
  struct PausedRuns {
    /// One run that is over.
    struct Outcome {
      var end: ProgramEnding
      var marks: PauseMarks
      /// The files with code that were loaded in its processes.
      var images: [ImageRecord]
      /// What hung, and the name of its trace.
      var stalled: (process: StalledProcess, trace: String)?
      var isAskedToStop: Bool

      /// Whether it is proven that it hung: by the doctor, or because all sides of a deadlock met and nothing has moved since.
      var hung: Bool { stalled?.process.report.hasErrors == true || stalled != nil && !marks.met.isEmpty }
    }

    /// The paths of the traces of the runs.
    let targets: [String]
    private let record: RecordCommand
    private let program: ProgramFile
    private let object: String
    private let folder: String

    /// Throws ``Failure`` with the statuses of `record` if the program cannot be recorded.
    ///
    /// - Parameters:
    ///   - line: the program and its arguments.
    ///   - output: the file to write, or a folder; nil: one in this folder, named after the program and `ending`.
    init(_ line: [String], runs: Int, stallTimeout: String, output: String?, ending: String) throws {
      folder = RawPath.currentFolder
      program = try ProgramFile.find(line[0])
      try program.checkRecordable(debugFile: nil)
      object = try PreloadObject.find()
      let name = "\(printable((line[0] as NSString).lastPathComponent)).\(ending).optrace"
      let options = [
        "--dispatch", "--tasks", "--orders", "--stall-timeout", stallTimeout, "--runs", "\(runs)", "-o",
        Self.file(output, named: name),
      ]
      guard let command = try RecordCommand.parseAsRoot(options + ["--"] + line) as? RecordCommand else {
        throw Failure.usage("'\(printable(line[0]))' cannot be run")
      }
      record = command
      targets = try command.targets(in: folder)
    }

    private static func file(_ output: String?, named name: String) -> String {
      guard let output else { return name }
      var isFolder: ObjCBool = false
      let exists = FileManager.default.fileExists(atPath: output, isDirectory: &isFolder)
      return exists && isFolder.boolValue ? (output as NSString).appendingPathComponent(name) : output
    }

    /// The arguments as they were given, byte for byte.
    var words: [RawText] { RawText.arguments(last: record.line.count) }

    func run(_ index: Int, _ changes: RunChanges) throws -> Outcome {
      let finished = try record.runOnce(program, object: object, to: targets[index], in: folder, changes: changes)
      if finished.traces.isEmpty, finished.stalled == nil { throw nothingRecorded(finished) }
      var outcome = Outcome(
        end: finished.end, marks: PauseMarks(), images: [], stalled: nil, isAskedToStop: finished.isAskedToStop)
      for path in finished.traces {
        guard let trace = try? TraceReader.read(path: path) else { continue }
        outcome.marks.add(trace)
        outcome.images += trace.stacks.images.values
      }
      if let process = finished.stalled {
        // The report adds the names of code to the trace.
        let report = finished.report(program: record.line[0], folder: folder, debugFile: nil)
        outcome.stalled = (process, report.firstTrace ?? process.path)
      }
      for path in finished.traces where path != finished.stalled?.path { unlink(path.asPath) }
      return outcome
    }

    private func nothingRecorded(_ run: FinishedRun) -> Failure {
      let report = run.report(program: record.line[0], folder: folder, debugFile: nil)
      let text = report.text().split(separator: "\n").first.map(String.init) ?? ""
      return Failure(message: String(text.dropFirst("optrace: ".count)), status: .cannotRecord)
    }
  }

  extension PausedRuns.Outcome {
    /// What became of the run, as part of a sentence.
    var words: String {
      let times = "threads were held \(counted(marks.held, "time"))"
      if stalled?.process.report.hasErrors == false, hung {
        return "all sides of a finding met, and nothing moved any more; \(times)"
      }
      if hung { return "it hung; \(times)" }
      if stalled != nil { return "it stalled, and nothing proves that it would not have gone on; \(times)" }
      switch end {
      case .exited(0): return "it ended well; \(times)"
      case .exited(let status): return "it ended with \(status); \(times)"
      case .killed(let signal): return "signal \(signal) killed it; \(times)"
      }
    }
  }
#endif
