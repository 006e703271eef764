// swift-tools-version: 6.1
// A package whose tests are recorded; it knows nothing of OpTrace. scripts/check-recorded-tests runs them.
import PackageDescription

let package = Package(
  name: "TestedPackage",
  targets: [
    .target(name: "Tested"),
    .testTarget(name: "TestedTests", dependencies: ["Tested"]),
  ])
