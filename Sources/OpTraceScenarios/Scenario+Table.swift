/// A scenario is one file in `Scenarios/` and one line here.
extension Scenario {
  public static let all: [Scenario] = [
    .photoImport, .iLoveU, .uploadCancel, .asyncWait, .customConcurrent, .blockFanOut, .diamond, .serialVsConcurrent,
    .priorities, .crossQueue, .barrier, .suspendResume, .cancelAll, .mainHop, .tickets, .deadlock,
  ]

  public static func named(_ name: String) -> Scenario? { all.first { $0.name == name } }
}
