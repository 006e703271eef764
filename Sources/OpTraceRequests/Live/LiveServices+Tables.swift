import OpTraceKernel
package import OpTraceLive
import OpTraceModel
package import OpTraceText

extension LiveServices {
  package func tables(_ filter: LiveFilter) -> [FittedTable] {
    [requestTable(filter), loopTable(filter), actorTable(filter)]
  }

  package var members: [JSONValue.Member] {
    [
      .init("requests", .array(requests.map { .object($0.figures.members) })),
      .init("loops", .array(loops.map(\.json))),
      .init("actors", .array(actors.map(\.json))),
    ]
  }

  private func requestTable(_ filter: LiveFilter) -> FittedTable {
    let rows = requests.filter { filter.matches([$0.figures.name, $0.mostly ?? ""]) }
    let hasFailed = rows.contains { $0.figures.failed > 0 }
    var columns: [FittedTable.Column] = [
      .init(title: "requests", rank: 0, least: 18), .init(title: "per s", isNumber: true, rank: 0),
      .init(title: "p50", isNumber: true, rank: 3), .init(title: "p99", isNumber: true, rank: 0),
      .init(title: "max", isNumber: true, rank: 4), .init(title: "mostly", rank: 1, least: 28),
    ]
    if hasFailed { columns.insert(.init(title: "failed", isNumber: true, rank: 2), at: 5) }
    var table = FittedTable(columns)
    for row in rows {
      let kind = row.figures
      var cells = [
        kind.name, rate(kind.perSecond), duration(kind.p50), duration(kind.p99), duration(kind.max),
        row.mostly ?? "-",
      ]
      if hasFailed { cells.insert(grouped(kind.failed), at: 5) }
      table.add(cells)
    }
    return table
  }

  private func loopTable(_ filter: LiveFilter) -> FittedTable {
    var table = FittedTable([
      .init(title: "event loop", rank: 0, least: 10), .init(title: "busy", isNumber: true, rank: 0),
      .init(title: "longest", isNumber: true, rank: 0), .init(title: "mostly in", rank: 1, least: 12),
    ])
    for loop in loops where filter.matches([loop.name, loop.mostly?.function ?? ""]) {
      table.add([loop.name, percent(loop.busy), duration(loop.longest), loop.mostly?.text ?? "-"])
    }
    return table
  }

  private func actorTable(_ filter: LiveFilter) -> FittedTable {
    var table = FittedTable([
      .init(title: "actor", rank: 0, least: 10), .init(title: "used", isNumber: true, rank: 0),
      .init(title: "waits", isNumber: true, rank: 2), .init(title: "p99 wait", isNumber: true, rank: 0),
      .init(title: "deepest", isNumber: true, rank: 3), .init(title: "most in", rank: 1, least: 12),
    ])
    for actor in actors where filter.matches([actor.title, actor.holder?.function ?? ""]) {
      table.add([
        actor.title, percent(actor.used), grouped(actor.waits), duration(actor.p99Wait), grouped(actor.deepest),
        actor.holder?.text ?? "-",
      ])
    }
    return table
  }
}
