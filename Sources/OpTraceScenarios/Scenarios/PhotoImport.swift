internal import Foundation
internal import OpTrace

extension Scenario {
  static let photoImport = Scenario(
    "photo-import",
    "27 operations on three queues, from the server through the images into the database (--stuck: with a cycle).",
    options: [.stuck, .timeout]
  ) { run in
    let program = PhotoImport(run)
    program.connect()
    if run.settings.isStuck { program.connectSessionInACycle() } else { program.connectSession() }
    program.deselectLastPhoto()
    program.start()
    if run.settings.isStuck {
      run.keepForever(program.everything)
      Thread.sleep(forTimeInterval: run.settings.timeout ?? run.paced(2.6))
      run.say("Gave up: \(program.unfinishedCount) operations are unfinished.")
    } else {
      program.waitUntilDone()
    }
  }
}

/// Sendable: `onBegin` is set before the operation is given away.
private final class Download: Request, @unchecked Sendable {
  var onBegin: (@Sendable (Download) -> Void)?

  override func execute() {
    super.execute()
    onBegin?(self)
  }
}

private final class Decode: Step, @unchecked Sendable {}
private final class Thumbnail: Step, @unchecked Sendable {}
private final class Transaction: Step, @unchecked Sendable {}

/// The operations of the import, and what depends on what.
private final class PhotoImport {
  private let run: ScenarioRun
  private let network: TracedOperationQueue
  private let imaging: TracedOperationQueue
  private let store: TracedOperationQueue

  private let fetchManifest: Request
  private let parseManifest: Step
  private let downloads: [Download]
  private let decodes: [Decode]
  private let thumbnails: [Thumbnail]
  private let buildIndex: Transaction
  private let detectFaces: Step
  private let openDatabase: Transaction
  private let migrate: Transaction
  private let insertRows: Transaction
  private let commit: Transaction
  private let uploadFaces: Request
  private let syncLock: Transaction
  private let refreshToken: Request
  private let saveSession: Transaction
  private let notify: Transaction

  init(_ run: ScenarioRun) {
    self.run = run
    network = TracedOperationQueue(name: "network", maxConcurrentOperationCount: 4, recorder: run.recorder)
    imaging = TracedOperationQueue(name: "imaging", maxConcurrentOperationCount: 2, recorder: run.recorder)
    store = TracedOperationQueue(name: "store", maxConcurrentOperationCount: 1, recorder: run.recorder)

    fetchManifest = Request("FetchManifest", seconds: run.paced(0.42))
    parseManifest = Step("ParseManifest", seconds: run.paced(0.05))
    downloads = [0.83, 0.5, 1.23, 0.27, 0.95].enumerated().map {
      Download("Download \($0 + 1)", seconds: run.paced($1))
    }
    decodes = [0.28, 0.26, 0.39, 0.22, 0.3].enumerated().map { Decode("Decode \($0 + 1)", seconds: run.paced($1)) }
    thumbnails = [0.11, 0.13, 0.12, 0.1].enumerated().map { Thumbnail("Thumbnail \($0 + 1)", seconds: run.paced($1)) }
    buildIndex = Transaction("BuildIndex", seconds: run.paced(0.4))
    detectFaces = Step("DetectFaces", seconds: run.paced(0.52))
    openDatabase = Transaction("OpenDatabase", seconds: run.paced(0.18))
    migrate = Transaction("Migrate v7", seconds: run.paced(0.34))
    insertRows = Transaction("InsertRows", seconds: run.paced(0.12))
    commit = Transaction("CommitTxn", seconds: run.paced(0.06))
    uploadFaces = Request("UploadFaces", seconds: run.paced(0.18))
    syncLock = Transaction("SyncLock", seconds: run.paced(0.05))
    refreshToken = Request("RefreshToken", seconds: run.paced(0.12))
    saveSession = Transaction("SaveSession", seconds: run.paced(0.06))
    notify = Transaction("NotifyUI", seconds: run.paced(0.03))
  }

  func connect() {
    parseManifest.addDependency(fetchManifest)
    for download in downloads { download.addDependency(parseManifest) }
    for (decode, download) in zip(decodes, downloads) { decode.addDependency(download) }
    for (thumbnail, decode) in zip(thumbnails, decodes) { thumbnail.addDependency(decode) }
    for operation in thumbnails + [migrate] { buildIndex.addDependency(operation) }
    detectFaces.addDependency(decodes[2])
    migrate.addDependency(openDatabase)
    insertRows.addDependency(buildIndex)
    commit.addDependency(insertRows)
    uploadFaces.addDependency(detectFaces)
    syncLock.addDependency(migrate)
    refreshToken.addDependency(fetchManifest)
    notify.addDependency(commit)
    notify.addDependency(uploadFaces)
  }

  /// The session is saved with the new token, under the lock.
  func connectSession() {
    saveSession.addDependency(refreshToken)
    saveSession.addDependency(syncLock)
  }

  /// The fault: the token is refreshed under the lock, and the lock is taken when the session is saved, which needs the
  /// token. Each line makes sense by itself.
  func connectSessionInACycle() {
    refreshToken.addDependency(syncLock)
    saveSession.addDependency(refreshToken)
    syncLock.addDependency(saveSession)
  }

  func start() {
    // Added in this order, which is that of their numbers.
    network.addOperation(fetchManifest)
    imaging.addOperation(parseManifest)
    network.addOperations(downloads, waitUntilFinished: false)
    imaging.addOperations(decodes + thumbnails + [detectFaces], waitUntilFinished: false)
    store.addOperations([openDatabase, migrate, buildIndex, insertRows, commit], waitUntilFinished: false)
    network.addOperation(uploadFaces)
    store.addOperations([syncLock, saveSession, notify], waitUntilFinished: false)
    network.addOperation(refreshToken)
  }

  /// The user deselects the fifth photo while it is on its way.
  func deselectLastPhoto() {
    downloads[4].onBegin = { [run, decode = decodes[4]] download in
      Callbacks.shared.after(run.paced(0.2)) {
        run.say("Photo 5 is deselected.")
        decode.cancel()
        download.cancel()
      }
    }
  }

  func waitUntilDone() {
    for queue in [network, imaging, store] { queue.waitUntilAllOperationsAreFinished() }
    run.say("4 photos are imported.")
  }

  var unfinishedCount: Int { [network, imaging, store].reduce(0) { $0 + $1.operationCount } }

  var everything: [AnyObject] { [network, imaging, store] + operations }

  private var operations: [Operation] {
    [fetchManifest, parseManifest] + downloads + decodes + thumbnails + [
      buildIndex, detectFaces, openDatabase, migrate, insertRows, commit, uploadFaces, syncLock, refreshToken,
      saveSession, notify,
    ]
  }
}
