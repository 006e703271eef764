/// Reads traces in a form that takes less space. Pass one to a reader as `unpacking:`; without it, the reader refuses
/// packed traces.
///
/// The module `OpTracePacked` has the only one: `TraceReader.read(path: "run.optracez", unpacking: .packed())`. It
/// links liblzma, which programs that read no packed traces do not need.
public struct TraceUnpacker: Sendable {
  package typealias Unpack =
    @Sendable (
      _ source: any ByteSource, _ file: String
    ) throws(TraceError) -> (any ByteSource)?

  /// Gives the bytes that were packed; nil if the source is not packed.
  private let unpack: Unpack
  /// Tells whether the first bytes from a pipe may be the beginning of a packed trace.
  private let mayBegin: @Sendable (_ beginning: [UInt8]) -> Bool

  package init(unpack: @escaping Unpack, mayBegin: @escaping @Sendable (_ beginning: [UInt8]) -> Bool) {
    (self.unpack, self.mayBegin) = (unpack, mayBegin)
  }

  /// The bytes that were packed, or the source itself.
  static func source(
    of source: any ByteSource, file: String, _ unpacker: TraceUnpacker?
  ) throws(TraceError) -> any ByteSource {
    guard let unpacker else { return source }
    return try unpacker.unpack(source, file) ?? source
  }

  /// Opens a trace in any form, and unpacks it. The beginning of a pipe is checked first, because the rest may take
  /// long to come.
  package static func open(path: String, unpacking unpacker: TraceUnpacker?) throws(TraceError) -> any ByteSource {
    let opened = try FileSource.open(path: path) { beginning throws(TraceError) in
      if unpacker?.mayBegin(beginning) != true { try TraceReader.check(MemorySource(content: beginning), file: path) }
    }
    return try source(of: opened, file: path, unpacker)
  }
}
