import OpTraceModel
import TestSupport

@testable import OpTraceMemory

extension MemoryTrace {
  func report(to end: Int = 10_000, at: Nanoseconds? = nil) throws -> MemoryReport? {
    MemoryReport(of: try trace(to: end), at: at)
  }
}
