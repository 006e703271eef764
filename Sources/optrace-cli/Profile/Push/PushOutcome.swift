import Foundation
import OpTraceProfile

/// What became of a request.
enum PushOutcome: Equatable {
  /// The receiver took it. `words`: what it says about that; nil: nothing.
  case accepted(words: String?)
  /// The receiver took it, but not what was in it, and says why.
  case rejected(words: String)
  /// It may succeed later: not earlier than in so many seconds, if the receiver says that.
  case retry(after: Double?, why: String)
  /// It would be refused again.
  case refused(why: String)

  /// OpenTelemetry's rules, which also fit Pyroscope: these statuses pass by themselves, all others do not
  /// (<https://opentelemetry.io/docs/specs/otlp/#otlphttp-response>).
  private static let passing: Set = [429, 502, 503, 504]
  /// Nobody means a longer time than that, in seconds.
  private static let longestWait = 3600.0

  init(_ reply: Curl.Reply, format: PushReceiver.Format) {
    guard (200...299).contains(reply.status) else {
      let words = Self.words(of: reply)
      let why = "status \(reply.status)" + (words.isEmpty ? "" : ": \(words)")
      if Self.passing.contains(reply.status) {
        self = .retry(after: reply.headers["retry-after"].flatMap { Self.seconds($0) }, why: why)
      } else {
        self = .refused(why: why)
      }
      return
    }
    guard format == .otlp, let partial = PushAnswers.partialSuccess(reply.body) else {
      self = .accepted(words: nil)
      return
    }
    let words = Self.line(partial.message)
    self = partial.rejected > 0 ? .rejected(words: words) : .accepted(words: words.isEmpty ? nil : words)
  }

  /// The receiver's own words: a message in protobuf or JSON, else the first line of the text.
  private static func words(of reply: Curl.Reply) -> String {
    let type = reply.headers["content-type"]?.lowercased() ?? ""
    if type.hasPrefix("application/x-protobuf") || type.hasPrefix("application/proto") {
      return line(PushAnswers.statusMessage(reply.body) ?? "")
    }
    if type.hasPrefix("application/json"),
      let object = try? JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any],
      let message = object["message"] as? String
    {
      return line(message)
    }
    return line(String(decoding: reply.body.prefix(4096), as: UTF8.self))
  }

  /// The first line that is not empty, without what would control a terminal.
  private static func line(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isNewline).first { !$0.allSatisfy(\.isWhitespace) } ?? ""
    let shown = printable(line.trimmingCharacters(in: .whitespaces))
    return shown.count > 300 ? shown.prefix(300) + "…" : shown
  }

  /// The value of `Retry-After`: seconds, or a date; nil: it is neither.
  static func seconds(_ value: String, now: Date = Date()) -> Double? {
    if value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Double(value) {
      return min(seconds, longestWait)
    }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "GMT")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return format.date(from: value).map { max(0, min($0.timeIntervalSince(now), longestWait)) }
  }
}
