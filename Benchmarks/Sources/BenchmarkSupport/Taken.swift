/// What a piece of work took, as `Workload` measures it from inside. Nanoseconds.
public struct Taken: Codable, Sendable {
  public var wall: UInt64
  /// Of the thread that did it.
  public var thread: UInt64
  /// Of the whole process.
  public var process: UInt64
  /// Calls of the system's allocator.
  public var allocations: UInt64
  /// Records that the recorder could not keep.
  public var lost: Int

  public init(wall: UInt64, thread: UInt64, process: UInt64, allocations: UInt64 = 0, lost: Int = 0) {
    self.wall = wall
    self.thread = thread
    self.process = process
    self.allocations = allocations
    self.lost = lost
  }
}
