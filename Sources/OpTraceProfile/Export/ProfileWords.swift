import OpTraceKernel
import OpTraceSamples
import OpTraceText

/// What exports call the things of a profile.
enum ProfileWords {
  /// The system, in a call that the frame before it made. In brackets, as perf has it.
  static let kernel = "[kernel]"
  /// What called the outermost frame that is known.
  static let callersUnknown = "[callers not known]"
  /// A frame or a stack that the profile does not have.
  static let unknown = "[unknown]"
  /// Names longer than that are cut in the middle.
  static let longestName = 1000

  /// A function's name on one line, never empty.
  static func function(_ profile: Profile, _ index: Int) -> String {
    guard profile.functions.indices.contains(index) else { return unknown }
    return name(profile.functions[index].name)
  }

  /// `operation Resize on network`, `thread main`: of samples without an owner, the unknown.
  static func owner(_ profile: Profile, _ index: Int?) -> String {
    guard let index, profile.owners.indices.contains(index) else { return unknown }
    let owner = profile.owners[index]
    let words = [owner.kind, owner.name].filter { !$0.isEmpty }.joined(separator: " ")
    return name(owner.queue.map { "\(words) on \($0)" } ?? words)
  }

  /// A thread's name, else its number.
  static func thread(_ thread: Profile.Thread?, _ number: UInt32) -> String {
    guard let thread else { return "thread \(number)" }
    return thread.name.isEmpty ? "thread \(thread.systemID)" : name(thread.name)
  }

  /// One line, never empty.
  static func name(_ text: String) -> String {
    let line = TextEscaping.oneLine(text, limit: longestName)
    return line.allSatisfy { $0 == " " } ? unknown : line
  }
}
