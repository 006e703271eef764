// swift-tools-version: 6.1
import PackageDescription

// A program that uses OpTrace as anybody's would: it depends on the package by its place and on the product `OpTrace`
// alone. `scripts/check-client` builds it twice and looks at what came with it:
//   OPTRACE_CLIENT_TRAITS=none   writes `traits: []`: nothing else may be resolved
//   otherwise                    the default traits: nothing else may be compiled or linked
let place = Context.environment["OPTRACE_PACKAGE"] ?? "\(Context.packageDirectory)/../.."
let optrace: Package.Dependency =
  Context.environment["OPTRACE_CLIENT_TRAITS"] == "none"
  ? .package(name: "OpTrace", path: place, traits: []) : .package(name: "OpTrace", path: place)

let package = Package(
  name: "Client",
  platforms: [.macOS(.v13)],
  dependencies: [optrace],
  targets: [
    .executableTarget(name: "client", dependencies: [.product(name: "OpTrace", package: "OpTrace")]),
    // The first Swift code of README.md.
    .executableTarget(name: "example", dependencies: [.product(name: "OpTrace", package: "OpTrace")]),
    // What looks at itself: built when the other two have been looked at.
    .executableTarget(
      name: "diagnostics",
      dependencies: [
        .product(name: "OpTrace", package: "OpTrace"), .product(name: "OpTraceDiagnostics", package: "OpTrace"),
      ]),
    // The code of Documentation/library.md: reads a trace, and links nothing that records.
    .executableTarget(name: "reader", dependencies: [.product(name: "OpTraceAnalysis", package: "OpTrace")]),
  ],
  swiftLanguageModes: [.v6]
)
