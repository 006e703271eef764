package import OpTraceDoctor
import OpTraceKernel
package import OpTraceModel
import OpTraceText

extension GraphPicture {
  /// The cycles of what may hang in another run: who holds what the next one wants. Nil: there is none.
  ///
  /// - Parameter findings: those of the trace; others than such cycles are left out.
  package init?(mayHang findings: [Finding], in trace: Trace) {
    let cycles = findings.filter { $0.isLatent && $0.chain.count >= 4 }.prefix(Self.mostCycles)
    guard !cycles.isEmpty else { return nil }
    self.init()
    let name = TextEscaping.oneLine(trace.header.processName, limit: 120)
    title = name.isEmpty ? "What may hang" : name
    subtitle = "What may hang in another run. It did not in this one."
    isOfAnotherRun = true
    for (index, finding) in cycles.enumerated() { add(finding, as: index) }
  }

  /// More are in the doctor's answer alone.
  private static let mostCycles = 10

  /// A lane for each cycle: those who would wait, and between them what they hold and want. In a chain each wants what follows it, and the
  /// next one holds that.
  private mutating func add(_ finding: Finding, as index: Int) {
    verdicts.append(Verdict(kind: .warning, lead: "May hang:", text: TextEscaping.oneLine(finding.title, limit: 300)))
    lanes.append(
      Lane(
        id: "may-hang-\(index + 1)", nodeClass: "m-\(index + 1)", title: "cycle \(index + 1)",
        caption: counted(finding.chain.count / 2, "side"),
        tooltip: finding.evidence.map { TextEscaping.oneLine($0.text, limit: 200) }.joined(separator: "\n"),
        style: Palette.lanes[index % Palette.lanes.count], isBoxed: true))
    let first = nodes.count
    let sides = stride(from: 0, to: finding.chain.count - 1, by: 2).map {
      (who: finding.chain[$0], wants: finding.chain[$0 + 1])
    }
    for side in sides {
      let place = CodeLocation(file: side.who.file, line: side.who.line).lineText
      nodes.append(
        Node(
          operation: OperationID(UInt32(nodes.count + 1)), lane: index, state: .deadlocked,
          name: TextEscaping.oneLine(side.who.name ?? "\(side.who.kind.rawValue)", limit: 300),
          caption: ["would wait", place].compactMap(\.self).joined(separator: " · "), bar: [],
          tooltip: TextEscaping.oneLine(
            "wants \(side.wants.name ?? side.wants.kind.rawValue)" + (side.who.function.map { ", in \($0)" } ?? ""),
            limit: 300)))
    }
    for (number, side) in sides.enumerated() {
      edges.append(
        Edge(
          from: first + (number + 1) % sides.count, to: first + number, kind: .wait, isCycle: true, isOpen: true,
          label: TextEscaping.oneLine(side.wants.name ?? side.wants.kind.rawValue, limit: 40)))
    }
  }
}
