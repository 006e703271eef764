import Foundation
import OpTrace
import OpTraceAnalysis
import OpTraceDiagnostics
import TestSupport
import Testing
import XCTest

/// The same calls in XCTest, which runs tests on the main thread.
final class XCTestUseTests: XCTestCase {
  func testABodyOfTheMainQueueIsServed() throws {
    XCTAssertTrue(Thread.isMainThread)
    let isMain = try withDeadlockDetection { _ in
      let isMain = Log<Bool>()
      OperationQueue.main.addOperation { isMain.add(Thread.isMainThread) }
      return try isMain.next()
    }
    XCTAssertTrue(isMain)
  }

  func testADeadlockIsThrown() throws {
    XCTAssertThrowsError(try withDeadlockDetection(after: .seconds(60)) { _ in waitForOneself() }) { error in
      XCTAssertEqual((error as? DeadlockError)?.findings.map(\.code), ["queue-self-wait"])
    }
  }

  func testNothingIsLeftBehind() throws {
    let folder = FileManager.default.temporaryDirectory
    let prefix = "optrace-\(ProcessInfo.processInfo.processIdentifier)-"
    let used = try withDeadlockDetection { recorder in
      XCTAssertTrue(recorder.isRecording)
      let queue = OperationQueue()
      queue.addOperation {}
      queue.waitUntilAllOperationsAreFinished()
      return recorder
    }
    XCTAssertFalse(used.isRecording)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(prefix) }
    XCTAssertEqual(left, [])
    // The hooks can be installed again.
    let scratch = try Scratch()
    let recorder = try scratch.recorder()
    XCTAssertNoThrow(try recorder.instrumentProcess())
    try recorder.stop()
  }

  func testAsynchronousBodies() async throws {
    let value = try await withDeadlockDetection { _ in
      await Task.yield()
      return 7
    }
    XCTAssertEqual(value, 7)
  }
}
