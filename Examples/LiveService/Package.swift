// swift-tools-version: 6.1
import PackageDescription

// A service whose operations are seen in a collector and in Prometheus. It depends on OpTrace as a stranger's program would, with both
// traits; a backend of one's own takes the place of the two small ones here. The tests of OpTraceTracing and OpTraceMetrics stand
// beside it: one build serves both, and no other build of OpTrace fetches these packages.
let package = Package(
  name: "LiveService",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(name: "OpTrace", path: "../..", traits: ["Tracing", "Metrics"]),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
  ],
  targets: [
    .executableTarget(
      name: "LiveService",
      dependencies: [
        .product(name: "OpTrace", package: "OpTrace"), .product(name: "OpTraceTracing", package: "OpTrace"),
        .product(name: "OpTraceMetrics", package: "OpTrace"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ]),
    // A program with spans of its own, for the tests.
    .executableTarget(
      name: "SpanProgram",
      dependencies: [
        .product(name: "OpTraceTracing", package: "OpTrace"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ], path: "Tests/SpanProgram"),
    .testTarget(
      name: "LiveTests",
      dependencies: [
        "SpanProgram", .product(name: "OpTrace", package: "OpTrace"),
        .product(name: "OpTraceModel", package: "OpTrace"), .product(name: "OpTraceTracing", package: "OpTrace"),
        .product(name: "OpTraceMetrics", package: "OpTrace"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
