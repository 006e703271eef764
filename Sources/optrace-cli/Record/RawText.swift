#if os(Linux)
  import Foundation
  import OpTraceFormat
  import OpTraceModel

  /// A word or a variable for another program, byte for byte: it may be no text at all.
  struct RawText: Equatable {
    let bytes: [UInt8]

    init(_ text: String) { bytes = RawPath.bytes(of: text) }
    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// The last of the words that the command itself was called with.
    static func arguments(last count: Int) -> [RawText] {
      (Int(CommandLine.argc) - count..<Int(CommandLine.argc)).compactMap { index in
        CommandLine.unsafeArgv[index].map {
          RawText(UnsafeBufferPointer(start: $0, count: strlen($0)).map(UInt8.init(bitPattern:)))
        }
      }
    }

    /// The variables that the command itself was called with, each `NAME=VALUE`.
    static var environment: [RawText] {
      (FileManager.default.contents(atPath: "/proc/self/environ") ?? Data()).split(separator: 0).map { RawText($0) }
    }

    func isVariable(_ name: String) -> Bool { bytes.starts(with: Array("\(name)=".utf8)) }

    /// As ``Program`` takes it.
    var asWord: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }
  }
#endif
