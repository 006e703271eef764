// What Apple's Objective-C runtime and Foundation declare, as far as OpTrace uses it: scripts/check-swift alone compiles this, for nothing
// ever runs it. After Apple's documentation.
#if canImport(Darwin)
  import Foundation

  enum objc_AssociationPolicy { case OBJC_ASSOCIATION_RETAIN, OBJC_ASSOCIATION_RETAIN_NONATOMIC }
  func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? { fatalError() }
  func objc_setAssociatedObject(_ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy)
  {}

  extension NSObject {
    func addObserver(
      _ observer: NSObject, forKeyPath path: String, options: NSKeyValueObservingOptions,
      context: UnsafeMutableRawPointer?
    ) {}
    func removeObserver(_ observer: NSObject, forKeyPath path: String) {}
  }
  struct NSKeyValueObservingOptions: OptionSet {
    let rawValue: UInt
  }
  struct NSKeyValueChangeKey: Hashable {}
#endif
