#if os(Linux)
  import Foundation
  import OpTraceFormat
  import OpTraceModel

  /// A word or a variable for another program, byte for byte, because it may not be UTF-8.
  struct RawText: Equatable {
    let bytes: [UInt8]

    init(_ text: String) { bytes = RawPath.bytes(of: text) }
    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// The last of the words with which this command was called.
    static func arguments(last count: Int) -> [RawText] {
      (Int(CommandLine.argc) - count..<Int(CommandLine.argc)).compactMap { index in
        CommandLine.unsafeArgv[index].map {
          RawText(UnsafeBufferPointer(start: $0, count: strlen($0)).map(UInt8.init(bitPattern:)))
        }
      }
    }

    /// The variables of this command's environment, each `NAME=VALUE`.
    static var environment: [RawText] {
      (FileManager.default.contents(atPath: "/proc/self/environ") ?? Data()).split(separator: 0).map { RawText($0) }
    }

    func isVariable(_ name: String) -> Bool { bytes.starts(with: Array("\(name)=".utf8)) }

    /// In the form that ``Program`` takes.
    var asWord: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }
  }
#endif
