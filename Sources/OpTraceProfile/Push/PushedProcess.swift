package import OpTraceModel

/// The process whose profiles are pushed, as receivers are told.
package struct PushedProcess: Sendable {
  package var serviceName: String
  package var header: TraceHeader
  /// The wall clock at time 0 of the trace: nanoseconds since 1970, UTC. In a program that runs for weeks this is not
  /// ``TraceHeader/startWall``, because the system's clock is put right meanwhile.
  package var startWall: UInt64

  /// - Parameter serviceName: nil or empty: the program's name.
  package init(_ header: TraceHeader, serviceName: String?, startWall: UInt64? = nil) {
    let name = serviceName.flatMap { $0.isEmpty ? nil : $0 } ?? header.processName
    self.serviceName = name.isEmpty ? "unknown_service" : ProfileWords.name(name)
    self.header = header
    self.startWall = startWall ?? header.startWall
  }

  /// A time of the trace on the wall clock, in nanoseconds since 1970, UTC.
  func wall(_ time: Nanoseconds) -> UInt64 {
    let (sum, overflow) = startWall.addingReportingOverflow(UInt64(max(0, time)))
    return overflow ? startWall : sum
  }

  /// 16 bytes that identify a window's profile: the same if it is sent again, so that receivers can tell.
  package func id(of window: WindowProfile) -> [UInt8] {
    var bytes: [UInt8] = []
    for seed: UInt8 in [1, 2] {
      // FNV-1a of 64 bits.
      var value: UInt64 = 0xcbf2_9ce4_8422_2325
      func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
      add(seed)
      for byte in header.hash.utf8 { add(byte) }
      withUnsafeBytes(of: window.began.littleEndian) { for byte in $0 { add(byte) } }
      withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
    }
    return bytes
  }
}
