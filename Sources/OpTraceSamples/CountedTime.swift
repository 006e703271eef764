import OpTraceKernel
package import OpTraceModel

/// Processor time that was counted in samples, and how far it may vary because of that.
package struct CountedTime: Sendable, Equatable {
  /// Nanoseconds.
  package private(set) var time: Nanoseconds = 0
  /// The number of samples; for waits, which are not sampled, the number of waits.
  package private(set) var samples = 0
  /// The variance of ``time``, in square nanoseconds. The number of samples that hit something has a Poisson
  /// distribution, so its variance is that number.
  package private(set) var variance = 0.0

  /// No time.
  package init() {}

  /// - Parameters:
  ///   - time: in nanoseconds.
  ///   - samples: how many samples stand for it.
  ///   - period: nanoseconds that one sample stands for; 0: the time was measured, and does not vary.
  package mutating func add(_ time: Nanoseconds, samples: Int, every period: Nanoseconds) {
    self.time = self.time.adding(time)
    self.samples += samples
    variance += Double(samples) * Double(period) * Double(period)
  }

  package static func += (left: inout CountedTime, right: CountedTime) {
    left.time = left.time.adding(right.time)
    left.samples += right.samples
    left.variance += right.variance
  }

  /// Whether chance does not explain the difference: it is larger than twice the standard deviation of what was
  /// counted.
  package func differsClearly(from other: CountedTime) -> Bool {
    abs(Double(time) - Double(other.time)) > 2 * (variance + other.variance).squareRoot()
  }
}

extension Profile.Function {
  /// What identifies a function in several runs. Lines are left out because they move, and folders because they differ.
  package struct Identity: Sendable, Hashable {
    package var name: String
    package var module: String?
  }

  package var identity: Identity { Identity(name: name, module: module) }
}

extension Profile {
  /// What a function used in one run.
  package struct ChargedFunction: Sendable, Equatable {
    package var function: Function
    package var used = CountedTime()
  }

  /// Functions with the time that is charged to them. A sample is charged to the innermost of the program's own
  /// functions, which thus gets the time of the libraries that it calls; if there is none, to the function that ran.
  /// Each sample counts once. O(samples + stacks).
  package func chargedFunctions() -> [Function.Identity: ChargedFunction] {
    var result: [Function.Identity: ChargedFunction] = [:]
    for group in SampleGroups(self, byOwner: false).groups {
      guard stacks.indices.contains(group.stack) else { continue }
      let stack = stacks[group.stack].frames
      guard let frame = stack.last(where: { functions[frames[$0].function].isOwn }) ?? stack.last else { continue }
      let function = functions[frames[frame].function]
      result[function.identity, default: ChargedFunction(function: function)].used
        .add(group.weight, samples: group.samples, every: period)
    }
    return result
  }
}
