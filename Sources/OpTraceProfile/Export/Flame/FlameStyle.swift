import OpTraceKernel
import OpTraceSamples

/// How the boxes of a flame graph look. A look is a class of the style sheet: a colour for light and for dark surroundings, on which the
/// text's colour can be read. Page and texts have the colours of the dependency graph.
enum FlameStyle {
  private struct Look {
    var name: String
    var light: String
    var dark: String

    init(_ name: String, _ light: String, _ dark: String) { (self.name, self.light, self.dark) = (name, light, dark) }
  }

  /// Own code: warm.
  private static let ownLooks = [
    Look("o0", "#FFC9A3", "#7C3F1D"), Look("o1", "#FFDB8F", "#705310"), Look("o2", "#FFB9A3", "#8A3B2A"),
    Look("o3", "#F8CE7E", "#7A4A12"), Look("o4", "#FFD0C0", "#833F33"), Look("o5", "#FFBE85", "#85441A"),
    Look("o6", "#FBE3A8", "#665018"), Look("o7", "#F5B49B", "#75301F"),
  ]

  /// Libraries: greys.
  private static let libraryLooks = [
    Look("l0", "#E2E8F0", "#2B3950"), Look("l1", "#D5DEE9", "#35455E"), Look("l2", "#E4E7F3", "#303A59"),
    Look("l3", "#D9E4E8", "#2A4253"), Look("l4", "#E3E3EC", "#3A4059"), Look("l5", "#CFDAE8", "#263C58"),
  ]

  private static let otherLooks = [
    // The root and owners; the kernel; what is not known.
    Look("g", "#DCEBFF", "#16335F"), Look("k", "#DCD3F8", "#453C74"), Look("u", "#F1F2F4", "#1C2534"),
    // Changes: as before, grown, shrunk.
    Look("d0", "#EEF1F5", "#202B42"),
    Look("r1", "#FDE3DE", "#45211C"), Look("r2", "#FBC3B9", "#682A20"), Look("r3", "#F59A8A", "#8F3427"),
    Look("r4", "#EE7460", "#B53D2D"),
    Look("b1", "#DDEBFF", "#142B4D"), Look("b2", "#B6D5FF", "#183D76"), Look("b3", "#8ABBFB", "#1C50A0"),
    Look("b4", "#5F9FF0", "#2463C6"),
    // What a search found; at the end, so that it covers the others.
    Look("hit", "#F49BDA", "#A0217A"),
  ]

  /// Each look's colours, light and dark.
  static var colors: [(look: String, light: String, dark: String)] {
    (ownLooks + libraryLooks + otherLooks).map { ($0.name, $0.light, $0.dark) }
  }
  /// Of texts, light and dark.
  static let textColor = (light: "#0F172A", dark: "#F1F5F9")
  private static let pageColor = (light: "#FFFFFF", dark: "#0B1220")

  static let own = ownLooks.map(\.name)
  static let libraries = libraryLooks.map(\.name)
  static let grown = ["r1", "r2", "r3", "r4"]
  static let shrunk = ["b1", "b2", "b3", "b4"]

  /// The same module has the same colour in every picture. O(length of its name).
  static func look(of function: Profile.Function) -> String {
    // FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv: not the standard library's, which has a seed of its own in each run.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in (function.module ?? "").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    hash ^= hash >> 32
    let looks = function.isOwn ? own : libraries
    return looks[Int(hash % UInt64(looks.count))]
  }

  /// - Parameter change: of a share, -1 to 1.
  static func look(ofChange change: Double) -> String {
    let looks = change < 0 ? shrunk : grown
    // As exactly as it is told in words.
    switch (change.magnitude * 10_000).rounded() {
    case ..<5: return "d0"
    case ..<50: return looks[0]
    case ..<200: return looks[1]
    case ..<500: return looks[2]
    default: return looks[3]
    }
  }

  /// All of the picture's style sheet.
  static let css = """
    .optrace-flame text{font-size:11px}
    .optrace-flame .title{font-size:19px;font-weight:700}
    .optrace-flame .subtitle,.optrace-flame .details{font-size:12px}
    .optrace-flame .frames text{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;\
    white-space:pre;direction:ltr;unicode-bidi:isolate;pointer-events:none}
    .f{cursor:pointer;outline:none}
    .f rect,.swatch{stroke-width:.7;rx:1.5px}
    .f.j rect:not(.hatch),.swatch.j{fill-opacity:.45}
    .f.j rect.hatch,.legend .hatch{fill:url(#optrace-hatch);stroke:none;pointer-events:none}
    .stripe{stroke-width:1.4;opacity:.4}
    .f.above{opacity:.6}
    .searching .f:not(.hit){opacity:.45}
    .optrace-flame .f:hover rect:not(.hatch),.optrace-flame .f:focus-visible rect:not(.hatch){stroke-width:1.6}
    .find input{box-sizing:border-box;width:220px;padding:4px 9px;font:13px Helvetica,Arial,"DejaVu Sans",sans-serif;\
    border:1px solid;border-radius:6px;outline-offset:1px}
    .pointer-tip{display:grid;width:max-content;max-width:460px;padding:6px 9px;border:1px solid;border-radius:6px;\
    font:12px/1.45 Helvetica,Arial,"DejaVu Sans",sans-serif;overflow-wrap:anywhere;box-shadow:0 2px 10px rgb(0 0 0/.18)}
    .pointer-tip[hidden]{display:none}
    .find div{font:12px/16px Helvetica,Arial,"DejaVu Sans",sans-serif;text-align:right;padding-top:2px}
    \(rules(\.light, page: pageColor.light, text: textColor.light, muted: "#52607A", control: "#8592A6"))
    @media screen and (prefers-color-scheme:dark){
    \(rules(\.dark, page: pageColor.dark, text: textColor.dark, muted: "#A9B6CB", control: "#6B7A92"))
    }
    @media print{.optrace-flame{-webkit-print-color-adjust:exact;print-color-adjust:exact}.find,.pointer-tip{display:none}}

    """

  private static func rules(
    _ pick: (Look) -> String, page: String, text: String, muted: String, control: String
  ) -> String {
    let looks = (ownLooks + libraryLooks + otherLooks).map { look in
      ".f.\(look.name) rect,.swatch.\(look.name){fill:\(pick(look))}"
    }
    return
      ([
        ".optrace-flame{background:\(page);color-scheme:\(page == pageColor.light ? "light" : "dark")}",
        ".page{fill:\(page)}", ".optrace-flame text{fill:\(text)}",
        ".optrace-flame .subtitle,.optrace-flame .details,.legend text{fill:\(muted)}",
        ".f rect,.swatch{stroke:\(page)}", ".stripe{stroke:\(muted)}",
        ".optrace-flame .f:hover rect:not(.hatch),.optrace-flame .f:focus-visible rect:not(.hatch){stroke:\(text)}",
        ".find input{background:\(page);color:\(text);border-color:\(control)}.find div{color:\(muted)}",
        ".pointer-tip{background:\(page);color:\(text);border-color:\(control)}",
      ] + looks).joined(separator: "\n")
  }
}
