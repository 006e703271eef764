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
    #expect(manifest["COpTraceRequestsPage"]?.path == "Sources/OpTraceRequests/Embedded")
    #expect(
      manifest["OpTraceTimeline"]?.dependencies.starts(with: ["COpTraceTimelinePage", "OpTracePageParts"]) == true)
    #expect(manifest["OpTraceFleetTests"]?.dependencies == ["TestSupport", "OpTraceFleet", "OpTraceTables"])
    #expect(manifest["OpTraceAnalysis"]?.dependencies.contains("OpTraceHangs") == true)
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
    let listed = manifest.reach(from: "OpTraceReport").intersection(manifest.columns)
    for target in manifest.targets where target.kind != .system {
      let sources = try Sources(of: target, known: known)
      for missing in sources.imports.subtracting(target.dependencies).sorted() {
        Issue.record("\(target.name) imports \(missing) and does not depend on it in Package.swift")
      }
      for name in target.dependencies where !sources.imports.contains(name) {
        let program = manifest.programs.first { $0.value == name }?.key ?? name
        let runs = manifest[name]?.kind == .executable && sources.words.contains(program)
        // The command has all columns, some only by the list of a library.
        let isListed = target.name == "optrace-cli" && listed.contains(name)
        if !runs && !isListed {
          Issue.record("\(target.name) depends on \(name) in Package.swift and does not import it")
        }
      }
    }
  }

  /// A program that links the library gets these targets and no others.
  @Test func usersLinkOnlyAFewTargets() throws {
    let manifest = try Manifest()
    #expect(manifest["OpTrace"]?.dependencies == ["COpTrace", "OpTraceFormat"])
    #expect(
      manifest.reach(from: "OpTraceDiagnostics") == [
        "COpTraceSignals", "OpTrace", "COpTrace", "OpTraceFormat", "OpTraceModel", "OpTraceKernel", "OpTraceText",
        "OpTraceDoctor", "OpTraceHangs",
      ])
  }

  private static let base: Set = ["OpTraceFormat", "OpTrace", "OpTraceModel", "OpTraceKernel", "OpTraceSamples"]
  private static let hosts: Set = [
    "OpTraceText", "OpTraceDoctor", "OpTraceTables", "OpTraceLive", "OpTracePageParts", "OpTraceBlame",
  ]
  /// What stands on columns, or beside them.
  private static let others: Set = [
    "OpTraceAnalysis", "OpTraceReport", "OpTraceDiagnostics", "OpTraceTracing", "OpTraceMetrics", "OpTraceScenarios",
    "OpTraceProcesses", "OpTracePreload", "FormatSources", "optrace-cli",
  ]

  /// Whatever has no other place is a column, and `Column` makes it.
  @Test func everyModuleHasAPlace() throws {
    let manifest = try Manifest()
    let modules = manifest.targets.filter {
      $0.path == "Sources/\($0.name)" && $0.kind != .system && !$0.name.hasPrefix("COpTrace")
    }
    let known = Self.base.union(Self.hosts).union(Self.others)
    #expect(Set(modules.map(\.name)).subtracting(known) == Set(manifest.columns))
    #expect(known.isDisjoint(with: manifest.columns) && known.isSubset(of: modules.map(\.name)))
  }

  /// A host knows no capability: it imports what is below it, and other hosts. A column imports these and no other column, but for
  /// those that are listed: parts of one capability, and outputs that still know what they show.
  @Test func hostsImportNoColumnAndColumnsOnlyTheAllowed() throws {
    let manifest = try Manifest()
    let allowed: [String: Set<String>] = [
      "OpTraceGraphviz": ["OpTraceGraph"], "OpTraceComparison": ["OpTraceGraph"],
      // A core without the files that were mapped is half a process.
      "OpTraceSnapshot": ["OpTraceSymbols"],
      // Memory and stacks from outside, before anything is done inside.
      "OpTraceAttach": ["OpTraceSnapshot", "OpTraceSymbols"],
    ]
    let columns = Set(manifest.columns)
    #expect(columns.isSuperset(of: ["OpTraceHangs", "OpTraceRequests", "OpTracePage"]))
    for column in columns.sorted() {
      let target = try #require(manifest[column], "\(column) is a target")
      #expect(columns.intersection(target.dependencies) == allowed[column, default: []], "\(column)")
    }
    for name in Self.base.union(Self.hosts).sorted() {
      #expect(columns.isDisjoint(with: manifest.reach(from: name)), "\(name)")
    }
    for name in Self.base.sorted() { #expect(Self.hosts.isDisjoint(with: manifest.reach(from: name)), "\(name)") }
  }

  /// What a rule, a figure or a picture stands on stays small enough to be read.
  @Test func kernelIsSmall() throws {
    let lines = try Sources.lines(in: Manifest.folder.appendingPathComponent("Sources/OpTraceKernel"))
    #expect(lines > 1000 && lines <= 4500)
  }

  /// `OPTRACE_UPDATE_GOLDEN=1` writes the arrows into the document.
  @Test func documentShowsTheArrowsOfTheManifest() throws {
    let text = try String(contentsOf: Self.document, encoding: .utf8)
    var wanted = text
    let start = try #require(wanted.firstRange(of: "```mermaid\n")).upperBound
    let end = try #require(wanted[start...].firstRange(of: "\n```")).lowerBound
    wanted.replaceSubrange(start..<end, with: try Manifest().drawing)
    if ProcessInfo.processInfo.environment["OPTRACE_UPDATE_GOLDEN"] == "1" {
      try wanted.write(to: Self.document, atomically: true, encoding: .utf8)
    } else {
      #expect(text == wanted, "OPTRACE_UPDATE_GOLDEN=1 draws the arrows of Package.swift into the document")
    }
  }
}
