// Programs that a seed makes up, each with a trace of its own.
//
//   RandomProgram healthy SEED COUNT DIRECTORY    runs them one after another, and ends
//   RandomProgram planted SEED COUNT DIRECTORY    each with a deadlock: says what it planted, and hangs
import CRecorderTestSupport
import Foundation
import OpTrace

test_buffer_lines()
let arguments = CommandLine.arguments
guard arguments.count == 5, let first = Int(arguments[2]), let count = Int(arguments[3]) else {
  print("usage: RandomProgram healthy|planted SEED COUNT DIRECTORY")
  exit(64)
}

func recorder(_ seed: Int) throws -> TraceRecorder {
  try TraceRecorder(writingTo: URL(fileURLWithPath: arguments[4]).appendingPathComponent("\(seed).optrace"))
}

switch arguments[1] {
case "healthy":
  for seed in first..<first + count {
    // Told before, so that a program that does not end has a name.
    print("seed \(seed)")
    let recorder = try recorder(seed)
    var program = HealthyProgram(seed: seed, recorder: recorder)
    program.run()
    try recorder.stop()
  }
  print("done")

case "planted":
  var programs: [PlantedProgram] = []
  for seed in first..<first + count {
    var program = PlantedProgram(seed: seed, number: seed - first, recorder: try recorder(seed))
    program.run()
    programs.append(program)
  }
  print("planted")
  // The last one may take the main thread with it.
  programs.last?.hang()
  while true { sleep(60) }

default: exit(64)
}
