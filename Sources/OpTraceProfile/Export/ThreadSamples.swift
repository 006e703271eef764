import OpTraceKernel
import OpTraceModel
import OpTraceSamples

/// The samples of one thread.
struct ThreadSamples {
  /// Whose they are.
  let thread: ThreadID
  /// Its name, and the system's number where the name is not made of it.
  let label: String
  /// The name alone.
  let name: String
  /// The system's number; nil: not known.
  let systemID: UInt32?
  /// Indexes in ``Profile/samples``, in the order of time.
  private(set) var samples: [Int] = []
  /// Nanoseconds of all of them.
  private(set) var weight: Nanoseconds = 0

  private init(_ thread: ThreadID, _ profile: Profile) {
    self.thread = thread
    let known = profile.threads[thread]
    let name = ProfileWords.thread(known, thread.rawValue)
    self.name = name
    systemID = known?.systemID
    label = known.map { $0.name.isEmpty ? name : "\(name) (\($0.systemID))" } ?? name
  }

  /// Each thread that has samples, the one that used most first, then by number. O(samples).
  static func all(of profile: Profile) -> [ThreadSamples] {
    var numbers: [ThreadID: Int] = [:]
    var result: [ThreadSamples] = []
    for (index, sample) in profile.samples.enumerated() {
      let number = numbers.entry(sample.thread)
      if number == result.count { result.append(ThreadSamples(sample.thread, profile)) }
      result[number].samples.append(index)
      result[number].weight = result[number].weight.adding(sample.weight)
    }
    return result.sorted { ($1.weight, $0.thread) < ($0.weight, $1.thread) }
  }
}
