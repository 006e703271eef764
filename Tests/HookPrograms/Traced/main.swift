// The scenarios with the traced types. `OPTRACE_OUTPUT` says where the trace goes.
import Foundation
import OpTrace

typealias Work = TracedOperation
typealias BlockWork = TracedBlockOperation
typealias AsyncWork = TracedAsyncOperation
typealias PathWork = TracedAsyncOperation
typealias SilentWork = TracedAsyncOperation

// Then two ways meet the same operations.
if CommandLine.arguments.last == "instrument" { try TraceRecorder.default?.instrumentProcess() }

runProgram()
