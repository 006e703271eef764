internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// Operations that carry no probe of this recorder.
extension TraceRecorder {
  /// The number of an operation. At first sight it is described as `external`: only that it was named is known.
  func identifyForeign(_ operation: Operation) -> UInt32 {
    let (serial, isNew) = foreign.number(of: operation, core: core)
    if isNew, serial != 0 {
      describe(
        facts(of: operation), name: operation.name, serial: serial,
        coverage: .external,
        isAsynchronous: false, probe: nil, location: nil)
    }
    return serial
  }

  /// Describes an operation that was given to a traced queue, with its dependencies.
  func enqueueForeign(_ operation: Operation) -> UInt32 {
    let (serial, _) = foreign.number(of: operation, core: core)
    guard serial != 0 else { return 0 }
    describe(
      facts(of: operation), name: operation.name, serial: serial, coverage: .partial,
      isAsynchronous: operation.isAsynchronous, probe: nil, location: nil)
    for dependency in operation.dependencies {
      let target = introduce(dependency)
      EventFields.DependencyAdded(on: target).emit(to: core, about: serial)
    }
    return serial
  }
}
