// Where Apple's C library declares something in another way than glibc; see ObjectiveC.swift.
#if canImport(Darwin)
  import Foundation
  import Glibc

  extension stat {
    var st_mtimespec: timespec { st_mtim }
  }
  extension sigaction {
    struct Handlers {
      let __sa_handler: (@convention(c) (Int32) -> Void)?
    }
    var __sigaction_u: Handlers { Handlers(__sa_handler: __sigaction_handler.sa_handler) }
  }
  let SOCK_STREAM: Int32 = 1
  let RLIMIT_CPU: Int32 = 0
  let RLIMIT_DATA: Int32 = 2
  let RLIMIT_CORE: Int32 = 4
  let POSIX_SPAWN_SETSID: Int32 = 0x0400
  let SO_NOSIGPIPE: Int32 = 0x1022

  // Pointers there, and structures here.
  typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
  typealias posix_spawnattr_t = UnsafeMutableRawPointer
  typealias FileActions = UnsafeMutablePointer<posix_spawn_file_actions_t?>
  typealias Attributes = UnsafeMutablePointer<posix_spawnattr_t?>
  @discardableResult func posix_spawn_file_actions_init(_ actions: FileActions) -> Int32 { fatalError() }
  @discardableResult func posix_spawn_file_actions_destroy(_ actions: FileActions) -> Int32 { fatalError() }
  @discardableResult func posix_spawn_file_actions_addclose(_ actions: FileActions, _ file: Int32) -> Int32 {
    fatalError()
  }
  @discardableResult func posix_spawn_file_actions_adddup2(
    _ actions: FileActions, _ file: Int32, _ other: Int32
  ) -> Int32 { fatalError() }
  @discardableResult func posix_spawn_file_actions_addopen(
    _ actions: FileActions, _ file: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t
  ) -> Int32 { fatalError() }
  @discardableResult func posix_spawnattr_init(_ attributes: Attributes) -> Int32 { fatalError() }
  @discardableResult func posix_spawnattr_destroy(_ attributes: Attributes) -> Int32 { fatalError() }
  @discardableResult func posix_spawnattr_setflags(_ attributes: Attributes, _ flags: Int16) -> Int32 { fatalError() }
  @discardableResult func posix_spawnattr_setsigmask(_ attributes: Attributes, _ mask: UnsafePointer<sigset_t>) -> Int32
  { fatalError() }
  @discardableResult func posix_spawnattr_setsigdefault(
    _ attributes: Attributes, _ set: UnsafePointer<sigset_t>
  ) -> Int32 { fatalError() }
  func posix_spawn(
    _ process: UnsafeMutablePointer<pid_t>?, _ path: UnsafePointer<CChar>,
    _ actions: UnsafePointer<posix_spawn_file_actions_t?>?,
    _ attributes: UnsafePointer<posix_spawnattr_t?>?, _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>,
    _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>?
  ) -> Int32 { fatalError() }
  func posix_spawnp(
    _ process: UnsafeMutablePointer<pid_t>?, _ path: UnsafePointer<CChar>,
    _ actions: UnsafePointer<posix_spawn_file_actions_t?>?,
    _ attributes: UnsafePointer<posix_spawnattr_t?>?, _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>,
    _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>?
  ) -> Int32 { fatalError() }
#endif
