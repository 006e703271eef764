/// Reads traces in a form that takes less space. Every reader takes one, as `unpacking:`; without it, it refuses packed traces.
///
/// There is one, in the module `OpTracePacked`: `TraceReader.read(path: "run.optracez", unpacking: .packed())`. It links liblzma,
/// which programs that read no packed traces do without.
public struct TraceUnpacker: Sendable {
  package typealias Unpack =
    @Sendable (
      _ source: any ByteSource, _ file: String
    ) throws(TraceError) -> (any ByteSource)?

  /// The bytes that were packed; nil where the source is not packed.
  private let unpack: Unpack
  /// Whether what has come out of a pipe so far may be the beginning of a packed trace.
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

  /// Opens a trace in any form; what is packed is unpacked. Of a pipe the beginning is checked first: the rest may be long in coming.
  package static func open(path: String, unpacking unpacker: TraceUnpacker?) throws(TraceError) -> any ByteSource {
    let opened = try FileSource.open(path: path) { beginning throws(TraceError) in
      if unpacker?.mayBegin(beginning) != true { try TraceReader.check(MemorySource(content: beginning), file: path) }
    }
    return try source(of: opened, file: path, unpacker)
  }
}
