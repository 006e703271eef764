// The scenarios with Foundation's operations in traced queues. `OPTRACE_OUTPUT` says where the trace goes.
import Foundation
import OpTrace

// Then two ways meet the same operations.
if CommandLine.arguments.last == "instrument" { try TraceRecorder.default?.instrumentProcess() }

runProgram()
