/// Turns a block of a trace's bytes into few, and back: what is alike in its records is put side by side (``RecordTransform``), and
/// liblzma does the rest. Any bytes at all can be packed; only records get small.
enum BlockCodec {
  /// The most bytes of a trace in a coded block.
  static let longest = 1 << 20

  /// A block whose bytes the runs cover. `streams`: how many bytes liblzma was given.
  static func encode(
    _ block: [UInt8], _ runs: [RecordRuns.Run]
  ) throws(LZMA.Failure) -> (payload: [UInt8], streams: Int) {
    var writer = StreamWriter(runs)
    var block = block
    block.withUnsafeMutableBytes { transform($0, runs, &writer) }
    let streams = writer.finish()
    return (try LZMA.compress(streams), streams.count)
  }

  /// The `count` bytes of a block; nil where liblzma does not make `streams` bytes of the payload. What it makes can be decoded
  /// whatever it is: what no encoder wrote becomes any bytes, what is missing zeros.
  static func decode(_ payload: [UInt8], streams: Int, count: Int) -> [UInt8]? {
    guard let bytes = LZMA.decompress(payload, count: streams) else { return nil }
    var block = [UInt8](repeating: 0, count: count)
    bytes.withUnsafeBytes { bytes in
      var reader = StreamReader(bytes)
      let runs = reader.runs
      block.withUnsafeMutableBytes { transform($0, runs, &reader) }
    }
    return block
  }

  private static func transform<Coder: StreamCoder>(
    _ block: UnsafeMutableRawBufferPointer, _ runs: [RecordRuns.Run], _ coder: inout Coder
  ) {
    var transform = RecordTransform()
    var offset = 0
    for run in runs {
      let start = min(block.count, offset + min(run.plain, block.count))
      coder.bytes(UnsafeMutableRawBufferPointer(rebasing: block[offset..<start]))
      offset = start
      transform.beginRun()
      for _ in 0..<run.records where offset + 8 <= block.count {
        offset = transform.record(block, at: offset, &coder)
      }
    }
  }
}
