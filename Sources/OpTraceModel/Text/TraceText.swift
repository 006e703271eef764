import OpTraceFormat

/// The text form of a trace: one line per event, for people, tests and bug reports.
///
/// ```
/// optrace text 1
/// process 4242 "photo-import"
/// …
///
/// 0 t1 thread t1 tid=4242 "main"
/// 1200 t1 queue q1 limit=4 "photos"
/// 5000 t1 created #1 class="Decode"
/// ```
///
/// The line of an event has nanoseconds since the start, the thread, the word from the event table, the subject, the
/// fields (a missing one is 0), and the text. `Documentation/format.md` specifies it. Text to binary to text is the
/// identity if ``write(_:to:)`` wrote the text.
public enum TraceText {
  /// The longest text that is read, in bytes, because it is read into memory.
  static let longest = 1 << 30
  /// The first line.
  public static let signature = "optrace text 1"
  private static let signatureStart = "optrace text "

  /// Whether these first bytes of a file begin a text form, of whatever version.
  public static func isText(_ bytes: [UInt8]) -> Bool { bytes.starts(with: signatureStart.utf8) }

  /// The whole text.
  public static func string(_ events: TraceEvents) -> String {
    var result: [UInt8] = []
    write(events) { result += $0 }
    return String(decoding: result, as: UTF8.self)
  }

  /// Writes the text in pieces of some 64 KiB, so that memory does not grow with the trace.
  public static func write(_ events: TraceEvents, to sink: ([UInt8]) throws -> Void) rethrows {
    var printer = TextPrinter(strings: events.strings)
    printer.printHeader(of: events)
    let progress = WorkProgress.reporter()
    for index in events.indices {
      progress.reportSometimes(index, of: events.count)
      printer.printEvent(events[index], record: events.words(at: index))
      if printer.output.count >= 1 << 16 {
        try sink(printer.output)
        printer.output.removeAll(keepingCapacity: true)
      }
    }
    try sink(printer.output)
  }

  /// Reads a text. The error names the line and what was expected there.
  public static func parse(_ text: String, file: String = "text") throws(TraceError) -> TraceEvents {
    try parse(Array(text.utf8), file: file)
  }

  /// Reads a text from its bytes; what is not UTF-8 is replaced by U+FFFD.
  public static func parse(_ bytes: [UInt8], file: String = "text") throws(TraceError) -> TraceEvents {
    var parser = TextParser(bytes)
    do {
      return try parser.parse()
    } catch {
      throw TraceError(file: file, .text(line: error.line, error.message))
    }
  }

  /// The word for a reason of loss.
  static func word(_ reason: LossReason) -> String {
    switch reason {
    case .noSpace: "no-space"
    case .sizeLimit: "size-limit"
    case .threadExited: "thread-exited"
    case .tableFull: "table-full"
    case .carry: "carry"
    }
  }
}
