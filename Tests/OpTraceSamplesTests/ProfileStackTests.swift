@testable import OpTraceKernel
@testable import OpTraceSamples
import OpTraceModel
import TestSupport
import Testing

@Suite("Samples: how stacks are shown")
struct ProfileStackTests {
  private let dispatch = "libdispatch.so!_dispatch_worker_thread"
  private let start = "libc.so.6!start_thread"
  private let job = "libswift_Concurrency.so!swift::runJobInEstablishedExecutorContext(swift::Job*)"

  private func trace(_ make: (inout SampledTrace) -> Void) throws -> Trace {
    var trace = SampledTrace()
    trace.sampling()
    make(&trace)
    return TraceBuilder.build(try TraceText.parse(trace.text))
  }

  /// Each sample's functions, outermost first; joined async callers stand before a `|`.
  private func stacks(_ profile: Profile) -> [String] {
    profile.samples.map { sample in
      let stack = profile.stacks[sample.stack]
      let names = stack.frames.map { profile.functions[profile.frames[$0].function].name }
      let joined = names.prefix(stack.joined).joined(separator: ";")
      return (stack.joined > 0 ? joined + "|" : "") + names.dropFirst(stack.joined).joined(separator: ";")
    }
  }

  private func stacks(_ stacks: [String]...) throws -> [String] {
    self.stacks(
      Profile(
        of: try trace { trace in
          for (time, names) in stacks.enumerated() { trace.sample(time, 2, trace.stack(names)) }
        }))
  }

  @Test("runtime frames that call the program's code are hidden, libraries that it calls are shown")
  func folded() throws {
    let shown = try stacks(
      [start, dispatch, "libFoundation.so!Operation.start()", "Load.main()", "libz.so.1!deflate"],
      [start, dispatch, "outer()", "libdispatch.so!_dispatch_sync_f_slow", "inner()", "libc.so.6!qsort", "less(_:_:)"],
      [start, dispatch, "outer()", "libdispatch.so!dispatch_async", "libc.so.6!write"],
      [start, dispatch],
      ["libc.so.6!__libc_start_main", "main", "libFoundation.so!JSONDecoder.decode(_:from:)", "Photo.init(from:)"])
    #expect(
      shown == [
        "Load.main();deflate", "outer();inner();qsort;less(_:_:)", "outer();dispatch_async;write",
        "start_thread;_dispatch_worker_thread", "main;JSONDecoder.decode(_:from:);Photo.init(from:)",
      ])
  }

  @Test("thunks and OpTrace's callers of program code are hidden; OpTrace's own time is one frame")
  func own() throws {
    let shown = try stacks(
      [start, "libOpTracePreload.so!run_marked", "closure #1 in f()", "reabstraction thunk", "map(_:)"],
      ["f()", "libOpTracePreload.so!hook", "libOpTracePreload.so!record"],
      ["reabstraction thunk"])
    #expect(shown == ["closure #1 in f();map(_:)", "f();OpTrace", "[no stack]"])
  }

  @Test("inlined functions are frames; unnamed code of a library is one function")
  func inlined() throws {
    let profile = Profile(
      of: try trace { trace in
        trace.sample(0, 2, trace.stack(["load()>map(_:)>twice(_:)"]))
        trace.sample(1, 2, trace.stack(["load()", "libz.so.1!", "libz.so.1!", "libc.so.6!memcpy"]))
        trace.sample(2, 2, nil)
      })
    #expect(stacks(profile) == ["load();map(_:);twice(_:)", "load();libz.so.1;memcpy", "[no stack]"])
    #expect(
      profile.stacks[profile.samples[0].stack].frames.map { profile.frames[$0].isInlined } == [false, true, true])
    #expect(profile.functions.first { $0.name == "load()" }?.isOwn == true)
    #expect(profile.functions.first { $0.name == "load()" }?.line == 1)
    #expect(profile.functions.first { $0.name == "memcpy" }?.module == "libc.so.6")
    #expect(profile.facts.withoutStack == 1 && profile.stacks[profile.samples[2].stack].isCut)
  }

  @Test("truncated and guessed stacks, and samples in the kernel, are marked and counted")
  func marks() throws {
    let profile = Profile(
      of: try trace { trace in
        trace.sample(0, 2, trace.stack(["f()", "g()"], isCut: true))
        trace.sample(1, 2, trace.stack(["f()", "g()"], guessed: ["g()"]))
        trace.sample(2, 2, trace.stack(["f()", "libc.so.6!read"]), inKernel: true)
      })
    let marked = profile.samples.map { profile.stacks[$0.stack] }
    #expect(marked.map(\.isCut) == [true, false, false])
    #expect(marked.map(\.isGuessed) == [false, true, false])
    #expect(profile.samples.map(\.isInKernel) == [false, false, true])
    #expect([profile.facts.cut, profile.facts.guessed, profile.facts.inKernel] == [1, 1, 1])
  }

  @Test("each function, frame and stack occurs once in a profile")
  func once() throws {
    let profile = Profile(
      of: try trace { trace in
        for time in 0..<10 { trace.sample(time, 2, trace.stack(["f()", time % 2 == 0 ? "g()" : "h()"])) }
      })
    #expect(profile.functions.count == 3 && profile.frames.count == 3 && profile.stacks.count == 2)
    #expect(Set(profile.frames).count == 3 && Set(profile.stacks).count == 2)
  }

  @Test(
    "a symbol without a file counts for the function of its name; two files make two functions",
    arguments: [
      ["", "a", "b"], ["a", "", "b"], ["a", "b", ""],
    ])
  func files(files: [String]) throws {
    var text = TypedTrace().text("", in: .microseconds)
    text += "0 t0 image i1 page=16 pages=4 \"/opt/photos/photos\"\n0 t0 profile period=1000\n"
    for (index, file) in files.enumerated() {
      text += "0 t0 frame f\(index + 1) image=i1 offset=\(4096 + index * 16)\n"
      let at = file.isEmpty ? "" : "line=\(9 - index) file=\"/src/\(file).swift\" "
      text += "0 t0 symbol f\(index + 1) short=\"load()\" \(at)module=\"Photos\" \"load()\"\n"
    }
    for index in files.indices { text += "\(index + 1) t2 sampled f\(index + 1) age=0 thread=t2\n" }
    let profile = Profile(of: TraceBuilder.build(try TraceText.parse(text)))
    #expect(profile.functions.map(\.file) == ["/src/a.swift", "/src/b.swift"])
    #expect(profile.functionRows().map(\.own) == [2000, 1000])
  }

  // MARK: - Async callers

  /// A task runs from 10 to 20 and from 50 to 60; it was suspended with the stack `first`, then with `second`.
  private func task(
    _ first: [String]?, _ second: [String]?, sampled: [(Int, [String])]
  ) throws -> Profile {
    Profile(
      of: try trace { trace in
        let lines = [
          "0 t1 task #1 enqueued", "10 t2 task-run #1", "20 t2 task-suspended #1 reason=5",
          "50 t2 task-enqueued #1", "50 t2 task-run #1", "60 t2 task-suspended #1 reason=5",
        ]
        for (index, line) in lines.enumerated() {
          trace.add(line)
          if index == 2, let first { trace.add("20 t2 at \(trace.stack(first))") }
          if index == 5, let second { trace.add("60 t2 at \(trace.stack(second))") }
        }
        for (time, names) in sampled { trace.sample(time, 2, trace.stack(names)) }
      })
  }

  @Test("a running task has the async callers of its last suspension")
  func last() throws {
    let profile = try task(
      ["upload()", "fetch(_:)", "decode(_:)"], nil,
      sampled: [
        (55, [start, dispatch, job, "decode(_:)", "libz.so.1!inflate"]), (56, [start, dispatch, job, "fetch(_:)"]),
      ])
    #expect(stacks(profile) == ["upload();fetch(_:)|decode(_:);inflate", "upload()|fetch(_:)"])
    #expect(profile.facts.joined == 2 && profile.facts.inTasks == 2)
  }

  @Test("a stack that does not match the last suspension gets the callers of the next one, or none")
  func next() throws {
    let profile = try task(
      ["upload()", "fetch(_:)"], ["upload()", "store(_:)", "write(_:)"],
      sampled: [
        (15, [start, dispatch, job, "fetch(_:)", "f()"]), (55, [start, dispatch, job, "write(_:)"]),
        (56, [start, dispatch, job, "other()", "f()"]), (57, [start, dispatch, job, "upload()"]),
      ])
    #expect(
      stacks(profile) == ["upload()|fetch(_:);f()", "upload();store(_:)|write(_:)", "other();f()", "upload()"])
    #expect(profile.facts.joined == 2)
  }

  @Test("recursion joins at the nearest call; a block that the task runs by sync has the task's callers, too")
  func recursive() throws {
    let profile = try task(
      ["upload()", "walk(_:)", "walk(_:)", "read()"], nil,
      sampled: [
        (55, [start, job, "walk(_:)"]), (56, [start, job, "read()", "libdispatch.so!dispatch_sync", "block()"]),
      ])
    #expect(stacks(profile) == ["upload();walk(_:)|walk(_:)", "upload();walk(_:);walk(_:)|read();block()"])
  }

  @Test("thunks and frames without names are not joined")
  func nameless() throws {
    let profile = try task(
      ["upload()", "reabstraction thunk"], nil,
      sampled: [
        (55, [start, job, "reabstraction thunk", "f()"]), (56, [start, "libswift_Concurrency.so!", "libz.so.1!"]),
      ])
    #expect(profile.facts.joined == 0)
    #expect(stacks(profile)[0] == "f()")
  }

  @Test("a cycle of callers or a missing caller in a damaged trace ends the stack")
  func damaged() throws {
    let head = TypedTrace().text("", in: .microseconds)
    let text =
      head + """
        0 t0 image i1 page=16 pages=4 "/opt/photos/photos"
        0 t0 profile period=1000
        0 t0 frame f1 image=i1 offset=4096 caller=f2
        0 t0 frame f2 image=i1 offset=4112 caller=f1
        0 t0 frame f3 image=i1 offset=4128 caller=f9
        10 t2 sampled f1 age=0 thread=t2
        20 t2 sampled f3 age=0 thread=t2
        30 t2 sampled f77 age=0 thread=t9

        """
    let profile = Profile(of: TraceBuilder.build(try TraceText.parse(text)))
    #expect(stacks(profile) == ["photos+0x1010;photos+0x1000", "photos+0x1020", "[no stack]"])
    #expect(profile.samples.allSatisfy { profile.stacks[$0.stack].isCut })
    #expect(profile.threads[ThreadID(9)] == Profile.Thread(name: "thread 9", systemID: 0))
  }
}
