#if CLI && os(Linux)
  import Foundation
  import OpTraceModel

  /// A terminal of 24 rows and 80 columns: a program has the one side, the test the other.
  struct PseudoTerminal: ~Copyable {
    let master: OwnedDescriptor
    let terminal: OwnedDescriptor

    struct NoTerminal: Error {}

    init() throws {
      // To unlock the other side, and its number: TIOCSPTLCK and TIOCGPTN, which are macros that Swift does not see.
      var (locked, number) = (Int32(0), Int32(0))
      guard let master = OwnedDescriptor(open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)),
        ioctl(master.number, 0x4004_5431, &locked) == 0, ioctl(master.number, 0x8004_5430, &number) == 0,
        let terminal = OwnedDescriptor(open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC))
      else { throw NoTerminal() }
      var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
      _ = ioctl(terminal.number, UInt(TIOCSWINSZ), &size)
      self.master = master
      self.terminal = terminal
    }
  }
#endif
