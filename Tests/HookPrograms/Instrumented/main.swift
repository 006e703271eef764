// The scenarios with Foundation's types, and one line. `OPTRACE_OUTPUT` says where the trace goes.
import Foundation
import OpTrace

typealias Queue = OperationQueue

func theMainQueue() -> Queue { .main }

try TraceRecorder.default?.instrumentProcess()

runProgram()
