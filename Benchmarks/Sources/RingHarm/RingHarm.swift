import BenchmarkSupport
import Foundation

/// Whether a flight recorder harms the program that it records, and whether it keeps the newest: `RingHarm OPTRACE [OPTION…]`.
///
/// Runs the shapes of `RingLoad` plain and recorded in turn, and after each recorded run examines the trace. Ends with 1 where something
/// is wrong whatever the machine: a load that froze, a trace that is not valid, an error of the doctor in a healthy program, a request that
/// is missing from the time that the trace says it has all of.
@main
enum RingHarm {
  static func main() throws {
    guard let options = Options(CommandLine.arguments) else {
      FileHandle.standardError.write(Data(Options.usage.utf8))
      exit(64)
    }
    let bench = try Bench(options)
    let isGood: Bool
    do {
      if options.minutes != nil {
        isGood = try Endurance.run(bench)
      } else if options.shapes == [.hang] {
        isGood = try Hang.run(bench)
      } else {
        isGood = try Table.run(bench)
      }
    } catch {
      bench.end()
      throw error
    }
    bench.end()
    exit(isGood ? 0 : 1)
  }
}

/// At once, into a pipe too.
func say(_ line: String) {
  print(line)
  fflush(nil)
}
