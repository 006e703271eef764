#if os(Linux)
  import CRecorderInside
  import Testing

  /// What a task waits for is read from private fields of the Swift runtime, after checking their layout.
  @Suite struct TaskPlacesTests {
    /// `suspended_for_executor`.
    private let toExecutor: UInt32 = 4

    @Test func taskWithTheKnownLayoutIsRead() {
      for before in [0, 100] {
        let reading = test_read_task(1, -1, 0, Int32(before))
        #expect(reading.fits && reading.reason == toExecutor && reading.functions == 2 && reading.fits_ever)
      }
    }

    /// Null, odd and unmapped addresses, an unknown kind, a field of another task, and data in place of code.
    @Test(
      arguments: [
        (20, 0), (20, 12_345), (20, 0x10000), (44, 9), (44, 0), (45, 64), (7, 64), (8, 24), (48, 0x10000), (49, 64),
      ]
        as [(Int32, UInt64)])
    func taskWithAnotherLayoutEndsTheReading(_ word: Int32, _ value: UInt64) {
      let reading = test_read_task(1, word, value, 3)
      #expect(!reading.fits && reading.reason == 0 && reading.functions == 0 && !reading.fits_ever)
    }

    @Test(arguments: [(44, 9), (45, 64)] as [(Int32, UInt64)])
    func otherLayoutAfterManyKnownOnesEndsTheReading(_ word: Int32, _ value: UInt64) {
      let reading = test_read_task(1, word, value, 100)
      #expect(!reading.fits && reading.reason == 0 && !reading.fits_ever)
    }
  }
#endif
