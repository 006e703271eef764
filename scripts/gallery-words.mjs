// What scripts/make-gallery says of each program in words of ours. The rest comes from the command: what a program prints, what the
// doctor finds, what a code means.

/**
 * Healthy programs, by their group on the page: `look` is what to see in the picture; `trace` the sample's name where it is not the
 * program's.
 */
export const samples = [
  {
    title: 'How a run looks',
    programs: [
      {name: 'photo-import', look: 'Three queues as lanes; the violet path decided the end. Of five downloads one waits for a slot (amber), and *Decode 5* never ran: its photo was deselected on the way.'},
      {name: 'i-love-u', look: 'Three words are found at the same time, and *Print sentence* waits for all of them.'},
      {name: 'i-love-u', trace: 'i-love-u-limit-1', options: '--limit 1', look: 'The same with one slot: three times as long. What was grey, waiting for dependencies, is amber now, waiting for the slot.'},
      {name: 'diamond', look: 'A and B lead to C; C and D lead to E. The path is B, C, E, for B takes longer than A.'},
      {name: 'cross-queue', look: 'Dependencies do not stop at a lane: they lead from the network to the store and back.'},
    ],
  },
  {
    title: 'Limits, priorities, barriers',
    programs: [
      {name: 'serial-vs-concurrent', look: 'The same four requests twice: in the serial queue each waits for the one before (amber), in the other all run at once.'},
      {name: 'priorities', look: 'The most urgent operation depends on the least urgent one, so it ends last, whatever its priority.'},
      {name: 'barrier', look: 'The writer runs alone: after all readers before it, and before all behind it.'},
      {name: 'suspend-resume', look: 'Two slots are free, and still two operations wait for one: the queue is suspended until its end is near.'},
    ],
  },
  {
    title: 'Asynchronous work, blocks, threads',
    programs: [
      {name: 'async-wait', look: '*Hasty download* is over in no time, because it ended before its data was there; *Patient download* is not.'},
      {name: 'custom-concurrent', look: 'Operations with threads of their own. The one that was cancelled ran on until its loop looked.'},
      {name: 'block-fan-out', look: 'One operation with four blocks, which run on the threads that are free.'},
      {name: 'main-hop', look: 'Two lanes: work in the background, and on the main queue what shows its result.'},
      {name: 'tickets', look: 'Two windows sell tickets under one lock. The picture has no trace of it; the [timeline](pictures.md#the-timeline) shows the spans *wait for the lock*.'},
    ],
  },
  {
    title: 'Cancelling',
    programs: [
      {name: 'upload-cancel', look: 'One upload was cancelled while it executed, one before its start, which has no time at all.'},
      {name: 'cancel-all', look: 'One noticed that it is cancelled, those behind it never began, and the one added later ran.'},
    ],
  },
  {
    title: 'Stuck',
    programs: [
      {name: 'deadlock', look: 'Three operations in a circle (red), and what waits behind them.'},
      {name: 'photo-import', trace: 'photo-import-stuck', options: '--stuck', look: 'The circle leads through two queues; the rest of the import is done.'},
    ],
  },
];

/** Broken programs: what was done wrong, what one notices, what to see in the picture, and what the twin does differently. */
export const broken = {
  'dependency-cycle': {
    mistake: 'The token needs the database, the database needs the profile, and the profile needs the token. Each dependency was added in another place, and each made sense there.',
    symptom: 'No error, no work, no processor time: the three never start, and whoever waits for the queue hangs.',
    look: 'The red circle leads through two queues, so neither queue alone shows it.',
    mend: 'The token comes from the keychain, and the dependency on the database is left out.',
  },
  'dependency-cycle-self': {
    mistake: '"The page before" of the first page is worked out with `max(0, index - 1)`, which is the first page itself.',
    symptom: 'On Linux the call of `addDependency` itself never returns, so the program hangs while it still makes its operations. Elsewhere the page never starts.',
    look: 'One box with an arrow to itself.',
    mend: 'The first page gets no page before it.',
  },
  'queue-self-wait': {
    mistake: 'The operation that saves an order adds the journal to its own serial queue, and waits there until that is written.',
    symptom: 'It works with a second slot, and hangs with one. Everything behind it in the queue hangs, too.',
    look: 'The one that holds the slot waits for the one that needs it.',
    mend: 'Nothing waits inside: *Write journal* depends on *Save order*, and *Confirm order* on *Write journal*.',
  },
  'wait-cycle': {
    mistake: 'The import waits, inside of its operation, for an update in the other queue; the renaming there waits for a reload in the first. Both queues are serial.',
    symptom: 'It hangs only when both are under way at once: rarely on a fast machine, and then for ever.',
    look: 'Two queues, each with one that holds the slot and one that needs it.',
    mend: 'Neither operation waits for what it has added.',
  },
  'wait-cycle-mutual': {
    mistake: 'Upload waits for download, so that nothing newer is overwritten; download waits for upload, so that nothing comes back as a conflict.',
    symptom: 'Both run, and neither goes on. A debugger shows two threads in `waitUntilFinished()`.',
    look: 'Two executing operations with an arrow to each other.',
    mend: 'One order is chosen: *Upload notes* depends on *Download notes*, and nobody waits inside.',
  },
  'main-thread-deadlock': {
    mistake: 'The operation shows its progress on the main queue and waits until that is shown, while the main thread waits for the operation.',
    symptom: 'The program is frozen: no window is drawn, no key is taken.',
    look: 'Two lanes, and a circle through the main thread: *Show progress* needs it, and it waits for *Render report*.',
    mend: 'The main thread serves its run loop while it waits.',
  },
  'lock-cycle': {
    mistake: 'One transfer locks the wages first and then the savings, the other the savings first.',
    symptom: 'Both operations stop in `lock()`, now and then; most runs are fine.',
    look: 'No dependency is in the picture: the arrows are the two mutexes.',
    mend: 'Both lock in the same order.',
  },
  'lock-cycle-wait': {
    mistake: 'The main thread waits for an operation while it has the lock that the operation needs.',
    symptom: 'The program hangs in `waitUntilFinished()`, the operation in `lock()`.',
    look: 'One box in a circle with the main thread, which is no box: it has the mutex.',
    mend: 'The main thread unlocks before it waits.',
  },
  'orphan-dependency': {
    mistake: 'Four operations are made, three are added to the queue. The forgotten one is a dependency of the others.',
    symptom: 'Everything behind the forgotten one stays pending. The queue has free slots and nothing to do.',
    look: '*Download picture* stands in the lane *no queue*: it was never enqueued.',
    mend: 'All four are added, in one call.',
  },
  'queue-suspended': {
    mistake: 'The uploads are suspended while the network is away, and an early return skips the line that resumes them.',
    symptom: 'What ran when the queue was suspended is done; the rest is ready, and nothing starts.',
    look: 'Ready operations in a lane that is marked as suspended.',
    mend: 'The queue is resumed on every path.',
  },
  'queue-suspended-limit': {
    mistake: 'The limit is a quarter of the processors, which is 0 where there are fewer than four.',
    symptom: 'It works on the developer\'s machine, and on a small one nothing ever starts.',
    look: 'Ready operations in a lane whose limit is 0.',
    mend: '`max(1, …)`.',
  },
  'never-finished': {
    mistake: 'The callback calls `finish()` when the file is there, and on the path of the failure it returns without.',
    symptom: 'All is well until the first request fails. From then on its slot is taken for good, and what depends on it never starts.',
    look: 'One executing without an end, and the one that waits for it.',
    mend: '`finish()` on both paths.',
  },
  'never-finished-unannounced': {
    mistake: 'A class with states of its own changes them without `willChangeValue` and `didChangeValue`.',
    symptom: '`isFinished` is true, and the queue still holds the operation. Printed, everything looks right.',
    look: 'The operation still executes, as far as its queue knows.',
    mend: 'Both keys are announced.',
  },
  'cancelled-never-finished': {
    mistake: '`start()` sees that the operation was cancelled and returns, without turning `isFinished` true.',
    symptom: 'The first cancelled operation blocks a serial queue for ever.',
    look: 'A cancelled operation that holds the slot, and one behind it that gets none.',
    mend: '`start()` finishes it where it is cancelled.',
  },
  'cancelled-never-finished-running': {
    mistake: '`cancel()` stops the request, and only the request\'s answer would have finished the operation.',
    symptom: 'Typing on cancels the last search, and no search comes through any more.',
    look: 'The cancelled search executes without an end; the new one waits for its slot.',
    mend: '`cancel()` finishes what executes.',
  },
  'thread-pool-starvation': {
    mistake: 'More thumbnails than there are threads wait on a semaphore that the operation behind them would signal.',
    symptom: 'On Linux it goes on, a second at a time, as the pool grows; elsewhere it may hang. No processor is busy.',
    look: 'Starts one second apart, though the queue has no limit.',
    mend: 'The thumbnails depend on the library and do not wait inside.',
  },
  'readiness-override': {
    mistake: '`isReady` asks for the network as well, and nobody announces it when the network is there.',
    symptom: 'The message stays in the outbox, although everything that it waits for is there. It goes when something else happens to be added.',
    look: 'A pending operation whose dependency is finished.',
    mend: 'The change is announced: `willChangeValue(forKey: "isReady")` before, `didChangeValue` after.',
  },
  'removed-dependency-stuck': {
    mistake: 'A dependency that still runs is taken away with `removeDependency`. Foundation on Linux goes on counting it.',
    symptom: '`dependencies` is empty, and `isReady` stays false for ever.',
    look: 'A pending operation whose dependencies are finished.',
    mend: 'The original is cancelled, and the dependency stays.',
  },
  'barrier-reentry': {
    mistake: 'A query that is cancelled already is added to a queue in which a barrier is pending. Foundation on Linux takes the queue\'s lock twice.',
    symptom: 'The call of `addOperation` never returns, and nobody can use the queue any more.',
    look: '*Query totals* was ready when it was added, and the call that adds it never came back.',
    mend: 'What is cancelled is not added.',
  },
  'finished-without-start': {
    mistake: '`cancel()` turns `isFinished` true at once, also where the operation was not started yet.',
    symptom: 'On Linux the program crashes when the queue comes to it; on Apple platforms a warning goes to the console.',
    look: 'A cancelled operation that never ran, and others that are not over: the program crashed there.',
    mend: '`cancel()` finishes only what executes; the rest is left to `start()`.',
  },
  'double-finish': {
    mistake: 'A timeout and the answer both call `finish()`.',
    symptom: 'Mostly none: the first decides, and the answer is lost. With a hand-written class observers hear of the end twice.',
    look: 'A finished operation, like any other: what is wrong is only in the doctor\'s words.',
    mend: 'The second is left out.',
  },
  'double-start': {
    mistake: 'To have the upload sooner, the program calls `start()` of an operation that a queue has.',
    symptom: 'A fatal error of Foundation on Linux; a class with states of its own runs twice.',
    look: 'Two executing operations in a serial queue.',
    mend: 'The operation gets the priority `veryHigh`.',
  },
  'double-start-enqueued': {
    mistake: 'To have the poster sooner, the program gives it to a second queue.',
    symptom: 'A fatal error of Foundation, at the second `addOperation`.',
    look: 'The poster is in the first queue; the program ended right there.',
    mend: 'It is given to the fast queue alone.',
  },
  'premature-finish': {
    mistake: '`main()` begins a request and returns, which ends the operation. The answer comes later.',
    symptom: 'What depends on it begins too early and finds nothing: "There is nothing to show yet."',
    look: '*Load article* ran for microseconds. Its work, parsing, came 150 ms later.',
    mend: 'The operation is asynchronous and calls `finish()` when the answer is parsed.',
  },
  'dependent-released': {
    mistake: 'Operations that were cancelled are let go while what they depended on still runs. Foundation on Linux knows dependents by their address.',
    symptom: 'A crash in `Operation`, far from the line that caused it, and only when memory was used again.',
    look: 'Four cancelled operations that depended on a download.',
    mend: 'The program keeps a reference until the download is over.',
  },
  'barrier-on-idle-queue': {
    mistake: 'A barrier is added to a suspended queue, to run when it is resumed. The queue is empty, and then a barrier becomes no operation on Linux.',
    symptom: 'The barrier runs at once, though the queue is suspended: here on a locked database.',
    look: 'The barrier is done after 100 ms; the queue was suspended for twice as long.',
    mend: 'An operation takes the place of the barrier.',
  },
  'retained-operation': {
    mistake: 'Each page depends on the one before and is kept; so the newest keeps all of them, with all that they hold.',
    symptom: 'Memory grows with each page and is freed at the very end.',
    look: 'A chain of finished operations.',
    mend: 'A page that is finished gives up its dependencies.',
  },
  'started-before-dependency': {
    mistake: 'An override of `isReady` does not ask `super.isReady`, which knows the dependencies.',
    symptom: 'The map is drawn before its tiles are there, sometimes.',
    look: '*Draw map* ran beside what it depends on: compare the bars.',
    mend: '`super.isReady && …`.',
  },
  'priority-inversion': {
    mistake: 'What the user waits for has the highest priority; what it depends on has the lowest.',
    symptom: 'The page comes last, behind everything that nobody asked for.',
    look: '*Fetch page* waits for the slot (amber) until all *Prefetch* are done.',
    mend: 'The dependency gets the same priority.',
  },
  'blocking-wait': {
    mistake: 'Thumbnails begin, and then wait inside for their download, both slots in their hands.',
    symptom: 'Work that could run does not. Nothing hangs; it is only slow.',
    look: 'Both thumbnails ran 400 ms for 20 ms of work, and three rotations waited for a slot meanwhile (amber).',
    mend: 'The thumbnails depend on the download.',
  },
  'serial-bottleneck': {
    mistake: 'A limit of 1 from the time when the decoder could not do better.',
    symptom: 'Slow, with processors that do nothing.',
    look: 'The violet path goes from one decoding to the next, through the slot of their queue.',
    mend: 'The limit is taken away.',
  },
  'dependency-chain-cost': {
    mistake: 'Two thousand rows, each depending on the one before, in one queue.',
    symptom: 'The time grows with the square of their number, and none of it is spent in the rows.',
    look: 'Two thousand operations in one box.',
    mend: 'A serial queue keeps their order without a dependency.',
  },
};
