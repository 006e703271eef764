// The scenarios with Foundation's types. This program knows nothing of OpTrace.
import Foundation

typealias Queue = OperationQueue

func theMainQueue() -> Queue { .main }

runProgram()
