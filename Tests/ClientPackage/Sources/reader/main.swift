import OpTraceAnalysis
import OpTraceFormat
import OpTraceModel

let file = CommandLine.arguments[1]
let trace = try TraceReader.read(path: file)
for operation in trace.operations {
  let before = operation.dependencies.compactMap { trace.operation($0.on)?.title }
  print("\(operation.title) is \(operation.id), \(operation.state), and came after \(before)")
}

for operation in trace.operations {
  let times = OperationTimes(of: operation, traceEnd: trace.end)
  let parts = [times.waitingForDependencies, times.waitingForSlot, times.running].map(DurationText.text)
  print("\(operation.id) waited \(parts[0]) for others, \(parts[1]) for a slot, and ran \(parts[2])")
}
let path = CriticalPath(of: trace)
print("\(DurationText.text(path.total)) of \(DurationText.text(path.wall)) decided when it was over:")
for step in path.steps { print("  \(step.work), \(step.cause)") }

let diagnosis = Diagnosis(of: trace)
for finding in diagnosis.findings { print("\(finding.severity)[\(finding.code)]: \(finding.title)") }
print(diagnosis.verdict)

do {
  _ = try TraceReader.read(path: file + ".missing")
} catch {
  switch error.code {
  case .noSuchFile: print("not there yet")
  default: print(error)
  }
}

var reader = try EventReader(path: file)
while let event = try reader.next() {
  guard event.kind == EventKind.finished.rawValue else { continue }
  print("of \(reader.count) events, the first that ends an operation is of #\(event.subject)")
  break
}
