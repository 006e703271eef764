#if os(Linux)
  import Foundation
  import OpTraceDoctor
  import OpTraceModel
  import OpTraceOrders
  import OpTraceText

  /// The deadlocks of a trace that have not happened yet, and which of them a run has made happen.
  struct ProvokedDeadlocks {
    struct Deadlock {
      /// From 1, in the order of the doctor.
      let number: Int
      let latent: LatentDeadlock
      /// The trace in which it happened; nil: none yet.
      var trace: String?
    }

    private(set) var all: [Deadlock] = []
    /// Those that cannot be tried, since the trace does not say where they are.
    private(set) var unplaced: [Deadlock] = []
    private let trace: Trace

    /// More are not tried: the doctor shows them.
    private static let most = 16

    init(of trace: Trace) {
      self.trace = trace
      for (index, latent) in LatentDeadlock.all(in: trace).prefix(Self.most).enumerated() {
        let one = Deadlock(number: index + 1, latent: latent)
        if isPlaced(one) { all.append(one) } else { unplaced.append(one) }
      }
    }

    private func isPlaced(_ one: Deadlock) -> Bool {
      var plan = PausePlan()
      return add(one, to: &plan)
    }

    private func add(_ one: Deadlock, to plan: inout PausePlan) -> Bool {
      switch one.latent.cause {
      case .cycle(let cycle): plan.add(cycle, of: trace, as: one.number)
      case .pool(let handover, let slots):
        plan.add(
          handover, filling: slots ?? ProcessInfo.processInfo.activeProcessorCount, of: trace, as: one.number)
      }
    }

    var open: [Deadlock] { all.filter { $0.trace == nil } }

    /// Where threads are to pause for those that are open.
    var plan: PausePlan {
      var plan = PausePlan()
      // Where there is no room for one more, it has its turn when others have happened.
      for one in open { _ = add(one, to: &plan) }
      return plan
    }

    /// Notes what has hung: what met in that run, else what hangs at the same lines. False: it hung, and is none of these.
    mutating func note(_ outcome: PausedRuns.Outcome) -> Bool {
      guard outcome.hung, let stalled = outcome.stalled else { return true }
      let errors = stalled.process.report.findings.filter { $0.severity == .error }
      let named = all.indices.filter { index in
        outcome.marks.met.contains(all[index].number)
          || outcome.marks.met.isEmpty && errors.contains { all[index].latent.finding.hasPlaces(of: $0) }
      }
      for index in named where all[index].trace == nil { all[index].trace = stalled.trace }
      return !named.isEmpty
    }

    /// Files that have other code by now than when the trace was recorded, by the files of a run.
    func changed(_ images: [ImageRecord]) -> [String] {
      plan.modules.filter { module in
        let same = images.filter { $0.name == module.name }
        return !same.isEmpty && same.allSatisfy { $0.buildID != module.buildID }
      }.map(\.name)
    }

    /// The tests in which they were, as `swift test --filter` takes them; nil: not all were in a known test.
    var tests: [String]? {
      guard trace.header.processName.hasSuffix(".xctest") else { return nil }
      var names: [String] = []
      for one in open {
        for time in one.latent.times {
          let around = trace.spans.filter { $0.began.time <= time && time <= $0.ended?.time ?? .max }
          guard let span = around.last, around.count == 1 else { return nil }
          let name = span.name.components(separatedBy: " case ")[0]
          if !names.contains(name) { names.append(name) }
        }
      }
      return names
    }
  }

  extension Finding {
    /// Whether the other one's cycle goes through lines of this one's alone.
    fileprivate func hasPlaces(of other: Finding) -> Bool {
      let (own, others) = (places, other.places)
      return !others.isEmpty && own.isSuperset(of: others)
    }

    private var places: Set<String> {
      Set(chain.compactMap { CodeLocation(file: $0.file, line: $0.line).lineText })
    }
  }

  extension LatentDeadlock {
    /// When its sides were seen.
    fileprivate var times: [Nanoseconds] {
      switch cause {
      case .cycle(let cycle): cycle.sightings.map(\.time)
      case .pool(let handover, _): [handover.time]
      }
    }
  }
#endif
