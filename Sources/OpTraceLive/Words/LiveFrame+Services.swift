import OpTraceKernel
import OpTraceModel
import OpTraceRequests
import OpTraceText

extension LiveFrame {
  var requestSection: Section {
    let rows = status.services.requests.filter { matches([$0.figures.name, $0.mostly ?? ""]) }
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
        shown(kind.name), Self.rate(kind.perSecond), duration(kind.p50), duration(kind.p99), duration(kind.max),
        shown(row.mostly ?? "-"),
      ]
      if hasFailed { cells.insert(grouped(kind.failed), at: 5) }
      table.rows.append(cells)
    }
    return Section(table: table)
  }

  var loopSection: Section {
    var table = FittedTable([
      .init(title: "event loop", rank: 0, least: 10), .init(title: "busy", isNumber: true, rank: 0),
      .init(title: "longest", isNumber: true, rank: 0), .init(title: "mostly in", rank: 1, least: 12),
    ])
    for loop in status.services.loops where matches([loop.name, loop.mostly?.function ?? ""]) {
      table.rows.append([
        shown(loop.name), percent(loop.busy), duration(loop.longest), shown(loop.mostly?.text ?? "-"),
      ])
    }
    return Section(table: table)
  }

  var actorSection: Section {
    var table = FittedTable([
      .init(title: "actor", rank: 0, least: 10), .init(title: "used", isNumber: true, rank: 0),
      .init(title: "waits", isNumber: true, rank: 2), .init(title: "p99 wait", isNumber: true, rank: 0),
      .init(title: "deepest", isNumber: true, rank: 3), .init(title: "most in", rank: 1, least: 12),
    ])
    for actor in status.services.actors where matches([actor.title, actor.holder?.function ?? ""]) {
      table.rows.append([
        shown(actor.title), percent(actor.used), grouped(actor.waits), duration(actor.p99Wait), grouped(actor.deepest),
        shown(actor.holder?.text ?? "-"),
      ])
    }
    return Section(table: table)
  }
}
