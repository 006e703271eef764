import CSQLite

/// Why a query gave no answer, or not all of it.
package struct SQLError: Error, Sendable, Equatable {
  /// What kind of fault it is.
  package enum Reason: Sendable, Equatable {
    /// The query cannot be understood, or names what there is not.
    case query
    /// It would write.
    case readOnly
    /// It took longer than it was given.
    case timeout
    /// Somebody ended it.
    case interrupted
    /// The database could not be written, or SQLite gave up.
    case failed
  }

  /// What kind of fault it is.
  package let reason: Reason
  /// SQLite's words, or ours.
  package let message: String
  /// Where in the query, in bytes of UTF-8 from 0; nil: not known.
  package let offset: Int?
  /// What there is no such thing as; nil: the fault is another.
  package let unknownName: String?

  init(_ reason: Reason, _ message: String, offset: Int? = nil) {
    (self.reason, self.message, self.offset) = (reason, message, offset)
    let beginnings = ["no such table: ", "no such column: ", "no such function: "]
    unknownName =
      beginnings.lazy.compactMap { start -> String? in
        guard message.hasPrefix(start) else { return nil }
        var name = message.dropFirst(start.count)
        // Later versions say of `"nmae"` that it may have been meant as a text, and quote it.
        if let end = name.firstRange(of: " - ") { name = name[..<end.lowerBound] }
        // `main.operation`, `o.nmae`: the last part is the name.
        let last = name.split(separator: ".").last.map { $0.filter { $0 != "\"" } }
        return last.flatMap { $0.isEmpty ? nil : $0 }
      }.first
  }

  /// Of what took longer than it was given.
  package static let timeout = SQLError(.timeout, "it took longer than it was given")
  /// Of what somebody ended.
  package static let interrupted = SQLError(.interrupted, "it was ended")
}
