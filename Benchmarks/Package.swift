// swift-tools-version: 6.1
import PackageDescription

// A package of its own: what measures reaches nobody who uses OpTrace.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v13)],
  dependencies: [
    // Of these traits only what `live` measures is linked with anything.
    .package(name: "OpTrace", path: "..", traits: ["Tracing", "Metrics"]),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
  ],
  targets: [
    // Counts in mapped memory.
    .target(name: "CCounters"),
    .target(name: "BenchmarkSupport", dependencies: ["CCounters"]),
    .target(name: "CFloor"),
    .executableTarget(name: "Benchmark", dependencies: ["BenchmarkSupport"]),
    .executableTarget(
      name: "Workload", dependencies: ["BenchmarkSupport", "CFloor", .product(name: "OpTrace", package: "OpTrace")]),
    .executableTarget(
      name: "StackWorkload", dependencies: [.product(name: "OpTrace", package: "OpTrace")],
      cSettings: [.define("_GNU_SOURCE", .when(platforms: [.linux]))]),
    // What spans, metrics and a context cost that goes into operations.
    .executableTarget(
      name: "LiveWorkload",
      dependencies: [
        "BenchmarkSupport", "CFloor", .product(name: "OpTrace", package: "OpTrace"),
        .product(name: "OpTraceTracing", package: "OpTrace"), .product(name: "OpTraceMetrics", package: "OpTrace"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ]),
    // What they weigh: the same program three times.
    .executableTarget(name: "LinkedPlain", dependencies: [.product(name: "OpTrace", package: "OpTrace")]),
    .executableTarget(
      name: "LinkedTracing",
      dependencies: [
        .product(name: "OpTrace", package: "OpTrace"), .product(name: "OpTraceTracing", package: "OpTrace"),
      ]),
    .executableTarget(
      name: "LinkedMetrics",
      dependencies: [
        .product(name: "OpTrace", package: "OpTrace"), .product(name: "OpTraceMetrics", package: "OpTrace"),
      ]),
    .executableTarget(name: "PeerWorkload", dependencies: [.product(name: "OpTrace", package: "OpTrace")]),
    .executableTarget(name: "DiffProgram"),
    .executableTarget(name: "RatedWorkload", dependencies: [.product(name: "OpTrace", package: "OpTrace")]),
    // What a flight recorder does to programs, and what it keeps of them.
    .executableTarget(name: "RingLoad", dependencies: ["BenchmarkSupport"]),
    .executableTarget(name: "RingHarm", dependencies: ["BenchmarkSupport"]),
    .executableTarget(name: "MakeTrace", dependencies: [.product(name: "OpTrace", package: "OpTrace")]),
    .executableTarget(name: "FleetBenchmark", dependencies: ["BenchmarkSupport"]),
    // Real programs with real changes, and how near `optrace whatif` comes.
    .executableTarget(name: "WhatIfPrograms"),
    .executableTarget(name: "WhatIfBenchmark", dependencies: ["BenchmarkSupport"]),
    // KillBenchmark, RingBenchmark and RenderLeaks are built by the package above, whose tests run the first.
  ],
  swiftLanguageModes: [.v6]
)
