// swift-tools-version: 6.1
import PackageDescription

/// Everything a user's program links (`OpTrace` and what it stands on) depends on no other package.
/// The trait `CLI` guards what only the command needs, so that a client that writes `traits: []` fetches nothing else.
let cli = TargetDependencyCondition.when(traits: ["CLI"])
/// What brings operations into the ecosystem's own words, each with the package that has these words.
let tracing = TargetDependencyCondition.when(traits: ["Tracing"])
let metrics = TargetDependencyCondition.when(traits: ["Metrics"])

/// A capability in a folder of its own, `Sources/NAME`. It stands on the kernel and on hosts, and none of them knows it.
struct Column {
  let name: String
  let library: String?
  var targets: [Target]

  /// - Parameters:
  ///   - library: what lists its `Capability`; the command has all columns. Nil: it adds nothing to hosts.
  ///   - page: the module of its folder `Embedded`, with the files in `Page`: its part of the report's page. Nil: it has none.
  ///   - tests: what `Tests/NAMETests` imports besides the column and `TestSupport`. Nil: its tests are others.
  init(
    _ name: String, of library: String? = nil, page: String? = nil, on dependencies: [Target.Dependency],
    tests: [Target.Dependency]? = nil
  ) {
    (self.name, self.library) = (name, library)
    let embedded = page.map { [Target.Dependency(stringLiteral: $0)] } ?? []
    targets = [
      .target(name: name, dependencies: embedded + dependencies, exclude: page == nil ? [] : ["Embedded", "Page"])
    ]
    if let page {
      targets.append(
        .target(name: page, path: "Sources/\(name)/Embedded", cSettings: [.headerSearchPath("../..")]))
    }
    if let tests {
      let own = ["TestSupport", name].map(Target.Dependency.init(stringLiteral:))
      targets.append(.testTarget(name: "\(name)Tests", dependencies: own + tests))
    }
  }
}

let columns = [
  // What is stuck or wrong: rules, and what every thread does.
  Column(
    "OpTraceHangs", of: "OpTraceAnalysis",
    on: ["OpTraceDoctor", "OpTraceText", "OpTraceKernel", "OpTraceModel", "OpTraceFormat"],
    tests: ["OpTraceAnalysis", "OpTraceDoctor", "OpTraceText", "OpTraceKernel", "OpTraceModel", "OpTraceFormat"]),
  // Deadlocks that have not happened yet, by the orders in which things were taken.
  Column(
    "OpTraceOrders", of: "OpTraceAnalysis",
    on: ["OpTraceDoctor", "OpTraceKernel", "OpTraceModel", "OpTraceFormat"],
    tests: ["OpTraceAnalysis", "OpTraceDoctor", "OpTraceModel", "OpTraceFormat"]),
  // The figures of a run, and what makes it longer than it needs to be.
  Column(
    "OpTraceSummary", of: "OpTraceAnalysis", page: "COpTraceSummaryPage",
    on: [
      "OpTracePageParts", "OpTraceBlame", "OpTraceDoctor", "OpTraceText", "OpTraceSamples", "OpTraceKernel",
      "OpTraceModel", "OpTraceFormat",
    ], tests: ["OpTraceBlame", "OpTraceSamples", "OpTraceText", "OpTraceKernel", "OpTraceModel", "OpTraceFormat"]),
  // Units of work, such as requests: kinds of them, and why some are slow.
  Column(
    "OpTraceRequests", of: "OpTraceAnalysis", page: "COpTraceRequestsPage",
    on: [
      "OpTracePageParts", "OpTraceLive", "OpTraceTables", "OpTraceBlame", "OpTraceDoctor", "OpTraceText",
      "OpTraceSamples", "OpTraceKernel", "OpTraceModel", "OpTraceFormat",
    ],
    tests: [
      "OpTraceAnalysis", "OpTraceBlame", "OpTraceDoctor", "OpTraceText", "OpTraceSamples", "OpTraceKernel",
      "OpTraceModel",
    ]),
  // Dependency graphs as pictures.
  Column(
    "OpTraceGraph", of: "OpTraceAnalysis", page: "COpTraceGraphPage",
    on: [
      "COpTraceScripts", "OpTracePageParts", "OpTraceDoctor", "OpTraceText", "OpTraceKernel", "OpTraceModel",
      "OpTraceFormat",
    ], tests: ["OpTraceAnalysis", "OpTraceModel"]),
  Column("OpTraceGraphviz", on: ["CGraphviz", "OpTraceGraph", "OpTraceModel"]),
  // Time from left to right: Chrome trace JSON, Perfetto, spans of OpenTelemetry.
  Column(
    "OpTraceTimeline", of: "OpTraceAnalysis", page: "COpTraceTimelinePage",
    on: [
      "OpTracePageParts", "OpTraceDoctor", "OpTraceText", "OpTraceSamples", "OpTraceKernel", "OpTraceModel",
      "OpTraceFormat",
    ],
    tests: [
      "OpTracePage", "OpTracePageParts", "OpTraceDoctor", "OpTraceGraph", "OpTraceText", "OpTraceAnalysis",
      "OpTraceModel", "OpTraceFormat",
    ]),
  // How long a run would take with changes: a simulator.
  Column(
    "OpTracePrediction", of: "OpTraceReport", page: "COpTracePredictionPage",
    on: [
      "OpTracePageParts", "OpTraceDoctor", "OpTraceText", "OpTraceSamples", "OpTraceKernel", "OpTraceModel",
      "OpTraceFormat",
    ], tests: ["OpTraceText", "OpTraceAnalysis", "OpTraceModel"]),
  // What differs between runs, and its picture.
  Column(
    "OpTraceComparison", of: "OpTraceReport", page: "COpTraceComparisonPage",
    on: [
      "OpTracePageParts", "OpTraceGraph", "OpTraceDoctor", "OpTraceText", "OpTraceSamples", "OpTraceKernel",
      "OpTraceModel",
    ], tests: ["OpTraceText", "OpTraceAnalysis", "OpTraceModel"]),
  // Where processor time went: tables, and files for other tools.
  Column(
    "OpTraceProfile", of: "OpTraceReport", page: "COpTraceProfilePage",
    on: [
      "COpTraceScripts", "OpTracePageParts", "OpTraceDoctor", "OpTraceText", "OpTraceSamples", "OpTraceKernel",
      "OpTraceModel",
    ], tests: ["OpTraceText", "OpTraceAnalysis", "OpTraceRequests", "OpTraceSamples", "OpTraceModel"]),
  // Where memory goes: sampled allocations, what lives of them, and what grows.
  Column(
    "OpTraceMemory", of: "OpTraceAnalysis", page: "COpTraceMemoryPage",
    on: [
      "OpTracePageParts", "OpTraceLive", "OpTraceTables", "OpTraceDoctor", "OpTraceText", "OpTraceSamples",
      "OpTraceKernel", "OpTraceModel",
    ],
    tests: [
      "OpTraceLive", "OpTraceTables", "OpTraceAnalysis", "OpTraceDoctor", "OpTraceText", "OpTraceSamples",
      "OpTraceKernel",
      "OpTraceModel",
    ]),
  // The report's page, whose files come in as scripts do, and the data that it shows.
  Column(
    "OpTracePage", of: "OpTraceReport", page: "COpTracePage",
    on: [
      "OpTracePageParts", "OpTraceDoctor", "OpTraceText", "OpTraceSamples", "OpTraceKernel", "OpTraceModel",
      "OpTraceFormat",
    ]),
  // When a ring is kept, and which kept files stay.
  Column(
    "OpTraceKeeping", on: ["OpTraceDoctor", "OpTraceText", "OpTraceKernel", "OpTraceModel"],
    tests: ["OpTraceAnalysis", "OpTraceModel"]),
  // Programs that run while they are watched: whether they write a trace, what it has grown by, their threads seen from outside.
  Column("OpTraceRunning", on: ["OpTraceLive", "OpTraceText", "OpTraceModel", "OpTraceFormat", "COpTrace"]),
  // Tables asked in the system's SQLite.
  Column(
    "OpTraceSQL", on: ["CSQLite", "OpTraceTables", "OpTraceKernel"],
    tests: ["OpTraceTables", "OpTraceAnalysis", "OpTraceModel"]),
  // The same in ClickHouse: what makes them there, and what of an export is not there yet.
  Column("OpTraceFleet", on: ["OpTraceTables"], tests: ["OpTraceTables"]),
  // Packed traces. By itself, since it links a library of the system that a program with a watchdog does without.
  Column("OpTracePacked", on: ["CLzma", "OpTraceModel", "OpTraceFormat"]),
  // Addresses to names and lines; it knows no traces.
  Column("OpTraceSymbols", on: ["OpTraceProcesses"], tests: []),
  // A process that nobody prepared: its memory, or a core file, as events of a trace.
  Column("OpTraceSnapshot", on: ["CZlib", "OpTraceSymbols", "OpTraceModel", "OpTraceFormat", "COpTrace"]),
  // The recorder, loaded into a program that runs already. The code in C traces processes, and is in no other program.
  Column(
    "OpTraceAttach", on: ["COpTraceAttach", "OpTraceSnapshot", "OpTraceSymbols", "COpTrace"],
    tests: ["OpTraceSnapshot", "OpTraceModel", "AttachedProgram"]),
]

let package = Package(
  name: "OpTrace",
  platforms: [.macOS(.v13), .iOS(.v16)],
  products: [
    .library(name: "OpTrace", targets: ["OpTrace"]),
    .library(name: "OpTraceModel", targets: ["OpTraceFormat", "OpTraceModel"]),
    .library(
      name: "OpTraceAnalysis",
      targets: [
        "OpTraceFormat", "OpTraceModel", "OpTraceAnalysis", "OpTraceKernel", "OpTraceSamples", "OpTraceText",
        "OpTraceDoctor", "OpTraceHangs", "OpTraceSummary", "OpTraceRequests", "OpTraceMemory", "OpTraceGraph",
        "OpTraceTimeline",
      ]),
    .library(name: "OpTracePacked", targets: ["OpTracePacked"]),
    .library(name: "OpTraceReport", targets: ["OpTraceReport", "OpTracePage"]),
    .library(name: "OpTraceGraphviz", targets: ["OpTraceGraphviz"]),
    .library(name: "OpTraceDiagnostics", targets: ["OpTraceDiagnostics"]),
    .library(name: "OpTraceTracing", targets: ["OpTraceTracing"]),
    .library(name: "OpTraceMetrics", targets: ["OpTraceMetrics"]),
    .executable(name: "optrace", targets: ["optrace-cli"]),
    // What `optrace record` loads into a program: an object in C with the recorder in it.
    .library(name: "OpTracePreload", type: .dynamic, targets: ["OpTracePreload"]),
  ],
  traits: [
    .trait(name: "CLI", description: "The command line tool and the packages that only it needs."),
    .trait(name: "Tracing", description: "OpTraceTracing, with swift-distributed-tracing."),
    .trait(name: "Metrics", description: "OpTraceMetrics, with swift-metrics."),
    .default(enabledTraits: ["CLI"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
  ],
  targets: [
    // What a program links to be recorded.
    .target(name: "COpTrace", cSettings: [.define("_GNU_SOURCE", .when(platforms: [.linux]))]),
    .target(name: "OpTraceFormat"),
    // Writes the files that are made from the table of events. `scripts/make-format` compiles and runs it before the build; here it is
    // for its tests.
    .executableTarget(name: "FormatSources", dependencies: ["OpTraceFormat"]),
    .target(name: "OpTrace", dependencies: ["COpTrace", "OpTraceFormat"]),
    // It goes into programs that are no Swift at all, so it is linked without Swift's start-up code and without its
    // libraries; the second needs the linker's "embedded" mode. (Flags that SwiftPM calls unsafe are refused in products
    // that others depend on; nobody depends on this one.)
    .target(
      name: "OpTracePreload", dependencies: ["COpTrace"], exclude: ["exports.map"],
      cSettings: [.define("_GNU_SOURCE", .when(platforms: [.linux]))],
      linkerSettings: [
        .unsafeFlags(
          [
            "-nostartfiles", "-enable-experimental-feature", "Embedded",
            "-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/OpTracePreload/exports.map",
          ], .when(platforms: [.linux])),
        // Tools that read the debug information of what is loaded may not know its version: valgrind 3.19 gives up.
        .unsafeFlags(["-Xlinker", "--strip-debug"], .when(platforms: [.linux], configuration: .release)),
      ]),

    // What reads, explains, tells and draws a trace.
    .target(name: "OpTraceModel", dependencies: ["OpTraceFormat"]),
    // Starts other programs.
    .target(name: "OpTraceProcesses"),
    // Starts a thread in another process.
    .target(name: "COpTraceAttach", cSettings: [.define("_GNU_SOURCE", .when(platforms: [.linux]))]),
    // What every explanation stands on: times, intervals, names, the dependency graph, the critical path, who waits for whom.
    .target(name: "OpTraceKernel", dependencies: ["OpTraceModel", "OpTraceFormat"]),
    // Samples of processor time: in which functions, and in which work.
    .target(name: "OpTraceSamples", dependencies: ["OpTraceKernel", "OpTraceModel", "OpTraceFormat"]),
    // Words for people and scripts: tables for a terminal, JSON, escaping.
    .target(name: "OpTraceText", dependencies: ["OpTraceKernel", "OpTraceModel", "OpTraceFormat"]),
    // A host: what a finding is, how rules are asked, and the words and files for what they find. It knows no rule.
    .target(name: "OpTraceDoctor", dependencies: ["OpTraceText", "OpTraceKernel", "OpTraceModel", "OpTraceFormat"]),
    // A host: a trace as tables, which SQL and every format for other databases is made from. It knows what was recorded, and findings.
    .target(
      name: "OpTraceTables",
      dependencies: [
        "OpTraceDoctor", "OpTraceText", "OpTraceSamples", "OpTraceKernel", "OpTraceModel", "OpTraceFormat",
      ]),
    // A host: what a program does at the moment, as its trace grows. It knows queues, and what they run.
    .target(
      name: "OpTraceLive",
      dependencies: ["OpTraceDoctor", "OpTraceText", "OpTraceKernel", "OpTraceModel", "OpTraceFormat"]),

    // A host of the report: what a part of its page is, and the tables of its data. It knows neither the page nor a part.
    .target(name: "OpTracePageParts", dependencies: ["OpTraceDoctor", "OpTraceText", "OpTraceModel"]),

    // A host: where time went. Waiting is given to who had what was waited for, and passed on.
    .target(name: "OpTraceBlame", dependencies: ["OpTraceKernel", "OpTraceModel", "OpTraceFormat"]),

    // What makes pictures in files, and those of the report's page, answer to pointers and keys. Scripts come in as C: as a literal in
    // Swift a long text takes half a minute to compile, and as resources of SwiftPM they would be a folder beside each program.
    .target(name: "COpTraceScripts", exclude: ["Scripts"], cSettings: [.headerSearchPath("..")]),
    // Libraries of the system that columns stand on.
    .systemLibrary(name: "CLzma", pkgConfig: "liblzma", providers: [.apt(["liblzma-dev"]), .brew(["xz"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    // Lines typed at a terminal.
    .systemLibrary(name: "CEdit", pkgConfig: "libedit", providers: [.apt(["libedit-dev"]), .brew(["libedit"])]),
    .systemLibrary(
      name: "CGraphviz", pkgConfig: "libgvc", providers: [.apt(["libgraphviz-dev"]), .brew(["graphviz"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    // What a program imports to explain traces, and to write reports: hosts, and the columns that name these libraries.
    .target(
      name: "OpTraceAnalysis",
      dependencies: ["OpTracePageParts", "OpTraceDoctor", "OpTraceSamples", "OpTraceKernel", "OpTraceModel"]),
    .target(
      name: "OpTraceReport",
      dependencies: [
        "OpTraceAnalysis", "OpTraceGraph", "OpTracePageParts", "OpTraceDoctor", "OpTraceText", "OpTraceModel",
      ]),

    // Recorder and analysis in one process.
    .target(name: "COpTraceSignals", cSettings: [.define("_GNU_SOURCE", .when(platforms: [.linux]))]),
    .target(
      name: "OpTraceDiagnostics",
      dependencies: [
        "COpTraceSignals", "OpTraceHangs", "OpTraceDoctor", "OpTraceText", "OpTraceKernel", "OpTraceModel", "OpTrace",
      ]),

    // Operations as spans and metrics of whatever backend a program has. Without their traits they hold nothing.
    .target(
      name: "OpTraceTracing",
      dependencies: ["OpTrace", .product(name: "Tracing", package: "swift-distributed-tracing", condition: tracing)]),
    .target(
      name: "OpTraceMetrics",
      dependencies: ["OpTrace", .product(name: "CoreMetrics", package: "swift-metrics", condition: metrics)]),

    // The command, which has all columns, and the demo programs.
    .target(name: "OpTraceScenarios", dependencies: ["OpTrace", "OpTraceModel", "OpTraceProcesses"]),
    .executableTarget(
      name: "optrace-cli",
      dependencies: [
        "OpTraceScenarios", "CZlib", "CEdit", "OpTraceReport", "OpTracePageParts", "OpTraceTables", "OpTraceLive",
        "OpTraceDoctor", "OpTraceText", "OpTraceSamples", "OpTraceKernel", "OpTraceProcesses", "OpTraceModel",
        "OpTrace", "OpTraceFormat", "COpTrace",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: cli),
      ],
      // Its own search path for Swift's libraries comes before LD_LIBRARY_PATH, which is for the program that is recorded and may
      // lead to another Swift. (Flags that SwiftPM calls unsafe; nobody depends on this one.)
      linkerSettings: [
        .unsafeFlags(["-Xlinker", "--disable-new-dtags"], .when(platforms: [.linux], configuration: .release))
      ]),

    // Who imports whom, here and in the sources.
    .testTarget(name: "ArchitectureTests"),

    // What tests share: traces made by hand, random numbers with a seed, threads to wait on, gates, programs that are run.
    .target(name: "CTestSupport", path: "Tests/CTestSupport"),
    .target(
      name: "TestSupport", dependencies: ["CTestSupport", "OpTraceFormat", "OpTraceModel"], path: "Tests/TestSupport"),
    // The broken programs of the demo, without the command.
    .executableTarget(name: "BrokenProgram", dependencies: ["OpTraceScenarios"], path: "Tests/BrokenProgram"),
    .testTarget(
      name: "OpTraceScenariosTests",
      dependencies: [
        "TestSupport", "OpTraceScenarios", "OpTraceAnalysis", "OpTraceModel", "OpTraceFormat", "BrokenProgram",
        "RecorderTestProgram",
      ]),
    .testTarget(name: "OpTraceFormatTests", dependencies: ["OpTraceFormat", "FormatSources", "COpTrace"]),
    .testTarget(
      name: "OpTraceModelTests", dependencies: ["TestSupport", "OpTraceModel", "OpTraceFormat", "OpTrace"],
      exclude: ["Golden"]),
    .testTarget(
      name: "OpTracePackedTests",
      dependencies: ["TestSupport", "OpTracePacked", "OpTraceModel", "OpTraceFormat", "OpTrace"], exclude: ["Golden"]),
    .testTarget(name: "OpTraceProcessesTests", dependencies: ["TestSupport", "OpTraceProcesses"]),
    // Programs that hang, and that know nothing of OpTrace.
    .executableTarget(name: "HangingProgram", path: "Tests/HangingProgram"),
    .executableTarget(name: "HangPrograms", path: "Tests/HangPrograms"),
    .executableTarget(name: "OrderPrograms", path: "Tests/OrderPrograms"),
    // One that says what it has.
    .executableTarget(name: "AccountProgram", path: "Tests/AccountProgram"),
    // One that does what it is told, while it runs.
    .executableTarget(name: "AttachedProgram", path: "Tests/AttachedProgram"),
    .testTarget(
      name: "OpTraceSnapshotTests",
      dependencies: [
        "TestSupport", "OpTraceSnapshot", "OpTraceSymbols", "OpTraceAnalysis", "OpTraceDoctor", "OpTraceModel",
        "COpTrace",
        "HangingProgram", "HangPrograms", "AccountProgram",
      ]),
    .testTarget(
      name: "OpTraceKernelTests", dependencies: ["TestSupport", "OpTraceKernel", "OpTraceModel"]),
    .testTarget(
      name: "OpTraceSamplesTests",
      dependencies: ["TestSupport", "OpTraceSamples", "OpTraceKernel", "OpTraceModel"]),
    .testTarget(
      name: "OpTraceTextTests",
      dependencies: ["OpTraceText", "OpTraceModel"]),
    .testTarget(
      name: "OpTraceDoctorTests",
      dependencies: [
        "TestSupport", "OpTraceAnalysis", "OpTraceDoctor", "OpTraceText", "OpTraceKernel", "OpTraceModel",
        "OpTraceFormat",
      ]),
    .testTarget(
      name: "OpTraceBlameTests", dependencies: ["TestSupport", "OpTraceBlame", "OpTraceKernel", "OpTraceModel"]),
    .testTarget(
      name: "OpTraceLiveTests",
      dependencies: [
        "TestSupport", "OpTraceLive", "OpTraceRunning", "OpTraceText", "OpTraceAnalysis", "OpTraceRequests",
        "OpTraceModel",
      ]),
    .testTarget(
      name: "OpTraceReportTests",
      dependencies: [
        "TestSupport", "OpTraceReport", "OpTracePage", "OpTracePageParts", "OpTraceRequests", "OpTraceGraph",
        "OpTraceTimeline", "OpTraceText",
        "OpTraceAnalysis",
        "OpTraceComparison", "OpTraceModel", "OpTraceFormat",
      ]),
    // Programs that a seed makes up, healthy ones and such that hang.
    .executableTarget(
      name: "RandomProgram", dependencies: ["CRecorderTestSupport", "TestSupport", "OpTrace"],
      path: "Tests/RandomProgram"),
    .testTarget(
      name: "DoctorRandomTests",
      dependencies: ["TestSupport", "OpTraceAnalysis", "OpTraceFormat", "OpTraceModel", "RandomProgram"]),
    .testTarget(
      name: "OpTraceAnalysisTests",
      dependencies: ["OpTraceAnalysis"]),
    .testTarget(name: "OpTraceTablesTests", dependencies: ["TestSupport", "OpTraceTables"]),
    .testTarget(
      name: "OpTraceGraphvizTests",
      dependencies: [
        "TestSupport", "OpTraceGraphviz", "OpTraceGraph", "OpTraceText", "OpTraceComparison", "OpTraceAnalysis",
        "OpTraceModel", "CZlib",
        "optrace-cli",
      ]),
    // A program that knows nothing of OpTrace.
    .executableTarget(name: "RecordTestProgram", path: "Tests/RecordTestProgram"),
    // Others of tasks: with operations, and without Foundation.
    .executableTarget(name: "TaskTestProgram", path: "Tests/TaskTestProgram"),
    .executableTarget(name: "PlainTaskProgram", path: "Tests/PlainTaskProgram"),
    .testTarget(
      name: "OpTraceCLITests",
      dependencies: [
        "TestSupport", "optrace-cli", "OpTraceFleet", "OpTraceSQL", "OpTraceTables", "OpTraceRunning", "OpTraceReport",
        "OpTracePage", "OpTracePageParts", "OpTraceDoctor", "OpTraceText",
        "OpTraceAnalysis", "OpTraceOrders", "OpTraceFormat", "OpTraceModel",
        "OpTraceScenarios", "OpTracePacked", "OpTraceSymbols", "RecordTestProgram", "TaskTestProgram",
        "PlainTaskProgram", "HangingProgram", "HangPrograms", "OrderPrograms", "AttachedProgram",
      ]),

    // Tests of the recorder.
    .target(name: "CRecorderTestSupport", path: "Tests/CRecorderTestSupport"),
    // What stands in no header of the recorder's.
    .target(name: "CRecorderInside", dependencies: ["COpTrace"], path: "Tests/CRecorderInside"),
    .executableTarget(
      name: "RecorderTestProgram", dependencies: ["OpTrace", "CRecorderTestSupport"],
      path: "Tests/RecorderTestProgram"),
    // Of this package, not of the benchmarks' own, so that the tests run it too.
    .executableTarget(
      name: "KillBenchmark", dependencies: ["CRecorderTestSupport", "OpTrace", "OpTraceModel"],
      path: "Benchmarks/Sources/KillBenchmark"),
    // Nor these, so that the benchmarks' own build the recorder alone once more.
    .executableTarget(
      name: "RingBenchmark", dependencies: ["OpTrace", "OpTraceModel"], path: "Benchmarks/Sources/RingBenchmark"),
    .executableTarget(
      name: "RenderLeaks", dependencies: ["OpTraceAnalysis", "OpTraceGraph", "OpTraceGraphviz", "OpTraceModel"],
      path: "Benchmarks/Sources/RenderLeaks"),
    .testTarget(
      name: "OpTraceTests",
      dependencies: [
        "TestSupport", "OpTrace", "OpTraceModel", "OpTraceFormat", "COpTrace", "CRecorderInside",
        "CRecorderTestSupport", "RecorderTestProgram", "KillBenchmark",
      ]),
    // Stacks, as they are in optimised programs. (Flags that SwiftPM calls unsafe; nobody depends on this one.)
    .target(
      name: "CStackTestSupport", dependencies: ["COpTrace"], path: "Tests/CStackTestSupport",
      cSettings: [
        .define("_GNU_SOURCE", .when(platforms: [.linux])), .unsafeFlags(["-O2", "-fomit-frame-pointer"]),
      ]),
    // Swift's stacks in optimised programs; the tests compile the same file for the debugger.
    .target(
      name: "OptimisedShapes", path: "Tests/OptimisedShapes", swiftSettings: [.unsafeFlags(["-O"])]),
    .testTarget(name: "OpTraceStackTests", dependencies: ["TestSupport", "CStackTestSupport", "OptimisedShapes"]),
    // The same programs traced in four ways: links lead to the sources that they share.
    .executableTarget(
      name: "HookTraced", dependencies: ["OpTrace", "CRecorderTestSupport"], path: "Tests/HookPrograms/Traced"),
    .executableTarget(
      name: "HookForeign", dependencies: ["OpTrace", "CRecorderTestSupport"], path: "Tests/HookPrograms/Foreign"),
    .executableTarget(
      name: "HookInstrumented", dependencies: ["OpTrace", "CRecorderTestSupport"],
      path: "Tests/HookPrograms/Instrumented"),
    .executableTarget(name: "HookPlain", dependencies: ["CRecorderTestSupport"], path: "Tests/HookPrograms/Plain"),
    .testTarget(
      name: "OpTraceHookTests",
      dependencies: [
        "TestSupport", "OpTraceModel", "OpTraceFormat", "optrace-cli", "HookTraced", "HookForeign", "HookInstrumented",
        "HookPlain",
      ],
      exclude: ["Expected"]),

    // Programs that hang, and tests that would.
    .executableTarget(
      name: "DiagnosticsTestProgram", dependencies: ["OpTraceDiagnostics", "OpTrace", "CRecorderTestSupport"],
      path: "Tests/DiagnosticsTestProgram"),
    .testTarget(
      name: "OpTraceDiagnosticsTests",
      dependencies: [
        "TestSupport", "OpTraceDiagnostics", "OpTrace", "OpTraceAnalysis", "OpTraceModel", "DiagnosticsTestProgram",
      ]),

    .testTarget(
      name: "OpTraceStressTests", dependencies: ["TestSupport", "OpTrace", "OpTraceFormat", "OpTraceModel"],
      exclude: ["address.supp", "thread.supp"]),
  ],
  swiftLanguageModes: [.v6]
)

// Columns, and who has them.
for column in columns {
  package.targets += column.targets
  for target in package.targets where ["optrace-cli", column.library].contains(target.name) {
    target.dependencies.append(.init(stringLiteral: column.name))
  }
}

for target in package.targets where target.type != .system {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
    ]
  // The programs' shared sources must not name OpTrace, and yet use its types where these are what is traced.
  if !target.name.hasPrefix("Hook") {
    target.swiftSettings?.append(.enableUpcomingFeature("MemberImportVisibility"))
  }
}

// As make builds. Tests run against the release build: the same modules, compiled once, are tested and delivered. Tests see what is
// internal in them. The tests themselves, and the programs that they run, are compiled for the debugger, except where tests compute much:
// optimising all of them takes a quarter of the build and saves less. In debug builds what computes is optimised: the tests then take a
// third of the processor time.
// (SwiftPM calls these flags unsafe and refuses them in packages that others depend on, so they have to be asked for.)
if Context.environment["OPTRACE_OPTIMIZED"] == "1" {
  for target in package.targets where target.type != .system {
    let isOfTests = target.path?.hasPrefix("Tests/") ?? (target.type == .test)
    let isHooked = target.name.hasPrefix("Hook") || target.name == "OptimisedShapes"
    let computes = ["TestSupport", "OpTraceComparisonTests"].contains(target.name)
    if isOfTests && !isHooked && !computes {
      // Without the second, each is compiled once more for its interface alone.
      target.swiftSettings?.append(
        .unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release)))
    } else {
      target.swiftSettings?.append(.unsafeFlags(["-enable-testing"], .when(configuration: .release)))
    }
  }
  let computing =
    columns.map(\.name) + [
      "OpTraceFormat", "OpTraceModel", "OpTraceKernel", "OpTraceSamples", "OpTraceBlame", "OpTraceText",
      "OpTraceDoctor", "OpTraceTables", "OpTraceLive", "OpTracePageParts", "OpTraceAnalysis", "OpTraceReport",
    ]
  for target in package.targets where computing.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
  }
}

// The libraries' pages by the ecosystem's own command: OPTRACE_DOCS=1 swift package generate-documentation --target OpTrace. Nobody else
// resolves the plugin; scripts/make-docs builds and checks the same pages without it.
if Context.environment["OPTRACE_DOCS"] == "1" {
  package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

// scripts/sanitize builds what it runs, and nothing else: these targets and what they need.
if let wanted = Context.environment["OPTRACE_TARGETS"] {
  var names = Set(wanted.split(separator: " ").map(String.init))
  var open = names
  while let name = open.popFirst() {
    for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
      switch dependency {
      case .targetItem(let other, _), .byNameItem(let other, _):
        if names.insert(other).inserted { open.insert(other) }
      default: break
      }
    }
  }
  package.targets.removeAll { !names.contains($0.name) }
  // Programs and what is loaded into them, by their names.
  package.products.removeAll { product in
    if let library = product as? Product.Library, library.type != .dynamic { return true }
    let targets = (product as? Product.Executable)?.targets ?? (product as? Product.Library)?.targets ?? []
    return !targets.allSatisfy(names.contains)
  }
  // The command's own tests need what it parses its arguments with.
  package.dependencies = names.contains("optrace-cli") ? [package.dependencies[0]] : []
}
