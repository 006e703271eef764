import OpTraceModel
import OpTraceText

/// The arguments of one event as an object of JSON; none, where there are none.
struct ChromeArguments: ArgumentSink {
  let writer: ByteWriter
  private var isEmpty = true

  init(_ writer: ByteWriter) { self.writer = writer }

  private mutating func name(_ name: ArgumentName) {
    writer.text(isEmpty ? ",\"args\":{\"" : ",\"")
    isEmpty = false
    writer.text(name.text)
    writer.text("\":")
  }

  mutating func number(_ name: ArgumentName, _ value: Int) {
    self.name(name)
    writer.number(value)
  }

  mutating func text(_ name: ArgumentName, _ value: String) {
    self.name(name)
    writer.json(value)
  }

  mutating func flag(_ name: ArgumentName, _ value: Bool) {
    self.name(name)
    writer.text(value ? "true" : "false")
  }

  mutating func microseconds(_ name: ArgumentName, _ value: Nanoseconds) {
    self.name(name)
    writer.thousandths(value)
  }

  /// Ends the arguments and the event.
  func close() { writer.text(isEmpty ? "}" : "}}") }
}
