import OpTraceKernel
import OpTraceModel

extension Finding {
  /// Without words about times that nobody knows, as of a core.
  var withoutUnknownTimes: Finding {
    let words = " for " + DurationText.text(TraceOrigin.unknownTime)
    func said(_ text: String) -> String { text.replacing("," + words, with: "").replacing(words, with: "") }
    var finding = self
    finding.title = said(title)
    finding.explanation = said(explanation)
    finding.fix = said(fix)
    for index in finding.evidence.indices { finding.evidence[index].text = said(finding.evidence[index].text) }
    return finding
  }
}
