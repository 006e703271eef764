#if canImport(Darwin)
  internal import Foundation
  internal import ObjectiveC

  /// A method of a Foundation class that gets an implementation of ours, which calls the original one.
  struct MethodExchange {
    let type: AnyClass
    let selector: Selector
    /// The types of the result and of the arguments after the selector, in the runtime's encoding; `B` for both forms
    /// of `BOOL`.
    let encoding: String
    /// Returns the block that replaces an implementation.
    let replacement: (IMP) -> AnyObject

    private struct Exchanged {
      let original: IMP
      let ours: IMP
    }

    /// Only touched under the lock of ``HookUse``.
    nonisolated(unsafe) private static var exchanged: [Method: Exchanged] = [:]

    /// Exchanges all of them. If that fails, nothing is changed, and the result says why.
    static func install(_ exchanges: [MethodExchange]) -> String? {
      var found: [(method: Method, exchange: MethodExchange)] = []
      for exchange in exchanges {
        guard let method = class_getInstanceMethod(exchange.type, exchange.selector),
          method != class_getInstanceMethod(class_getSuperclass(exchange.type), exchange.selector),
          encoding(of: method) == exchange.encoding
        else {
          let name = "-[\(NSStringFromClass(exchange.type)) \(NSStringFromSelector(exchange.selector))]"
          return "this Foundation lacks \(name), or it takes other arguments"
        }
        found.append((method, exchange))
      }
      // One that could not be restored the last time still calls ours.
      for (method, exchange) in found where exchanged[method] == nil {
        let original = method_getImplementation(method)
        let ours = imp_implementationWithBlock(exchange.replacement(original))
        method_setImplementation(method, ours)
        exchanged[method] = Exchanged(original: original, ours: ours)
      }
      return nil
    }

    /// Restores the originals wherever ours are still installed. If somebody exchanged a method after us, theirs calls
    /// ours, which only calls the original. Our implementations are kept for good: a thread may be inside one.
    static func remove() {
      for (method, entry) in exchanged where method_getImplementation(method) == entry.ours {
        method_setImplementation(method, entry.original)
        exchanged[method] = nil
      }
    }

    private static func encoding(of method: Method) -> String {
      var text = taken(method_copyReturnType(method))
      for index in 2..<max(2, method_getNumberOfArguments(method)) {
        text += taken(method_copyArgumentType(method, index))
      }
      return text
    }

    private static func taken(_ encoding: UnsafeMutablePointer<CChar>?) -> String {
      guard let encoding else { return "" }
      defer { free(encoding) }
      let text = String(cString: encoding)
      return text == "c" ? "B" : text
    }
  }

  /// One for each list of arguments, because C calls have no generic types. `proceed` is the original method.
  extension MethodExchange {
    static func plain<Receiver: NSObject>(
      _ name: String, _ hook: @escaping (_ self: Receiver, _ proceed: () -> Void) -> Void
    ) -> Self {
      let selector = NSSelectorFromString(name)
      return Self(type: Receiver.self, selector: selector, encoding: "v") { imp in
        let original = unsafeBitCast(imp, to: (@convention(c) (NSObject, Selector) -> Void).self)
        let block: @convention(block) (NSObject) -> Void = { object in
          let proceed = { original(object, selector) }
          if let receiver = object as? Receiver { hook(receiver, proceed) } else { proceed() }
        }
        return unsafeBitCast(block, to: AnyObject.self)
      }
    }

    static func object<Receiver: NSObject>(
      _ name: String, _ hook: @escaping (_ self: Receiver, _ value: AnyObject?, _ proceed: () -> Void) -> Void
    ) -> Self {
      let selector = NSSelectorFromString(name)
      return Self(type: Receiver.self, selector: selector, encoding: "v@") { imp in
        let original = unsafeBitCast(imp, to: (@convention(c) (NSObject, Selector, AnyObject?) -> Void).self)
        let block: @convention(block) (NSObject, AnyObject?) -> Void = { object, value in
          let proceed = { original(object, selector, value) }
          if let receiver = object as? Receiver { hook(receiver, value, proceed) } else { proceed() }
        }
        return unsafeBitCast(block, to: AnyObject.self)
      }
    }

    typealias Block = @convention(block) @Sendable () -> Void

    /// A block may be on the caller's stack, so it has its own type, for the compiler to copy it.
    static func block<Receiver: NSObject>(
      _ name: String,
      _ hook: @escaping (_ self: Receiver, _ block: @escaping Block, _ proceed: (@escaping Block) -> Void) -> Void
    ) -> Self {
      let selector = NSSelectorFromString(name)
      return Self(type: Receiver.self, selector: selector, encoding: "v@?") { imp in
        let original = unsafeBitCast(imp, to: (@convention(c) (NSObject, Selector, @escaping Block) -> Void).self)
        let block: @convention(block) (NSObject, @escaping Block) -> Void = { object, value in
          let proceed = { (block: @escaping Block) in original(object, selector, block) }
          if let receiver = object as? Receiver { hook(receiver, value, proceed) } else { proceed(value) }
        }
        return unsafeBitCast(block, to: AnyObject.self)
      }
    }

    static func integer<Receiver: NSObject>(
      _ name: String, _ hook: @escaping (_ self: Receiver, _ value: Int, _ proceed: () -> Void) -> Void
    ) -> Self {
      let selector = NSSelectorFromString(name)
      return Self(type: Receiver.self, selector: selector, encoding: "vq") { imp in
        let original = unsafeBitCast(imp, to: (@convention(c) (NSObject, Selector, Int) -> Void).self)
        let block: @convention(block) (NSObject, Int) -> Void = { object, value in
          let proceed = { original(object, selector, value) }
          if let receiver = object as? Receiver { hook(receiver, value, proceed) } else { proceed() }
        }
        return unsafeBitCast(block, to: AnyObject.self)
      }
    }

    static func flag<Receiver: NSObject>(
      _ name: String, _ hook: @escaping (_ self: Receiver, _ value: Bool, _ proceed: () -> Void) -> Void
    ) -> Self {
      let selector = NSSelectorFromString(name)
      return Self(type: Receiver.self, selector: selector, encoding: "vB") { imp in
        let original = unsafeBitCast(imp, to: (@convention(c) (NSObject, Selector, ObjCBool) -> Void).self)
        let block: @convention(block) (NSObject, ObjCBool) -> Void = { object, value in
          let proceed = { original(object, selector, value) }
          if let receiver = object as? Receiver { hook(receiver, value.boolValue, proceed) } else { proceed() }
        }
        return unsafeBitCast(block, to: AnyObject.self)
      }
    }

    static func arrayAndFlag<Receiver: NSObject>(
      _ name: String, _ hook: @escaping (_ self: Receiver, _ array: NSArray, _ proceed: () -> Void) -> Void
    ) -> Self {
      let selector = NSSelectorFromString(name)
      return Self(type: Receiver.self, selector: selector, encoding: "v@B") { imp in
        let original = unsafeBitCast(imp, to: (@convention(c) (NSObject, Selector, NSArray, ObjCBool) -> Void).self)
        let block: @convention(block) (NSObject, NSArray, ObjCBool) -> Void = { object, array, flag in
          let proceed = { original(object, selector, array, flag) }
          if let receiver = object as? Receiver { hook(receiver, array, proceed) } else { proceed() }
        }
        return unsafeBitCast(block, to: AnyObject.self)
      }
    }
  }
#endif
