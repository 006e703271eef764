import CZlib

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
    pixels = [UInt8](repeating: 0, count: stride * height)
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
        default: throw Unreadable()
        }
        pixels[row * stride + column] = lines[row * (stride + 1) + 1 + column] &+ UInt8(truncatingIfNeeded: guess)
      }
    }
  }

  /// "#rrggbb", or nil outside.
  func color(_ x: Int, _ y: Int) -> String? {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return nil }
    let offset = (y * width + x) * channels
    return pixels[offset..<(offset + 3)].reduce("#") { $0 + ($1 < 16 ? "0" : "") + String($1, radix: 16) }
  }
}
