/// How a load runs.
enum Recorder: Hashable, Sendable {
  case plain
  /// Into a file that grows.
  case file
  /// Into a flight recorder of so many megabytes.
  case ring(Int)

  var name: String {
    switch self {
    case .plain: "plain"
    case .file: "file"
    case .ring(let megabytes): "\(megabytes)M"
    }
  }
}
