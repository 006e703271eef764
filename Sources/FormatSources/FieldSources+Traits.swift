import OpTraceFormat

/// The C tables of what a flight recorder keeps.
extension FieldSources {
  static var traits: String {
    var lines =
      note + [
        "// What a flight recorder asks of each kind of record: by its number; 0 for a kind that there is not.",
        "#ifndef COPTRACE_TRAITS_H", "#define COPTRACE_TRAITS_H", "", "#include <stdint.h>", "",
        "#include \"COpTraceFormat.h\"", "",
      ]
    lines += enumeration(
      "Whether the record is carried on when its chunk is used again.", "carry",
      EventSpec.Carry.allCases.map { "\($0)" })
    lines += enumeration(
      "What lasts from one record to another.", "lasting", EventSpec.Lasting.allCases.map { "\($0)" })
    lines += enumeration(
      "Whether the record is the first or the last of something that lasts.", "bound",
      ["none", "begins", "ends", "follows"])
    lines.append("static const uint8_t optrace_carries[256] = {")
    for spec in EventSpec.table where spec.carry != .never {
      lines.append("  [\(kind(spec))] = optrace_carry_\(FormatNumbers.snake("\(spec.carry)")),")
    }
    lines += [
      "};", "", "typedef struct {", "  uint8_t bound, of;", "} optrace_bound;",
      "static const optrace_bound optrace_bounds[256] = {",
    ]
    for spec in EventSpec.table {
      guard let (bound, of) = words(spec.bound) else { continue }
      lines.append(
        "  [\(kind(spec))] = {optrace_bound_\(bound), optrace_lasting_\(FormatNumbers.snake("\(of)"))},")
    }
    return (lines + ["};", "", "#endif"]).joined(separator: "\n") + "\n"
  }

  private static func enumeration(_ meaning: String, _ prefix: String, _ names: [String]) -> [String] {
    ["// " + meaning, "enum {"] + names.map { "  optrace_\(prefix)_\(FormatNumbers.snake($0))," } + ["};", ""]
  }

  private static func kind(_ spec: EventSpec) -> String { "optrace_kind_\(FormatNumbers.snake("\(spec.kind)"))" }

  private static func words(_ bound: EventSpec.Bound) -> (String, EventSpec.Lasting)? {
    switch bound {
    case .none: nil
    case .begins(let what): ("begins", what)
    case .ends(let what): ("ends", what)
    case .follows(let what): ("follows", what)
    }
  }
}
