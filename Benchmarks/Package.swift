// swift-tools-version: 6.1
import PackageDescription

// A package of its own: what measures reaches nobody who uses OpTrace.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "OpTrace", path: "..", traits: [])],
  targets: [
    .target(name: "BenchmarkSupport"),
    .target(name: "CFloor"),
    .executableTarget(name: "Benchmark", dependencies: ["BenchmarkSupport"]),
    .executableTarget(
      name: "Workload", dependencies: ["BenchmarkSupport", "CFloor", .product(name: "OpTrace", package: "OpTrace")]),
    .executableTarget(
      name: "StackWorkload", dependencies: [.product(name: "OpTrace", package: "OpTrace")],
      cSettings: [.define("_GNU_SOURCE", .when(platforms: [.linux]))]),
    .executableTarget(name: "DiffProgram"),
    .executableTarget(name: "MakeTrace", dependencies: [.product(name: "OpTrace", package: "OpTrace")]),
    .executableTarget(
      name: "RingBenchmark",
      dependencies: [
        .product(name: "OpTrace", package: "OpTrace"), .product(name: "OpTraceAnalysis", package: "OpTrace"),
      ]),
    .executableTarget(
      name: "RenderLeaks",
      dependencies: [
        .product(name: "OpTraceAnalysis", package: "OpTrace"), .product(name: "OpTraceGraphviz", package: "OpTrace"),
      ]),
    .executableTarget(name: "FleetBenchmark", dependencies: ["BenchmarkSupport"]),
    // Real programs with real changes, and how near `optrace whatif` comes.
    .executableTarget(name: "WhatIfPrograms"),
    .executableTarget(name: "WhatIfBenchmark", dependencies: ["BenchmarkSupport"]),
    // KillBenchmark is built by the package above, whose tests run it.
  ],
  swiftLanguageModes: [.v6]
)
