#if os(Linux)
  import CRecorderInside
  import Testing

  /// What a task waits for is read from the runtime's private places, once these are proven.
  @Suite struct TaskPlacesTests {
    /// `suspended_for_executor`.
    private let toExecutor: UInt32 = 4

    @Test func aTaskOfTheKnownRuntimeIsRead() {
      for before in [0, 100] {
        let reading = test_read_task(-1, 0, Int32(before))
        #expect(reading.fits && reading.reason == toExecutor && reading.functions == 2 && reading.fits_ever)
      }
    }

    /// Null, odd, and where nothing is mapped; a kind that there is not; another task's; data for code.
    @Test(
      arguments: [(20, 0), (20, 12_345), (20, 0x10000), (44, 9), (44, 0), (45, 64), (8, 24), (48, 0x10000), (49, 64)]
        as [(Int32, UInt64)])
    func oneThatHasOtherPlacesDoesNoHarmAndIsTheLast(_ word: Int32, _ value: UInt64) {
      let reading = test_read_task(word, value, 3)
      #expect(!reading.fits && reading.reason == 0 && reading.functions == 0 && !reading.fits_ever)
    }

    @Test(arguments: [(44, 9), (45, 64)] as [(Int32, UInt64)])
    func soItIsAfterManyThatFit(_ word: Int32, _ value: UInt64) {
      let reading = test_read_task(word, value, 100)
      #expect(!reading.fits && reading.reason == 0 && !reading.fits_ever)
    }
  }
#endif
