import OpTraceKernel
public import OpTraceModel
import OpTraceSamples

extension Summary {
  /// Where processor time went, by samples.
  public struct ProcessorTime: Sendable, Equatable {
    /// A function that used some.
    public struct Function: Sendable, Equatable {
      /// The displayed name.
      public var name: String
      /// The Swift module, else the file that its code is in; nil: not known.
      public var module: String?
      /// The path of its source file; nil: not known.
      public var file: String?
      /// The lowest line of it that was seen, from 1; nil: not known.
      public var line: Int?
      /// Nanoseconds in its own code.
      public var own: Nanoseconds
      /// Nanoseconds with all that it called.
      public var total: Nanoseconds

      /// `main.swift:12`: the last part of the path, and the line; nil where the file is not known.
      public var lineText: String? { CodeLocation(file: file, line: line).lineText }
    }

    /// Operations of a class, blocks or tasks of a function, or a thread's time outside of work.
    public struct Work: Sendable, Equatable {
      /// `operation`, `block`, `task`, `thread`.
      public var kind: String
      /// The class, the function or the thread's name.
      public var name: String
      /// Wall-clock nanoseconds that it ran, computing or not; nil for a thread.
      public var running: Nanoseconds?
      /// Nanoseconds of processor time.
      public var used: Nanoseconds
      /// The program's own function with the most time, including the libraries that it calls; if there is none, the
      /// function with the most time in its own code. Nil: no function has a name.
      public var function: String?
    }

    /// The number of samples.
    public var samples = 0
    /// Nanoseconds of processor time that they stand for.
    public var sampled: Nanoseconds = 0
    /// The share of the process's processor time that this is; nil: not known.
    public var share: Double?
    /// The functions with the most time in their own code, the most first; at most as many as ``Summary/slowest`` has.
    public var functions: [Function] = []
    /// How many more functions there are.
    public var moreFunctions = 0
    /// The work with the most time first; at most as many as ``Summary/slowest`` has.
    public var work: [Work] = []
    /// How many more kinds of work there are.
    public var moreWork = 0
  }

  /// Nil: nothing was sampled. O(n log n) for n samples and runs.
  static func processorTime(_ trace: Trace, most: Int, running: [String: Nanoseconds]) -> ProcessorTime? {
    guard !trace.samples.isEmpty else { return nil }
    let profile = Profile(of: trace)
    var result = ProcessorTime()
    result.samples = profile.samples.count
    result.sampled = profile.total
    result.share = profile.facts.sampledShare
    let rows = profile.functionRows()
    result.moreFunctions = max(0, rows.count - most)
    result.functions = rows.prefix(most).map { row in
      let function = profile.functions[row.function]
      return ProcessorTime.Function(
        name: function.name, module: function.module, file: function.file, line: function.line, own: row.own,
        total: row.total)
    }
    let groups = profile.groupRows(by: .work)
    result.moreWork = max(0, groups.count - most)
    result.work = groups.prefix(most).compactMap { row in
      guard case .owner(let owner) = row.name else { return nil }
      return ProcessorTime.Work(
        kind: owner.kind, name: owner.name, running: running["\(owner.kind) \(owner.name)"], used: row.weight,
        function: row.mostCharged.map { profile.functions[$0.function].name })
    }
    return result
  }

  /// How long work ran, by its kind and name.
  var runningTimes: [String: Nanoseconds] {
    var times: [String: Nanoseconds] = [:]
    for entry in classes { times["operation \(entry.name)"] = entry.running.total }
    for entry in blocks { times["block \(entry.name)"] = entry.running.total }
    for entry in tasks { times["task \(entry.name)"] = entry.running.total }
    return times
  }
}
