#if canImport(Darwin)
  internal import COpTrace
  internal import Foundation
  internal import ObjectiveC
  internal import OpTraceFormat

  /// What the recorder knows of an object that is not ours. It is associated with the object, and released with it.
  ///
  /// Finding it takes a lock of the Objective-C runtime for a few instructions, because the object itself has no room
  /// for it.
  protocol ObjectCompanion: AnyObject {
    init()
  }

  extension ObjectCompanion {
    /// The class's own address is the key.
    private static var key: UnsafeRawPointer { unsafeBitCast(Self.self as AnyClass, to: UnsafeRawPointer.self) }

    static func known(_ object: NSObject) -> Self? { objc_getAssociatedObject(object, key) as? Self }

    static func of(_ object: NSObject) -> Self {
      if let known = known(object) { return known }
      return companionsLock.withLock {
        if let known = known(object) { return known }
        let companion = Self()
        // Never replaced, so it need not be retained; an autoreleased companion would outlive its object.
        objc_setAssociatedObject(object, key, companion, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        return companion
      }
    }
  }

  /// Held while an object gets its companion.
  private let companionsLock = Lock()

#endif
