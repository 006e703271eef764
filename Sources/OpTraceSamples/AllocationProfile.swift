import Foundation
import OpTraceKernel
package import OpTraceModel

/// A number of bytes that was estimated from samples.
package struct EstimatedBytes: Sendable, Equatable {
  package private(set) var bytes = 0.0
  /// How many allocations.
  package private(set) var count = 0.0
  /// In square bytes.
  package private(set) var variance = 0.0
  package private(set) var samples = 0

  package init() {}

  /// The standard error.
  package var error: Double { variance.squareRoot() }

  /// Adds a sample.
  /// - Parameters:
  ///   - size: of what was sampled.
  ///   - interval: of all bytes one in so many was chosen, so large blocks are sampled more often than small ones.
  package mutating func add(size: UInt64, interval: UInt64) {
    guard size > 0 else { return }
    let size = Double(size)
    let chance = Self.chance(size, interval)
    bytes += size / chance
    count += 1 / chance
    variance += size * size * (1 - chance) / (chance * chance)
    samples += 1
  }

  /// Adds a difference of two estimates.
  package mutating func add(bytes: Double, count: Double, variance: Double, samples: Int) {
    self.bytes += bytes
    self.count += count
    self.variance += variance
    self.samples += samples
  }

  package static func += (left: inout EstimatedBytes, right: EstimatedBytes) {
    left.bytes += right.bytes
    left.count += right.count
    left.variance += right.variance
    left.samples += right.samples
  }

  /// That an allocation of this size is sampled: 1 - e^(-size/interval).
  package static func chance(_ size: Double, _ interval: UInt64) -> Double {
    guard interval > 1 else { return 1 }
    let share = size / Double(interval)
    // Of small shares the difference would lose its digits.
    return share < 1e-4 ? share - share * share / 2 : 1 - exp(-share)
  }
}

/// Sampled allocations with their whole stacks, and what each was for.
package struct AllocationProfile: Sendable {
  /// Functions, stacks and owners. Its samples are ``allocations``, with the bytes that each stands for.
  package var profile: Profile
  /// In the order of time.
  package var allocations: [AllocationRecord]

  /// O(n log n) for n allocations and runs.
  package init(of trace: Trace, selection: Profile.Selection = .init()) {
    var builder = ProfileBuilder(trace)
    var work = SampledWork(trace, selection)
    var kept: [AllocationRecord] = []
    for allocation in trace.memory?.allocations ?? [] {
      let isInTime = selection.contains(allocation.time)
      guard isInTime || !selection.always.isEmpty else { continue }
      let stamp = Stamp(allocation.time, allocation.thread)
      let situation = work.situation(at: stamp)
      guard isInTime && situation.isChosen || situation.isAlwaysChosen else { continue }
      var estimate = EstimatedBytes()
      estimate.add(size: allocation.size, interval: allocation.interval)
      builder.add(allocation.at, on: stamp, in: situation, weight: Nanoseconds(min(estimate.bytes, 1e15)))
      kept.append(allocation)
    }
    profile = builder.finish(Profile.Facts(trace, from: selection.from, to: selection.to))
    profile.hideAllocator()
    allocations = kept
  }
}

extension Profile {
  /// The index in a stack's frames of the function that its allocations are charged to: the innermost of the program's own, which so has
  /// what libraries allocate for it; else the innermost. Nil: it has no frames. O(frames).
  package func chargedFrame(of stack: Stack) -> Int? {
    stack.frames.lastIndex { functions[frames[$0].function].isOwn } ?? stack.frames.indices.last
  }

  /// Takes the functions that are asked for memory off the inner end of each stack: all allocations end there.
  fileprivate mutating func hideAllocator() {
    let isHidden = functions.map { $0.isAllocator }
    for index in stacks.indices {
      var frames = stacks[index].frames
      while frames.count > 1, let last = frames.last, isHidden[self.frames[last].function] { frames.removeLast() }
      stacks[index].joined = min(stacks[index].joined, frames.count)
      stacks[index].frames = frames
    }
  }
}

extension Profile.Function {
  private static let allocators: Set<String> = [
    "swift_slowAlloc", "swift_slowAllocTyped", "swift_allocObject", "swift_allocBox", "swift_allocError",
    "swift_allocEmptyBox", "swift_task_alloc", "swift_initStackObject", "malloc", "calloc", "realloc",
    "operator new(unsigned long)", "operator new[](unsigned long)", "operator new", "posix_memalign", "aligned_alloc",
  ]

  /// Whether it gives out memory for others.
  fileprivate var isAllocator: Bool { !isOwn && Self.allocators.contains(name) }
}
