import Foundation
import Testing

/// `Package.swift`, the sources and `Documentation/architecture.md` agree on which target imports which.
@Suite struct ArrowTests {
  private static let document = Manifest.folder.appendingPathComponent("Documentation/architecture.md")

  @Test func parserReadsTheWholeManifest() throws {
    let manifest = try Manifest()
    #expect(Set(manifest.targets.map(\.name)).count == manifest.targets.count)
    #expect(manifest["OpTrace"]?.dependencies == ["COpTrace", "OpTraceFormat"])
    #expect(manifest["OpTracePreload"]?.dependencies == ["COpTrace"])
    #expect(manifest["CZlib"]?.kind == .system)
    #expect(manifest["optrace-cli"]?.dependencies.contains("ArgumentParser") == true)
    #expect(manifest["KillBenchmark"]?.path == "Benchmarks/Sources/KillBenchmark")
    #expect(manifest.programs["optrace"] == "optrace-cli")
    for target in manifest.targets {
      #expect(FileManager.default.fileExists(atPath: Manifest.folder.appendingPathComponent(target.path).path))
    }
  }

  /// An undeclared import builds or fails depending on what was built before. A dependency without an import makes
  /// programs larger for nothing. A test that runs a program depends on it, and has its name in a string.
  @Test func dependenciesEqualImports() throws {
    let manifest = try Manifest()
    var known: [String: String] = [:]
    for target in manifest.targets {
      known[target.module] = target.name
      for name in target.dependencies where manifest[name] == nil { known[name] = name }
    }
    for target in manifest.targets where target.kind != .system {
      let sources = try Sources(of: target, known: known)
      for missing in sources.imports.subtracting(target.dependencies).sorted() {
        Issue.record("\(target.name) imports \(missing) and does not depend on it in Package.swift")
      }
      for name in target.dependencies where !sources.imports.contains(name) {
        let program = manifest.programs.first { $0.value == name }?.key ?? name
        let runs = manifest[name]?.kind == .executable && sources.words.contains(program)
        if !runs { Issue.record("\(target.name) depends on \(name) in Package.swift and does not import it") }
      }
    }
  }

  /// A program that links the library gets these targets and no others.
  @Test func usersLinkOnlyAFewTargets() throws {
    let manifest = try Manifest()
    #expect(manifest["OpTrace"]?.dependencies == ["COpTrace", "OpTraceFormat"])
    #expect(
      manifest.reach(from: "OpTraceDiagnostics") == [
        "COpTraceSignals", "OpTrace", "COpTrace", "OpTraceFormat", "OpTraceModel", "OpTraceAnalysis", "OpTraceText",
      ])
  }

  /// Each capability is a column. The modules below do not import it, and a column imports another only to draw in its
  /// picture.
  @Test func columnsImportOnlyAllowedColumns() throws {
    let manifest = try Manifest()
    #expect(manifest["OpTraceText"]?.dependencies == ["OpTraceAnalysis", "OpTraceModel", "OpTraceFormat"])
    let columns: Set = [
      "OpTraceGraph", "OpTraceTimeline", "OpTraceReport", "OpTraceLive", "OpTracePrediction", "OpTraceComparison",
      "OpTraceProfile", "OpTraceRequests", "OpTraceKeeping", "OpTraceTables", "OpTraceSQL", "OpTraceFleet",
      "OpTracePacked",
      "OpTraceSymbols", "OpTraceGraphviz",
    ]
    let allowed: [String: Set<String>] = [
      "OpTraceReport": ["OpTraceGraph", "OpTraceTimeline"], "OpTraceComparison": ["OpTraceGraph"],
      "OpTraceGraphviz": ["OpTraceGraph"], "OpTraceSQL": ["OpTraceTables"], "OpTraceFleet": ["OpTraceTables"],
    ]
    for column in columns.sorted() {
      let target = try #require(manifest[column], "\(column) is a target")
      #expect(columns.intersection(target.dependencies) == allowed[column, default: []], "\(column)")
    }
    for base in ["OpTraceFormat", "OpTrace", "OpTraceModel", "OpTraceAnalysis", "OpTraceText", "OpTraceDiagnostics"] {
      #expect(columns.isDisjoint(with: manifest.reach(from: base)), "\(base)")
    }
  }

  /// `OPTRACE_UPDATE_GOLDEN=1` writes the arrows into the document.
  @Test func documentShowsTheArrowsOfTheManifest() throws {
    let arrows = Arrows(try Manifest())
    let text = try String(contentsOf: Self.document, encoding: .utf8)
    var wanted = text
    for (opening, block) in [("```mermaid\n", arrows.drawing), ("```arrows\n", arrows.list)] {
      let start = try #require(wanted.firstRange(of: opening)).upperBound
      let end = try #require(wanted[start...].firstRange(of: "\n```")).lowerBound
      wanted.replaceSubrange(start..<end, with: block)
    }
    if ProcessInfo.processInfo.environment["OPTRACE_UPDATE_GOLDEN"] == "1" {
      try wanted.write(to: Self.document, atomically: true, encoding: .utf8)
    } else {
      #expect(text == wanted, "OPTRACE_UPDATE_GOLDEN=1 draws the arrows of Package.swift into the document")
    }
  }
}
