import Foundation
import Tested
import XCTest

final class OrderTests: XCTestCase {
  override func setUp() { if name.hasSuffix("testRefund") { work("set up refund") } }

  func testRefund() { work("refund", 2) }

  func testFails() {
    work("fails")
    XCTAssertEqual(1, 2)
  }

  func testSkips() throws {
    work("skips")
    throw XCTSkip("not today")
  }

  func testWithoutWork() {}

  func testAsync() async throws {
    work("async")
    try await Task.sleep(nanoseconds: 1_000_000)
    work("async")
    await Task { work("async") }.value
    // These have nothing of the test that begins them.
    await Task.detached { work("nobody's") }.value
    await withCheckedContinuation { over in
      Thread.detachNewThread {
        work("nobody's")
        over.resume()
      }
    }
  }

  func testCrashes() throws {
    try XCTSkipUnless(ProcessInfo.processInfo.environment["CRASHES"] == "1")
    work("crashes")
    signal(SIGABRT, SIG_DFL)
    abort()
  }

  func testHangs() throws {
    try XCTSkipUnless(ProcessInfo.processInfo.environment["HANGS"] == "XCTest")
    waitForItself()
  }

  /// XCTest's main thread asks ten times a second whether it is over.
  func testHangsAsync() async throws {
    try XCTSkipUnless(ProcessInfo.processInfo.environment["HANGS"] == "XCTestAsync")
    await withCheckedContinuation { never = $0 }
  }

  func testLeavesACycle() throws {
    try XCTSkipUnless(ProcessInfo.processInfo.environment["LEAVES_A_CIRCLE"] == "1")
    let (first, second) = (named("first"), named("second"))
    first.addDependency(second)
    second.addDependency(first)
    OperationQueue().addOperations([first, second], waitUntilFinished: false)
  }
}
