import Foundation
import TestSupport
import Testing

/// A process that receives profiles (Tests/Engines/profile_receiver.py).
final class ProfileReceiver {
  struct Profile: Decodable {
    struct Sample: Decodable {
      /// The innermost function first.
      var stack: [String]
      var count: Int
      var labels: [String: String]
      var link: String
    }

    var format: String
    var service: String
    var scope: String
    var facts: [String: String]
    var types: [String]
    var period: Int
    var time: UInt64
    var duration: UInt64
    var id: String
    var samples: [Sample]
    var troubles: [String]
    var headers: [String: String]

    var count: Int { samples.reduce(0) { $0 + $1.count } }
  }

  private let program: RunningProgram
  private let port: String

  /// - Parameter port: nil: one that is free.
  init(port: String? = nil) throws {
    program = try RunningProgram(
      try Engines.python,
      [Repository.folder.appending(path: "Tests/Engines/profile_receiver.py").path] + (port.map { [$0] } ?? []),
      input: .pipe, output: .pipe, errors: .none)
    self.port = try #require(program.line(), "the receiver does not begin")
  }

  deinit { program.kill() }

  var url: String { "http://127.0.0.1:\(port)" }

  /// A port on which nobody listens.
  static func freePort() throws -> String {
    let receiver = try ProfileReceiver()
    receiver.program.kill()
    return receiver.port
  }

  /// Faults of the receiver from now on, such as `status=503&times=2`.
  func faults(_ text: String) throws { _ = try curl("/faults?\(text)") }

  /// What it has accepted.
  var profiles: [Profile] {
    get throws { try JSONDecoder().decode([Profile].self, from: Data(curl("/profiles").utf8)) }
  }

  /// The statuses of all requests so far.
  var requests: [Int] { get throws { try JSONDecoder().decode([Int].self, from: Data(curl("/requests").utf8)) } }

  private func curl(_ path: String) throws -> String {
    let result = try RunningProgram.run(
      URL(fileURLWithPath: "/usr/bin/env"), ["curl", "-sS", "--globoff", "\(url)\(path)"])
    try #require(result.status == 0, "\(result.errors)")
    return result.output
  }
}
