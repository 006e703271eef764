#if os(Linux)
  import Foundation
  import OpTraceModel

  /// A terminal of 24 rows and 80 columns. The program has one side, the test the other.
  struct PseudoTerminal: ~Copyable {
    let master: OwnedDescriptor
    let terminal: OwnedDescriptor

    struct NoTerminal: Error {}

    init() throws {
      // TIOCSPTLCK unlocks the other side, TIOCGPTN returns its number. Swift does not import these macros.
      var (locked, number) = (Int32(0), Int32(0))
      guard let master = OwnedDescriptor(open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)),
        ioctl(master.number, 0x4004_5431, &locked) == 0, ioctl(master.number, 0x8004_5430, &number) == 0,
        let terminal = OwnedDescriptor(open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC))
      else { throw NoTerminal() }
      self.master = master
      self.terminal = terminal
      resize(columns: 80, rows: 24)
    }

    /// Changes the size. A program with another controlling terminal gets no signal, so the caller has to send it.
    func resize(columns: Int, rows: Int) {
      var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
      _ = ioctl(terminal.number, UInt(TIOCSWINSZ), &size)
    }

    /// Types keys.
    func type(_ text: String) {
      let bytes = Array(text.utf8)
      _ = write(master.number, bytes, bytes.count)
    }

    /// The output within `patience` milliseconds. Empty if there is none.
    func readNow(patience: Int32 = 100) -> [UInt8] {
      var wanted = pollfd(fd: master.number, events: Int16(POLLIN), revents: 0)
      guard poll(&wanted, 1, patience) > 0 else { return [] }
      var piece = [UInt8](repeating: 0, count: 4096)
      let count = read(master.number, &piece, piece.count)
      return count > 0 ? Array(piece[..<count]) : []
    }
  }
#endif
