import OpTraceAnalysis
import OpTraceModel
import OpTraceProfile
import OpTraceText
import TestSupport
import Testing

@Suite("The text of profile")
struct ProfileTextTests {
  private func profile(_ trace: SampledTrace = .photos(), offProcessor: Bool = false) throws -> Profile {
    let trace = TraceBuilder.build(try TraceText.parse(trace.text))
    return offProcessor ? Profile(offProcessorOf: trace) : Profile(of: trace)
  }

  /// The text without the head, which is the same for all tables.
  private func tables(_ text: String) -> String {
    text.split(separator: "\n\n", maxSplits: 1).last.map(String.init) ?? ""
  }

  @Test("the default text has functions, then work")
  func functions() throws {
    #expect(
      ProfileText(try profile()).text(by: .functions) == """
        photos (pid 4711): 20.0 ms of processor time in 20 samples
          sampled: 1,000 a second of processor time; they stand for 83 % of the 24.0 ms that were used
          lost: 2 samples found no room
          stacks: 20 % cut, 10 % with guessed frames, 5 % not recorded
          system calls: their time in the kernel is not seen
          not sampled: 1 thread
          async callers: known for 100 % of the samples in tasks, from where these were suspended

        Functions
             self  share    total  share  function                 module     source
          6.00 ms   30 %  6.00 ms   30 %  clamp(_:)                Photos     main.swift:4
          4.00 ms   20 %  4.00 ms   20 %  walk(_:)                 Photos     main.swift:14
          3.00 ms   15 %  4.00 ms   20 %  closure #1 in store(_:)  Photos     main.swift:8
          3.00 ms   15 %  3.00 ms   15 %  fetch(_:)                Photos     main.swift:11
          2.00 ms   10 %  2.00 ms   10 %  inflate                  libz.so.1
          1.00 ms    5 %  1.00 ms    5 %  write                    libc.so.6
          1.00 ms    5 %  1.00 ms    5 %  [no stack]
                0    0 %  12.0 ms   60 %  Import.main()            Photos     main.swift:3
                0    0 %  8.00 ms   40 %  decode(_:)               Photos     main.swift:4
                0    0 %  4.00 ms   20 %  main                     Photos     main.swift:13
                0    0 %  3.00 ms   15 %  upload()                 Photos     main.swift:12

        The program's own functions, with the libraries that they call
             time  share    total  share  function                 source
          6.00 ms   30 %  6.00 ms   30 %  clamp(_:)                main.swift:4
          4.00 ms   20 %  4.00 ms   20 %  walk(_:)                 main.swift:14
          4.00 ms   20 %  4.00 ms   20 %  closure #1 in store(_:)  main.swift:8
          3.00 ms   15 %  3.00 ms   15 %  fetch(_:)                main.swift:11
          2.00 ms   10 %  8.00 ms   40 %  decode(_:)               main.swift:4

        Work
             time  share  work                                   queue             most in
          8.00 ms   40 %  operation Import                       imports  6.00 ms  clamp(_:)
          4.00 ms   20 %  thread main                                     4.00 ms  walk(_:)
          4.00 ms   20 %  block sync in closure #1 in store(_:)  db       4.00 ms  closure #1 in store(_:)
          3.00 ms   15 %  task task                                       3.00 ms  fetch(_:)
          1.00 ms    5 %  thread worker                                   1.00 ms  [no stack]

        """)
  }

  @Test("groups by work, thread and queue have their functions")
  func groups() throws {
    let text = ProfileText(try profile(), most: 3)
    #expect(
      tables(text.text(by: .work)) == """
        Work
             time  share  work                                   queue      of it  function
          8.00 ms   40 %  operation Import                       imports  6.00 ms  clamp(_:)
                                                                          2.00 ms  decode(_:)
          4.00 ms   20 %  thread main                                     4.00 ms  walk(_:)
          4.00 ms   20 %  block sync in closure #1 in store(_:)  db       4.00 ms  closure #1 in store(_:)
          and 2 more: see --top

        """)
    #expect(
      tables(text.text(by: .threads)) == """
        Threads
             time  share  thread              of it  function
          13.0 ms   65 %  worker (tid 102)  6.00 ms  clamp(_:)
                                            4.00 ms  closure #1 in store(_:)
                                            2.00 ms  decode(_:)
          4.00 ms   20 %  main (tid 4711)   4.00 ms  walk(_:)
          3.00 ms   15 %  worker (tid 103)  3.00 ms  fetch(_:)

        """)
    #expect(
      tables(text.text(by: .queues)) == """
        Queues
             time  share  queue          of it  function
          8.00 ms   40 %  imports      6.00 ms  clamp(_:)
                                       2.00 ms  decode(_:)
          5.00 ms   25 %  in no queue  4.00 ms  walk(_:)
          4.00 ms   20 %  db           4.00 ms  closure #1 in store(_:)
          and 1 more: see --top

        """)
  }

  @Test("the table of waiting has what was waited for")
  func waiting() throws {
    #expect(
      ProfileText(try profile(offProcessor: true)).text(by: .functions) == """
        photos (pid 4711): 18.0 ms of waiting in 3 waits
          measured, not sampled: from where threads waited and tasks were suspended; those of several at
            once add up
          stacks: 33 % not recorded, none cut, none with guessed frames
          not heard: waits for locks, files and sockets, 'sleep' outside of blocks and tasks, and a
            thread's turn on a processor; waits of less than 1 ms have no stack

        What was waited for
             time  share  reason
          14.0 ms   78 %  sleeps
          4.00 ms   22 %  waits for a thread

        Functions
             self  share    total  share  function    module  source
          16.0 ms   89 %  16.0 ms   89 %  fetch(_:)   Photos  main.swift:11
          2.00 ms   11 %  2.00 ms   11 %  [no stack]
                0    0 %  16.0 ms   89 %  upload()    Photos  main.swift:12

        The program's own functions, with the libraries that they call
             time  share    total  share  function   source
          16.0 ms   89 %  16.0 ms   89 %  fetch(_:)  main.swift:11

        Work
             time  share  work       queue           most in
          18.0 ms  100 %  task task         16.0 ms  fetch(_:)

        """)
  }

  @Test("the comparison has the changes")
  func compared() throws {
    let text = ProfileDifferenceText(from: try profile(), to: try profile(.photos(decodes: 25)), most: 3)
    #expect(
      text.text((before: "old", after: "new")) == """
        before: old, 20.0 ms of processor time in 20 samples
          sampled: 1,000 a second of processor time; they stand for 83 % of the 24.0 ms that were used
          lost: 2 samples found no room
          stacks: 20 % cut, 10 % with guessed frames, 5 % not recorded
          system calls: their time in the kernel is not seen
          not sampled: 1 thread
          async callers: known for 100 % of the samples in tasks, from where these were suspended
        after: new, 37.0 ms of processor time in 37 samples
          sampled: 1,000 a second of processor time; they stand for 154 % of the 24.0 ms that were used
          lost: 2 samples found no room
          stacks: 11 % cut, 16 % with guessed frames, 3 % not recorded
          system calls: their time in the kernel is not seen
          not sampled: 1 thread
          async callers: known for 100 % of the samples in tasks, from where these were suspended
          a change is marked '~' where chance explains it: it is less than twice what numbers of samples vary by

        Functions
          self before    after      change  total before    after      change  function       module     source
              6.00 ms  19.0 ms    +13.0 ms       6.00 ms  19.0 ms    +13.0 ms  clamp(_:)      Photos     main.swift:4
              2.00 ms  6.00 ms  ~ +4.00 ms       2.00 ms  6.00 ms  ~ +4.00 ms  inflate        libz.so.1
                    0        0           0       12.0 ms  29.0 ms    +17.0 ms  Import.main()  Photos     main.swift:3
          and 8 more: see --top

        Work
           before    after    change  work                                   queue
          8.00 ms  25.0 ms  +17.0 ms  operation Import                       imports
          4.00 ms  4.00 ms         0  thread main
          4.00 ms  4.00 ms         0  block sync in closure #1 in store(_:)  db
          and 2 more: see --top

        """)
  }

  @Test("the notes have sampling, loss, stacks, system calls, work and names")
  func notes() throws {
    #expect(ProfileNotes(try profile()).lines.contains("system calls: their time in the kernel is not seen"))
    #expect(ProfileNotes(try profile(.photos(kernel: true))).lines.contains("system calls: 5 % of the samples"))
    var bare = SampledTrace()
    bare.sampling(every: 10_101_010)
    bare.sample(1, 2, nil)
    #expect(
      ProfileNotes(try profile(bare)).lines == [
        "sampled: 99 a second of processor time; how much was used is not known", "lost: none",
        "stacks: none cut, none with guessed frames, 100 % not recorded",
        "system calls: their time in the kernel is not seen",
        "work: none of it is in an operation, a block or a task; 'optrace record --all' records blocks and tasks, too",
        "names: none of its code has one; 'optrace symbolicate' finds them",
      ])
  }
}
