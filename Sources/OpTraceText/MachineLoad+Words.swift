package import OpTraceKernel
import OpTraceModel

extension MachineLoad {
  /// What had too few processors, for how long, and what that means for the times.
  package var sentence: String {
    let share = "\(duration(time)) of \(duration(wall))"
    let wait =
      waiting < 1.05
      ? "its threads waited for a processor for \(duration(waited)) in all"
      : "\(decimal(waiting)) of its threads waited for a processor on average"
    switch cause {
    case .limit:
      return
        "Its control group was stopped for \(duration(throttled)), since it had used up its limit of \(processorsText), and \(wait). "
        + "Times are longer than the program's own: raise the limit."
    case .others:
      return
        "The machine was full for \(share): \(wait), while it used \(using < 0.05 ? "hardly any" : decimal(using)) of \(processorsText). "
        + "Other programs had the rest, so times are longer than the program's own."
    case .itself:
      return
        "The program used \(processors == 1 ? "its only processor" : "all of its " + processorsText) for \(share), and \(wait). "
        + "It has more to compute than fits there."
    }
  }

  /// The member `machine` of JSON.
  package var member: JSONValue.Member {
    .init(
      "machine",
      .members([
        "cause": .string(cause.rawValue), "fullSeconds": .seconds(time), "waitedSeconds": .seconds(waited),
        "usedSeconds": .seconds(used), "throttledSeconds": .seconds(throttled), "processors": .number(processors),
      ]))
  }

  private var processorsText: String { decimal(processors) + (processors == 1 ? " processor" : " processors") }

  /// With one decimal, unless that is 0.
  private func decimal(_ value: Double) -> String {
    let tenths = Int((min(value, 1e6) * 10).rounded())
    return tenths.isMultiple(of: 10) ? grouped(tenths / 10) : "\(grouped(tenths / 10)).\(tenths % 10)"
  }
}
