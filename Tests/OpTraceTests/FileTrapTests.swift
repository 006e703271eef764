import COpTrace
import CRecorderInside
import Foundation
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

@testable import OpTrace

/// Other files at the trace's path, and programs that damage the file.
@Suite(.ownThread) struct FileTrapTests {
  @Test func closedTraceIsReplacedByANewFile() throws {
    let scratch = try Scratch()
    let url = scratch.file()
    try TraceRecorder(writingTo: url).stop()
    let old = try #require(FileHandle(forReadingAtPath: url.path))
    let before = try FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber] as? Int
    let recorder = try TraceRecorder(writingTo: url)
    recorder.mark("second")
    try recorder.stop()
    let after = try FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber] as? Int
    #expect(recorder.url == url && before != after)
    #expect(try TraceReader.read(path: url.path).marks.map(\.name) == ["second"])
    // A reader that has the old file open still sees all of it.
    let bytes = try #require(try old.readToEnd())
    #expect(try TraceReader.read(bytes: Array(bytes)).marks == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path) == ["run.optrace"])
  }

  @Test func liveTraceIsLeftAlone() throws {
    let scratch = try Scratch()
    let first = try TraceRecorder(writingTo: scratch.file())
    let second = try TraceRecorder(writingTo: scratch.file())
    let third = try TraceRecorder(writingTo: scratch.file())
    #expect(
      [first, second, third].map(\.url.lastPathComponent) == ["run.optrace", "run-2.optrace", "run-3.optrace"])
    for (index, recorder) in [first, second, third].enumerated() {
      recorder.mark("\(index)")
      try recorder.stop()
      #expect(try TraceReader.read(path: recorder.url.path).marks.map(\.name) == ["\(index)"])
    }
  }

  @Test func emptyFileIsReplacedAndOthersAreNot() throws {
    let scratch = try Scratch()
    try Data().write(to: scratch.file("empty"))
    try TraceRecorder(writingTo: scratch.file("empty")).stop()
    try Data("precious".utf8).write(to: scratch.file("notes.txt"))
    let error = #expect(throws: TraceRecorderError.self) { try TraceRecorder(writingTo: scratch.file("notes.txt")) }
    let path = scratch.file("notes.txt").path
    #expect(error?.code == .notATrace)
    #expect(error?.description == "'\(path)' exists and is not a trace: choose another name or remove it")
    #expect(try Data(contentsOf: scratch.file("notes.txt")) == Data("precious".utf8))
  }

  @Test func symbolicLinkIsNotFollowed() throws {
    let scratch = try Scratch()
    try TraceRecorder(writingTo: scratch.file("target")).stop()
    let before = try Data(contentsOf: scratch.file("target"))
    try FileManager.default.createSymbolicLink(at: scratch.file("link"), withDestinationURL: scratch.file("target"))
    #expect(throws: TraceRecorderError.self) { try TraceRecorder(writingTo: scratch.file("link")) }
    #expect(try Data(contentsOf: scratch.file("target")) == before)
  }

  @Test func missingFolderAndFolderAsPathAreErrors() throws {
    let scratch = try Scratch()
    let missing = scratch.file("no/such/run.optrace")
    let error = #expect(throws: TraceRecorderError.self) { try TraceRecorder(writingTo: missing) }
    #expect(error?.code == .cannotCreate && error?.errno == ENOENT)
    #expect(error?.description == "cannot create the trace '\(missing.path)': No such file or directory")
    #expect(throws: TraceRecorderError.self) { try TraceRecorder(writingTo: scratch.folder) }
  }

  @Test func sizeLimitIsCountedLoss() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file(), configuration: .init(sizeLimit: 128 * 1024))
    for index in 0..<20_000 { recorder.mark("mark \(index)") }
    let lost = recorder.lostRecordCount
    try recorder.stop()
    #expect(recorder.lostRecordCount == lost)
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.marks.count + lost == 20_000 && lost > 0)
    #expect(trace.loss.lost == [.sizeLimit: UInt64(lost)] && trace.loss.damage == [])
    // The first events are kept, in order. After a tenth of a second the recorder tries again: the little space that is
    // left takes a few more, after a gap.
    let numbers = trace.marks.compactMap { Int($0.name.dropFirst(5)) }
    #expect(numbers.count == trace.marks.count && zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    #expect(numbers.starts(with: 0..<1000))
    let size = try FileManager.default.attributesOfItem(atPath: scratch.file().path)[.size] as? Int
    #expect((size ?? .max) <= 128 * 1024)
  }

  @Test func descriptorThatTheProgramClosedAndReusedIsLeftAlone() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file())
    recorder.mark("before")
    let descriptor = test_descriptor(recorder.core)
    let other = open(scratch.file("other").path, O_RDWR | O_CREAT, 0o600)
    #expect(dup2(other, descriptor) == descriptor)
    close(other)
    for _ in 0..<50_000 { recorder.mark("filler") }
    let lost = recorder.lostRecordCount
    #expect(lost > 0)
    let error = #expect(throws: TraceRecorderError.self) { try recorder.stop() }
    #expect(error?.code == .cannotClose)
    #expect(try Data(contentsOf: scratch.file("other")).isEmpty)
    #expect(fcntl(descriptor, F_GETFD) != -1, "the program's own file was closed")
    close(descriptor)
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.marks.first?.name == "before" && trace.marks.count + lost == 50_001)
    #expect(trace.loss.damage == [] && !trace.header.isClosed)
  }

  @Test func deletedFileIsStillWritten() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file())
    try FileManager.default.removeItem(at: scratch.file())
    for _ in 0..<20_000 { recorder.mark("nobody will read this") }
    #expect(recorder.lostRecordCount == 0)
    try recorder.stop()
    #expect(!FileManager.default.fileExists(atPath: scratch.file().path))
  }

  @Test func stopTwiceAndRecordingAfterwardsAreHarmless() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file())
    let queue = TracedOperationQueue(name: "q", recorder: recorder)
    queue.addOperations([SyncWork { _ in }], waitUntilFinished: true)
    try recorder.stop()
    try recorder.stop()
    #expect(!recorder.isRecording)
    queue.addOperations([SyncWork { _ in }], waitUntilFinished: true)
    recorder.mark("late")
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.operations.count == 1 && trace.marks == [] && recorder.lostRecordCount == 0)
  }
}
