import CZlib
import TestSupport

/// The pixels of a PNG with 8 bits a channel, as Cairo writes them.
struct PNGReader {
  struct Unreadable: Error {}

  private(set) var width = 0
  private(set) var height = 0
  private var channels = 0
  private var pixels: [UInt8] = []

  init(_ file: [UInt8]) throws {
    var packed: [UInt8] = []
    var at = 8
    func number(_ offset: Int) -> Int { file[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) } }
    while at + 12 <= file.count {
      let length = number(at)
      let body = at + 8
      guard body + length + 4 <= file.count else { throw Unreadable() }
      switch String(decoding: file[(at + 4)..<body], as: UTF8.self) {
      case "IHDR":
        (width, height) = (number(body), number(body + 4))
        guard file[body + 8] == 8, file[body + 12] == 0, [2, 6].contains(file[body + 9]) else { throw Unreadable() }
        channels = file[body + 9] == 2 ? 3 : 4
      case "IDAT": packed += file[body..<(body + length)]
      default: break
      }
      at = body + length + 4
    }
    let stride = width * channels
    var lines = [UInt8](repeating: 0, count: (stride + 1) * height)
    var count = uLongf(lines.count)
    guard uncompress(&lines, &count, packed, uLong(packed.count)) == Z_OK, count == lines.count else {
      throw Unreadable()
    }
    guard let pixels = PNGLines.pixels(lines, stride: stride, channels: channels) else { throw Unreadable() }
    self.pixels = pixels
  }

  /// "#rrggbb", or nil outside of the picture.
  func color(_ x: Int, _ y: Int) -> String? {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return nil }
    let offset = (y * width + x) * channels
    return pixels[offset..<(offset + 3)].reduce("#") { $0 + ($1 < 16 ? "0" : "") + String($1, radix: 16) }
  }
}
