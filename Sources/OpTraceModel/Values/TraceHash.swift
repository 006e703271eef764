extension TraceHeader {
  /// Names the trace among all others: 16 hexadecimal digits of a hash of the run of the system, the process, its start and the
  /// trace's start. The same for a packed trace, for one that was read again, and for a later look at one that is still written.
  ///
  /// The first digit is a letter, so that nothing that guesses types from paths takes it for a number. FNV-1a of 64 bits (Fowler,
  /// Noll and Vo).
  public var hash: String {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ bytes: some Sequence<UInt8>) {
      for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    func add(_ number: UInt64) { withUnsafeBytes(of: number.littleEndian) { add($0) } }
    add(bootID)
    add(UInt64(processID))
    add(processStart)
    add(startMonotonic)
    add(startWall)
    let first = 10 + value >> 60 % 6
    let digits = String(first << 60 | value & (1 << 60 - 1), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
