import OpTraceModel
import OpTraceText

/// Counts what was pushed, and says what goes wrong: once for each change, so that a receiver that is down for a day
/// makes two lines.
struct PushLedger {
  private enum State: Equatable {
    case good
    case failing
    case dropping
    case refusing(String)
  }

  private let receiver: String
  private var state = State.good
  private var remark: String?
  private(set) var sent = 0
  /// Samples in profiles that were sent.
  private(set) var samples = 0
  /// Profiles that the receiver did not take, and never would.
  private(set) var refused = 0
  /// Profiles that found no room while the receiver was down, or were left at the end.
  private(set) var dropped = 0

  /// - Parameter receiver: its address, printable.
  init(receiver: String) { self.receiver = receiver }

  var isEverythingSent: Bool { refused == 0 && dropped == 0 }

  // Each of these returns the line to say; nil: nothing new.

  mutating func accepted(_ samples: Int, words: String?) -> String? {
    sent += 1
    self.samples += samples
    let before = state
    state = .good
    var line: String?
    if before != .good {
      let lost = dropped > 0 ? "; \(counted(dropped, "profile", is: true)) lost" : ""
      line = "optrace: note: \(receiver) takes profiles again\(lost)"
    } else if let words, words != remark {
      line = "optrace: note: \(receiver) says: \(words)"
    }
    remark = words
    return line
  }

  mutating func failed(_ why: String, keeping most: Int) -> String? {
    defer { if state != .dropping { state = .failing } }
    guard state != .failing, state != .dropping else { return nil }
    return "optrace: warning: cannot push profiles to \(receiver): \(why); it is tried again, and the last "
      + "\(counted(most, "profile", is: true)) kept"
  }

  mutating func dropped(_ count: Int) -> String? {
    guard count > 0 else { return nil }
    dropped += count
    guard state != .dropping else { return nil }
    state = .dropping
    return "optrace: warning: \(receiver) is not reached, or too slow: older profiles are dropped"
  }

  /// What is left at the end.
  mutating func leave(_ count: Int) { dropped += max(0, count) }

  mutating func refused(_ why: String) -> String? {
    refused += 1
    defer { state = .refusing(why) }
    guard state != .refusing(why) else { return nil }
    return "optrace: warning: \(receiver) refuses profiles: \(why)"
  }

  /// One line about all of it.
  var summary: String {
    var text = "optrace: \(counted(sent, "profile")) of \(counted(samples, "sample")) sent to \(receiver)"
    if refused > 0 { text += ", \(grouped(refused)) refused" }
    if dropped > 0 { text += ", \(grouped(dropped)) dropped" }
    return text
  }
}
