import BenchmarkSupport
import Foundation

/// What every group of measurements needs.
struct Context {
  /// The command, and the programs beside this one.
  let optrace: String
  let workload: String
  let makeTrace: String
  let stackWorkload: String
  /// For traces and outputs; removed in the end.
  let folder: URL
  /// Small amounts and few rounds: only to see that it all still works.
  let isShort: Bool

  /// The numbers to use: the real ones, or much smaller ones.
  func amount(_ real: Int, short: Int) -> Int { isShort ? short : real }
  var rounds: Int { isShort ? 2 : 11 }
  /// Of ratios that lie close to their goal.
  var manyRounds: Int { isShort ? 2 : 41 }

  func file(_ name: String) -> String { folder.appendingPathComponent(name).path }

  func size(_ path: String) throws -> Int {
    (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
  }

  /// Runs a workload, which measures itself.
  func measure(_ arguments: [String]) throws -> Taken {
    let child = try Child.run([workload] + arguments, keepsOutput: true)
    guard child.status == 0 else { throw Failed(what: "Workload \(arguments.joined(separator: " "))") }
    return try JSONDecoder().decode(Taken.self, from: child.output)
  }

  /// Records a real trace: `shape` as MakeTrace has it.
  func trace(_ count: Int, _ shape: String) throws -> String {
    let path = file("\(shape)-\(count).optrace")
    if FileManager.default.fileExists(atPath: path) { return path }
    guard try Child.run([makeTrace, "\(count)", path, shape]).status == 0 else {
      throw Failed(what: "MakeTrace \(count) \(shape)")
    }
    return path
  }

  func run(_ arguments: [String]) throws -> Child {
    let child = try Child.run([optrace] + arguments, showsErrors: false)
    guard child.status == 0 else {
      throw Failed(what: "optrace \(arguments.joined(separator: " ")) (status \(child.status))")
    }
    return child
  }
}
