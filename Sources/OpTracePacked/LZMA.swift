internal import CLzma

/// liblzma, with the settings of the packed form: raw LZMA2, which has no header that could ask for memory.
enum LZMA {
  /// What liblzma reports, as when there is no memory.
  struct Failure: Error, CustomStringConvertible {
    let code: UInt32
    var description: String { "liblzma reports error \(code)" }
  }

  /// A decoder allocates so many bytes, and little more. No block is longer.
  private static let dictionary: UInt32 = 1 << 20
  /// Sizes are within a percent of those of the highest, in half the time.
  private static let preset: UInt32 = 6
  /// How many bits of the byte before select which probabilities a byte has: of a number in several bytes whether it goes on.
  private static let contextBits: UInt32 = 2

  static func compress(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
    // What does not get smaller is stored, in pieces with a header.
    let most = bytes.count + bytes.count / 1024 + 64
    var status = LZMA_OK
    let result = [UInt8](unsafeUninitializedCapacity: most) { target, count in
      status = withFilters { lzma_raw_buffer_encode($0, nil, bytes, bytes.count, target.baseAddress, &count, most) }
    }
    guard status == LZMA_OK else { throw Failure(code: status.rawValue) }
    return result
  }

  /// Nil where the bytes do not become so many. What follows their end is not read.
  static func decompress(_ bytes: [UInt8], count: Int) -> [UInt8]? {
    var status = LZMA_OK
    let result = [UInt8](unsafeUninitializedCapacity: count) { target, done in
      var used = 0
      status = withFilters {
        lzma_raw_buffer_decode($0, nil, bytes, &used, bytes.count, target.baseAddress, &done, count)
      }
    }
    return status == LZMA_OK && result.count == count ? result : nil
  }

  private static func withFilters(_ body: (UnsafePointer<lzma_filter>?) -> lzma_ret) -> lzma_ret {
    var options = lzma_options_lzma()
    guard lzma_lzma_preset(&options, preset) == 0 else { return LZMA_OPTIONS_ERROR }
    options.dict_size = dictionary
    options.lc = contextBits
    // Offsets mean nothing.
    (options.lp, options.pb) = (0, 0)
    return withUnsafeMutablePointer(to: &options) { options in
      let filters = [
        lzma_filter(id: optrace_filter_lzma2, options: options), lzma_filter(id: optrace_filters_end, options: nil),
      ]
      return filters.withUnsafeBufferPointer { body($0.baseAddress) }
    }
  }
}
