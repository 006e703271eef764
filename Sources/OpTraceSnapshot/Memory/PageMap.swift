import Foundation

/// Which pages of a process are there: `/proc/PID/pagemap`.
///
/// Reading another process's memory where no page is makes one, as if the process itself had touched it: memory that it shares and never
/// used would be counted as its own, and where pages come from another program (userfaultfd), the reader would wait for that. So only
/// pages are read that are there.
struct PageMap: Sendable {
  /// What the kernel says of a page, after its Documentation/admin-guide/mm/pagemap.rst.
  struct Page {
    fileprivate let bits: UInt64
    /// In memory or in the swap: reading it makes nothing new.
    var isThere: Bool { bits >> 62 != 0 }
    /// The process has written it: it is neither a file's nor shared.
    var isWritten: Bool { isThere && bits >> 61 & 1 == 0 }
  }

  /// In bytes.
  static let page = UInt64(max(4096, sysconf(Int32(_SC_PAGESIZE))))
  /// In pages, for one reading.
  private static let most: UInt64 = 1 << 15
  private let file: SystemFile

  init(_ folder: String) throws(SystemNumber) { file = try SystemFile("\(folder)/pagemap") }

  /// The pages from the one with this address on; fewer, or none, where there are no addresses or the process has ended.
  func pages(from address: UInt64, count: UInt64) throws(SystemNumber) -> [Page] {
    try file.words(at: address / Self.page * 8, count: Int(min(count, Self.most))).map {
      Page(bits: $0)
    }
  }

  /// The first pages in a row that the process has written, of those of a range; nil: none.
  /// - Complexity: O(size of the range), up to their end.
  func written(in range: Range<UInt64>) throws(SystemNumber) -> Range<UInt64>? {
    var address = range.lowerBound & ~(Self.page - 1)
    while address < range.upperBound {
      let pages = try pages(from: address, count: (range.upperBound - address - 1) / Self.page + 1)
      guard !pages.isEmpty else { return nil }
      if let first = pages.firstIndex(where: \.isWritten) {
        let end = pages[first...].firstIndex { !$0.isWritten } ?? pages.endIndex
        let low = max(range.lowerBound, address + UInt64(first) * Self.page)
        return low..<min(range.upperBound, address + UInt64(end) * Self.page)
      }
      address += UInt64(pages.count) * Self.page
    }
    return nil
  }
}
