// What scripts/make-gallery says of each program in words of ours. The rest comes from the command: what a program prints, what the
// doctor finds, what a code means.

/**
 * Healthy programs, by their group on the page: `caption` is what to see in the picture; `trace` the sample's name if it is not the
 * program's.
 */
export const samples = [
  {
    title: 'How a run looks',
    programs: [
      {name: 'photo-import', caption: 'Three queues as lanes. The violet path decided the end. One of five downloads waits for a slot (amber), and *Decode 5* never ran: its photo was deselected.'},
      {name: 'i-love-u', caption: 'Three words are looked up at the same time, and *Print sentence* waits for all of them.'},
      {name: 'i-love-u', trace: 'i-love-u-limit-1', options: '--limit 1', caption: 'The same with one slot takes three times as long. Waiting for dependencies (grey) became waiting for the slot (amber).'},
      {name: 'diamond', caption: 'A and B lead to C; C and D lead to E. The path is B, C, E, because B takes longer than A.'},
      {name: 'cross-queue', caption: 'Dependencies cross lanes: from the network to the store and back.'},
    ],
  },
  {
    title: 'Limits, priorities, barriers',
    programs: [
      {name: 'serial-vs-concurrent', caption: 'The same four requests twice: in the serial queue each waits for the one before (amber), in the other all run at once.'},
      {name: 'priorities', caption: 'The most urgent operation depends on the least urgent one, so it ends last, whatever its priority.'},
      {name: 'barrier', caption: 'The writer runs alone, after all readers before it and before all behind it.'},
      {name: 'suspend-resume', caption: 'Two slots are free, and two operations still wait: the queue is suspended almost to the end.'},
    ],
  },
  {
    title: 'Asynchronous work, blocks, threads',
    programs: [
      {name: 'async-wait', caption: '*Hasty download* ends at once, before its data has arrived; *Patient download* waits for it.'},
      {name: 'custom-concurrent', caption: 'Operations with their own threads. The cancelled one runs until its loop checks.'},
      {name: 'block-fan-out', caption: 'One operation with four blocks, which run on free threads.'},
      {name: 'main-hop', caption: 'Two lanes: work in the background, and the main queue, which shows its result.'},
      {name: 'tickets', caption: 'Two windows sell tickets under one lock. The graph does not show the lock; the [timeline](pictures.md#the-timeline) has the spans *wait for the lock*.'},
    ],
  },
  {
    title: 'Cancelling',
    programs: [
      {name: 'upload-cancel', caption: 'One upload was cancelled while it executed, one before its start: it took no time.'},
      {name: 'cancel-all', caption: 'One noticed that it was cancelled, those behind it never began, and the one added later ran.'},
    ],
  },
  {
    title: 'Stuck',
    programs: [
      {name: 'deadlock', caption: 'Three operations in a cycle (red), and what waits behind them.'},
      {name: 'photo-import', trace: 'photo-import-stuck', options: '--stuck', caption: 'The cycle goes through two queues; the rest of the import is done.'},
    ],
  },
];

/** Broken programs: what was done wrong, what one notices, what to see in the picture, and what the twin does differently. */
export const broken = {
  'dependency-cycle': {
    mistake: 'The token needs the database, the database needs the profile, and the profile needs the token. Each dependency was added somewhere else, and each made sense there.',
    symptom: 'No error, no work, no processor time. The three never start, and whoever waits for the queue hangs.',
    caption: 'The red cycle goes through two queues, so neither queue alone shows it.',
    fix: 'The token comes from the keychain and no longer depends on the database.',
  },
  'dependency-cycle-self': {
    mistake: 'The page before the first page is computed as `max(0, index - 1)`, which is the first page itself.',
    symptom: 'On Linux `addDependency` itself never returns, so the program hangs while it creates its operations. Elsewhere the page never starts.',
    caption: 'One box with an arrow to itself.',
    fix: 'The first page has no page before it.',
  },
  'queue-self-wait': {
    mistake: 'The operation that saves an order adds the journal to its own serial queue and waits there until it is written.',
    symptom: 'It works with a second slot and hangs with one, with everything behind it in the queue.',
    caption: 'The operation that holds the slot waits for the one that needs it.',
    fix: 'Nothing waits inside an operation: *Write journal* depends on *Save order*, and *Confirm order* on *Write journal*.',
  },
  'wait-cycle': {
    mistake: 'The import waits, inside its operation, for an update in the other queue. The renaming there waits for a reload in the first. Both queues are serial.',
    symptom: 'It hangs only when both run at once: rarely on a fast machine, and then forever.',
    caption: 'Two queues, each with an operation that holds the slot and one that needs it.',
    fix: 'Neither operation waits for what it added.',
  },
  'wait-cycle-mutual': {
    mistake: 'Upload waits for download, so that nothing newer is overwritten. Download waits for upload, so that nothing comes back as a conflict.',
    symptom: 'Both run, and neither goes on. A debugger shows two threads in `waitUntilFinished()`.',
    caption: 'Two executing operations with an arrow to each other.',
    fix: 'One order is chosen: *Upload notes* depends on *Download notes*, and nobody waits inside.',
  },
  'main-thread-deadlock': {
    mistake: 'The operation shows its progress on the main queue and waits until that is done, while the main thread waits for the operation.',
    symptom: 'The program is frozen: no window is drawn, no key works.',
    caption: 'Two lanes and a cycle through the main thread: *Show progress* needs it, and it waits for *Render report*.',
    fix: 'The main thread runs its run loop while it waits.',
  },
  'lock-cycle': {
    mistake: 'One transfer locks the wages first and then the savings, the other the savings first.',
    symptom: 'Now and then both operations stop in `lock()`. Most runs are fine.',
    caption: 'There is no dependency; the arrows are the two mutexes.',
    fix: 'Both lock in the same order.',
  },
  'lock-cycle-wait': {
    mistake: 'The main thread waits for an operation while it holds the lock that the operation needs.',
    symptom: 'The program hangs in `waitUntilFinished()`, the operation in `lock()`.',
    caption: 'One box in a cycle with the main thread, which has no box: it holds the mutex.',
    fix: 'The main thread unlocks before it waits.',
  },
  'orphan-dependency': {
    mistake: 'Four operations are created, three are added to the queue. The others depend on the forgotten one.',
    symptom: 'Everything behind the forgotten one stays pending. The queue has free slots and nothing to do.',
    caption: '*Download picture* is in the lane *no queue*: it was never enqueued.',
    fix: 'One call adds all four.',
  },
  'queue-suspended': {
    mistake: 'The uploads are suspended while the network is down, and an early return skips the line that resumes them.',
    symptom: 'What already ran finishes. The rest is ready, and nothing starts.',
    caption: 'Ready operations in a lane that is marked as suspended.',
    fix: 'Every path resumes the queue.',
  },
  'queue-suspended-limit': {
    mistake: 'The limit is a quarter of the processors, which is 0 if there are fewer than four.',
    symptom: 'It works on the developer\'s machine. On a small one nothing ever starts.',
    caption: 'Ready operations in a lane whose limit is 0.',
    fix: '`max(1, …)`.',
  },
  'never-finished': {
    mistake: 'The callback calls `finish()` when the file is there. On the error path it returns without.',
    symptom: 'All is well until the first request fails. Then its slot is taken for good, and its dependents never start.',
    caption: 'One operation that executes without an end, and the one that waits for it.',
    fix: '`finish()` on both paths.',
  },
  'never-finished-unannounced': {
    mistake: 'A class with its own states changes them without `willChangeValue` and `didChangeValue`.',
    symptom: '`isFinished` is true, and the queue still holds the operation. Printed, everything looks right.',
    caption: 'For its queue, the operation still executes.',
    fix: 'The class announces both keys.',
  },
  'cancelled-never-finished': {
    mistake: '`start()` sees that the operation was cancelled and returns without setting `isFinished`.',
    symptom: 'The first cancelled operation blocks a serial queue forever.',
    caption: 'A cancelled operation holds the slot, and the one behind it gets none.',
    fix: '`start()` finishes a cancelled operation.',
  },
  'cancelled-never-finished-running': {
    mistake: '`cancel()` stops the request, and only the request\'s answer would have finished the operation.',
    symptom: 'Typing on cancels the last search, and then no search gets through.',
    caption: 'The cancelled search executes without an end; the new one waits for its slot.',
    fix: '`cancel()` finishes what executes.',
  },
  'thread-pool-starvation': {
    mistake: 'More thumbnails than threads wait on a semaphore that an operation behind them would signal.',
    symptom: 'On Linux it goes on a second at a time, as the pool grows; elsewhere it may hang. No processor is busy.',
    caption: 'Starts one second apart, though the queue has no limit.',
    fix: 'The thumbnails depend on the library and do not wait inside.',
  },
  'readiness-override': {
    mistake: '`isReady` also checks the network, and nobody announces that the network is back.',
    symptom: 'The message stays in the outbox although nothing holds it up any more. It goes when something else happens to be added.',
    caption: 'A pending operation whose dependency is finished.',
    fix: 'The program announces the change: `willChangeValue(forKey: "isReady")` before, `didChangeValue` after.',
  },
  'removed-dependency-stuck': {
    mistake: '`removeDependency` takes away a dependency that still runs. Foundation on Linux keeps counting it.',
    symptom: '`dependencies` is empty, and `isReady` stays false forever.',
    caption: 'A pending operation whose dependencies are finished.',
    fix: 'The original is cancelled, and the dependency stays.',
  },
  'barrier-reentry': {
    mistake: 'An already cancelled query is added to a queue with a pending barrier. Foundation on Linux takes the queue\'s lock twice.',
    symptom: '`addOperation` never returns, and nobody can use the queue any more.',
    caption: '*Query totals* was ready when it was added, and the call that adds it never returned.',
    fix: 'Cancelled operations are not added.',
  },
  'finished-without-start': {
    mistake: '`cancel()` sets `isFinished` at once, even if the operation was not started yet.',
    symptom: 'On Linux the program crashes when the queue reaches it; Apple platforms print a warning.',
    caption: 'A cancelled operation that never ran, and others that are not over: the program crashed there.',
    fix: '`cancel()` finishes only what executes; `start()` does the rest.',
  },
  'double-finish': {
    mistake: 'A timeout and the answer both call `finish()`.',
    symptom: 'Mostly none: the first one decides, and the answer is lost. Observers of a hand-written class see the end twice.',
    caption: 'A finished operation like any other: only the doctor\'s report shows the mistake.',
    fix: 'The second call is left out.',
  },
  'double-start': {
    mistake: 'To have the upload sooner, the program calls `start()` on an operation that is in a queue.',
    symptom: 'A fatal error of Foundation on Linux; a class with its own states runs twice.',
    caption: 'Two executing operations in a serial queue.',
    fix: 'The operation gets the priority `veryHigh`.',
  },
  'double-start-enqueued': {
    mistake: 'To have the poster sooner, the program adds it to a second queue.',
    symptom: 'A fatal error of Foundation at the second `addOperation`.',
    caption: 'The poster is in the first queue; the program ended right there.',
    fix: 'It is added to the fast queue alone.',
  },
  'premature-finish': {
    mistake: '`main()` starts a request and returns, which ends the operation. The answer comes later.',
    symptom: 'Its dependents begin too early and find nothing: "There is nothing to show yet."',
    caption: '*Load article* ran for microseconds. Its work, parsing, came 150 ms later.',
    fix: 'The operation is asynchronous and calls `finish()` when the answer is parsed.',
  },
  'dependent-released': {
    mistake: 'Cancelled operations are released while what they depended on still runs. Foundation on Linux knows dependents by their address.',
    symptom: 'A crash in `Operation`, far from the line that caused it, and only when the memory was reused.',
    caption: 'Four cancelled operations that depended on a download.',
    fix: 'The program keeps a reference until the download is over.',
  },
  'barrier-on-idle-queue': {
    mistake: 'A barrier is added to a suspended, empty queue, to run when it is resumed. On Linux such a barrier becomes no operation.',
    symptom: 'The barrier runs at once, although the queue is suspended: here on a locked database.',
    caption: 'The barrier is done after 100 ms; the queue was suspended for twice as long.',
    fix: 'An operation replaces the barrier.',
  },
  'retained-operation': {
    mistake: 'Each page depends on the one before and is kept, so the newest keeps all of them and everything they hold.',
    symptom: 'Memory grows with each page and is freed at the very end.',
    caption: 'A chain of finished operations.',
    fix: 'A finished page removes its dependencies.',
  },
  'started-before-dependency': {
    mistake: 'An override of `isReady` does not call `super.isReady`, which knows the dependencies.',
    symptom: 'Sometimes the map is drawn before its tiles are there.',
    caption: '*Draw map* ran beside what it depends on: compare the bars.',
    fix: '`super.isReady && …`.',
  },
  'priority-inversion': {
    mistake: 'What the user waits for has the highest priority; what it depends on has the lowest.',
    symptom: 'The page comes last, behind everything that nobody asked for.',
    caption: '*Fetch page* waits for the slot (amber) until all *Prefetch* are done.',
    fix: 'The dependency gets the same priority.',
  },
  'blocking-wait': {
    mistake: 'Thumbnails start, and then wait inside for their download while they hold both slots.',
    symptom: 'Work that could run does not. Nothing hangs; it is only slow.',
    caption: 'Both thumbnails ran 400 ms for 20 ms of work, and three rotations waited for a slot meanwhile (amber).',
    fix: 'The thumbnails depend on the download.',
  },
  'serial-bottleneck': {
    mistake: 'A limit of 1, from a time when the decoder could do no better.',
    symptom: 'It is slow, with idle processors.',
    caption: 'The violet path goes from one decoding to the next, through the slot of their queue.',
    fix: 'The limit is removed.',
  },
  'dependency-chain-cost': {
    mistake: 'Two thousand rows, each depending on the one before, in one queue.',
    symptom: 'The time grows with the square of their number, and none of it is spent in the rows.',
    caption: 'Two thousand operations in one box.',
    fix: 'A serial queue keeps their order without dependencies.',
  },
};
