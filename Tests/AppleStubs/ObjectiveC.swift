// What Apple's Objective-C runtime and Foundation declare, as far as OpTrace uses it: scripts/check-swift alone compiles this, for nothing
// ever runs it. After Apple's documentation.
#if canImport(Darwin)
  import Foundation

  struct Selector: Hashable {
    init(_ name: String) {}
  }
  func NSSelectorFromString(_ name: String) -> Selector { fatalError() }
  func NSStringFromSelector(_ selector: Selector) -> String { fatalError() }

  typealias IMP = OpaquePointer
  typealias Method = OpaquePointer
  func class_getInstanceMethod(_ type: AnyClass?, _ name: Selector) -> Method? { fatalError() }
  func class_getSuperclass(_ type: AnyClass?) -> AnyClass? { fatalError() }
  func class_getMethodImplementation(_ type: AnyClass?, _ name: Selector) -> IMP? { fatalError() }
  func method_getImplementation(_ method: Method) -> IMP { fatalError() }
  @discardableResult func method_setImplementation(_ method: Method, _ implementation: IMP) -> IMP { fatalError() }
  func method_getNumberOfArguments(_ method: Method) -> UInt32 { fatalError() }
  func method_copyReturnType(_ method: Method) -> UnsafeMutablePointer<CChar> { fatalError() }
  func method_copyArgumentType(_ method: Method, _ index: UInt32) -> UnsafeMutablePointer<CChar>? { fatalError() }
  func imp_implementationWithBlock(_ block: Any) -> IMP { fatalError() }

  enum objc_AssociationPolicy { case OBJC_ASSOCIATION_RETAIN, OBJC_ASSOCIATION_RETAIN_NONATOMIC }
  func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? { fatalError() }
  func objc_setAssociatedObject(_ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy)
  {}
  func objc_sync_enter(_ object: Any) -> Int32 { fatalError() }
  func objc_sync_exit(_ object: Any) -> Int32 { fatalError() }

  extension NSObject {
    func addObserver(
      _ observer: NSObject, forKeyPath path: String, options: NSKeyValueObservingOptions,
      context: UnsafeMutableRawPointer?
    ) {}
    func removeObserver(_ observer: NSObject, forKeyPath path: String) {}
    func removeObserver(_ observer: NSObject, forKeyPath path: String, context: UnsafeMutableRawPointer?) {}
  }
  struct NSKeyValueObservingOptions: OptionSet {
    let rawValue: UInt
    static let new = Self(rawValue: 1)
    static let old = Self(rawValue: 2)
    static let initial = Self(rawValue: 4)
    static let prior = Self(rawValue: 8)
  }
  struct NSKeyValueChangeKey: Hashable {
    static let newKey = Self()
    static let oldKey = Self()
    static let notificationIsPriorKey = Self()
  }
#endif
