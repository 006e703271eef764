/// The lines of a PNG, each behind the number of its filter. It is here because this module is optimised.
/// Source: PNG specification, "Filter types for filter method 0".
public enum PNGLines {
  /// The bytes of all pixels; nil for a filter that does not exist.
  /// - Parameters:
  ///   - lines: each line's filter, and behind it `stride` filtered bytes.
  ///   - stride: how many bytes a line has.
  ///   - channels: how many bytes a pixel has.
  public static func pixels(_ lines: [UInt8], stride: Int, channels: Int) -> [UInt8]? {
    let height = lines.count / (stride + 1)
    var pixels = [UInt8](repeating: 0, count: stride * height)
    for row in 0..<height {
      let filter = lines[row * (stride + 1)]
      for column in 0..<stride {
        let left = column >= channels ? Int(pixels[row * stride + column - channels]) : 0
        let above = row > 0 ? Int(pixels[(row - 1) * stride + column]) : 0
        let corner = row > 0 && column >= channels ? Int(pixels[(row - 1) * stride + column - channels]) : 0
        let guess: Int
        switch filter {
        case 0: guess = 0
        case 1: guess = left
        case 2: guess = above
        case 3: guess = (left + above) / 2
        case 4:
          let (a, b, c) = (abs(above - corner), abs(left - corner), abs(left + above - 2 * corner))
          guess = a <= b && a <= c ? left : b <= c ? above : corner
        default: return nil
        }
        pixels[row * stride + column] = lines[row * (stride + 1) + 1 + column] &+ UInt8(truncatingIfNeeded: guess)
      }
    }
    return pixels
  }
}
