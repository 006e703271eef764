import BenchmarkSupport
import Foundation

/// What is found in a recorded load's trace. The load was healthy, so each fault is the recorder's or the reader's.
struct Check {
  var kept: Kept
  var bytes: RingBytes
  var isValid: Bool
  /// What `validate` says where it is not.
  var violation = ""
  var errors: [String]
  var warnings: [String]

  init(_ bench: Bench, _ shape: RingShape, _ log: LaneLog) throws {
    let (trace, optrace) = (bench.file("run.optrace"), bench.options.optrace)
    guard let bytes = RingBytes(path: trace) else { throw Failed(what: "reading \(trace)") }
    self.bytes = bytes
    kept = try Kept(
      trace: trace, shape: shape, log: log, claim: bytes.completeSince, optrace: optrace, output: bench.file("rows"))
    let validated = try Child.run(
      [optrace, "validate", trace], keepsOutput: true, showsErrors: false, limit: 120)
    isValid = validated.status == 0
    if !isValid { violation = String(decoding: validated.output.prefix(400), as: UTF8.self) }
    let findings = try Self.findings(bench, trace)
    errors = findings.filter { $0.severity == "error" }.map(\.code)
    warnings = findings.filter { $0.severity == "warning" }.map(\.code)
  }

  /// The part of the ring's bytes that holds events of the time that is complete.
  var share: Double { Double(bytes.bytes(since: bytes.completeSince ?? kept.since)) / Double(max(1, bytes.capacity)) }

  struct Findings: Decodable {
    struct Finding: Decodable {
      var code: String
      var severity: String
    }
    var findings: [Finding]
  }

  static func findings(_ bench: Bench, _ trace: String) throws -> [Findings.Finding] {
    let child = try Child.run(
      [bench.options.optrace, "doctor", trace, "--json"], keepsOutput: true, showsErrors: false, limit: 120)
    guard let read = try? JSONDecoder().decode(Findings.self, from: child.output) else {
      throw Failed(what: "optrace doctor \(trace) (status \(child.status))")
    }
    return read.findings
  }
}
