import CCounters
public import Foundation

/// What a load has done, told outside of any trace: counts and times in a mapped file, which outlive the process and can be
/// read while it runs.
///
/// A *lane* does requests 1, 2, 3 … one after another. It is worked by one thread at a time, which alone writes its words, each
/// with release order after what it counts; all others read them with acquire order. Words of the head that several threads write are
/// added to atomically. So nothing here needs a lock.
public final class LaneLog: @unchecked Sendable {
  private static let headSize = 4096
  /// A lane's counts have a cache line of their own.
  private static let countsSize = 64
  private enum Head: Int {
    case lanes, entries, process, stop, began, threads, ended, hanging
  }
  private enum Count: Int {
    case begun, finished
  }

  public let laneCount: Int
  /// How many of a lane's requests have their times: the newest ones. A power of two.
  public let entryCount: Int
  private let base: UnsafeMutableRawPointer
  private let size: Int

  /// Makes the file, with times of `requests` requests or some more; without a name, in memory only.
  public init(creatingFileAt path: String?, lanes: Int, requests: Int = 1 << 22) throws {
    var entries = 64
    while entries * lanes < requests, entries < 1 << 20 { entries *= 2 }
    laneCount = lanes
    entryCount = entries
    size = Self.headSize + lanes * (Self.countsSize + entries * 8)
    if let path {
      let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
      guard file >= 0, ftruncate(file, off_t(size)) == 0 else { throw Failed(what: "making \(path)") }
      defer { close(file) }
      base = try Self.map(size, file, path)
    } else {
      base = try Self.map(size, -1, "memory")
    }
    counter_store(head(.lanes), UInt64(lanes))
    counter_store(head(.entries), UInt64(entries))
  }

  public init(openingFileAt path: String) throws {
    let file = open(path, O_RDWR)
    guard file >= 0 else { throw Failed(what: "opening \(path)") }
    defer { close(file) }
    var words = [UInt64](repeating: 0, count: 2)
    guard pread(file, &words, 16, 0) == 16, (1...100_000).contains(words[0]), (1...1 << 20).contains(words[1]) else {
      throw Failed(what: "reading \(path)")
    }
    laneCount = Int(words[0])
    entryCount = Int(words[1])
    size = Self.headSize + laneCount * (Self.countsSize + entryCount * 8)
    base = try Self.map(size, file, path)
  }

  deinit { munmap(base, size) }

  private static func map(_ size: Int, _ file: Int32, _ name: String) throws -> UnsafeMutableRawPointer {
    #if canImport(Darwin)
      let anonymous = MAP_ANON
    #else
      let anonymous = MAP_ANONYMOUS
    #endif
    let flags = file < 0 ? MAP_PRIVATE | anonymous : MAP_SHARED
    guard let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, flags, file, 0), mapped != MAP_FAILED else {
      throw Failed(what: "mapping \(name)")
    }
    return mapped
  }

  // MARK: - The load's side

  public func beginProcess() {
    counter_store(head(.process), UInt64(getpid()))
    counter_store(head(.began), Self.now())
  }

  public func addThread() { counter_add(head(.threads), 1) }
  public func addEnd() { counter_add(head(.ended), 1) }
  public func noteHang() { counter_store(head(.hanging), Self.now()) }

  public func begin(_ number: Int, of lane: Int) {
    counter_store(entry(number, of: lane), Self.now())
    counter_store(count(.begun, lane), UInt64(number))
  }

  public func finish(_ number: Int, of lane: Int) { counter_store(count(.finished, lane), UInt64(number)) }

  public var isStopped: Bool { counter_load(head(.stop)) != 0 }
  public func stop() { counter_store(head(.stop), 1) }

  // MARK: - Everybody's

  /// The load's process; 0: it has not begun.
  public var process: pid_t { pid_t(truncatingIfNeeded: counter_load(head(.process))) }
  public var began: UInt64 { counter_load(head(.began)) }
  public var threads: Int { Int(counter_load(head(.threads))) }
  /// Lanes that are over.
  public var ended: Int { Int(counter_load(head(.ended))) }
  /// Since when the load hangs, which was asked for; 0: it does not.
  public var hanging: UInt64 { counter_load(head(.hanging)) }

  public func begun(_ lane: Int) -> Int { Int(counter_load(count(.begun, lane))) }
  public func finished(_ lane: Int) -> Int { Int(counter_load(count(.finished, lane))) }
  public var requests: Int { (0..<laneCount).reduce(0) { $0 + finished($1) } }

  /// The numbers of a lane's requests whose times are known, of those that have finished.
  public func known(_ lane: Int) -> ClosedRange<Int>? {
    // The next one may have taken a place already.
    let (last, oldest) = (finished(lane), max(1, begun(lane) - entryCount + 1))
    return oldest <= last ? oldest...last : nil
  }

  /// When a request began, on the system's monotonic clock.
  public func time(_ number: Int, of lane: Int) -> UInt64 { counter_load(entry(number, of: lane)) }

  /// The system's monotonic clock, nanoseconds: a trace's own.
  public static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private func head(_ word: Head) -> UnsafeMutablePointer<UInt64> {
    (base + word.rawValue * 8).assumingMemoryBound(to: UInt64.self)
  }

  private func lane(_ lane: Int) -> UnsafeMutableRawPointer {
    base + Self.headSize + lane * (Self.countsSize + entryCount * 8)
  }

  private func count(_ count: Count, _ lane: Int) -> UnsafeMutablePointer<UInt64> {
    (self.lane(lane) + count.rawValue * 8).assumingMemoryBound(to: UInt64.self)
  }

  private func entry(_ number: Int, of lane: Int) -> UnsafeMutablePointer<UInt64> {
    (self.lane(lane) + Self.countsSize + (number & (entryCount - 1)) * 8).assumingMemoryBound(to: UInt64.self)
  }
}
