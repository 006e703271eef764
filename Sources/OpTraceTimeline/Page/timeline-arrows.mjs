// Where work is on the timeline, and the arrows from and to it.
import {isStuck} from '../../OpTracePage/Page/words.mjs';

/** Returns where the slices of an operation are: {row, at}. `laneRows`: the rows with a lane. */
export function slicesOf(model, laneRows, row) {
  if (model.isTask(row)) return sliceOfTask(model, laneRows, row);
  const found = [];
  const add = (kind, track, time) => {
    if (track < 0 || Number.isNaN(time)) return;
    const own = laneRows.find((one) => one.lane.track === track && one.lane.kind === kind);
    if (!own) return;
    let at = own.lane.skip(0, time);
    while (at < own.lane.count && own.lane.begin[at] === time && own.lane.row[at] !== row) at += 1;
    if (own.lane.row[at] === row) found.push({row: own, at});
  };
  const {operations} = model;
  add('execution', operations.track[row], model.execution(row)?.begin ?? NaN);
  add('slot', operations.slotTrack[row], model.slotWait(row)?.begin ?? NaN);
  add('dependencies', operations.dependencyTrack[row], model.dependencyWait(row)?.begin ?? NaN);
  return found;
}

// Returns the slice of a task. All its pieces count as one, from the first to the last.
function sliceOfTask(model, laneRows, row) {
  const track = model.operations.track[row];
  const own = track < 0 ? null : laneRows.find((one) => one.lane.track === track && one.lane.kind === 'task');
  const pieces = model.piecesOfTask(row);
  if (!own || pieces.length === 0) return [];
  const at = own.lane.skip(0, model.pieces.begin[pieces[0]]);
  return [{row: own, at, last: Math.min(at + pieces.length, own.lane.count) - 1}];
}

/** Returns arrows from the ends of what it depended on to its begin, and from its end to the begins of what depended on it. */
export function arrowsOf(model, laneRows, row) {
  const middle = (slice) => slice.row.top + slice.row.height / 2;
  // For work that never ran, this is its last wait: in a run that hangs, these arrows show why.
  const last = (one) => slicesOf(model, laneRows, one)[0];
  const own = last(row);
  if (!own) return [];
  const arrows = [];
  const add = (source, target) => {
    const [from, to] = [source === row ? own : last(source), target === row ? own : last(target)];
    if (!from || !to) return;
    const hasRun = to.row.lane.kind === 'execution';
    arrows.push({
      from: from.row.lane.end[from.at], to: hasRun ? to.row.lane.begin[to.at] : to.row.lane.end[to.at],
      fromTop: middle(from), toTop: middle(to), isStuck: isStuck(model.state(target)),
      isCritical: model.isCritical(source) && model.isCritical(target),
    });
  };
  for (const dependency of model.dependencies(row).slice(0, 200)) if (dependency.removed === null) add(dependency.row, row);
  for (const dependent of model.dependents(row).slice(0, 200)) add(row, dependent);
  // These arrows start at the moment of submission, which lies inside the submitter's slice.
  const leads = (source, target, time, arrives) => {
    const [from, to] = [source === row ? own : last(source), target === row ? own : last(target)];
    if (!from || !to) return;
    const usual = to.row.lane.kind === 'execution' ? to.row.lane.begin[to.at] : to.row.lane.end[to.last ?? to.at];
    arrows.push({
      from: time, to: Number.isNaN(arrives) ? usual : arrives, fromTop: middle(from), toTop: middle(to), isStuck: false, isCritical: false,
    });
  };
  const submits = (source, target) => leads(source, target, model.moment.enqueued[target], model.moment.executing[target]);
  // These arrows lead from whatever resumed a task to where the task ran again.
  const resumes = (index) => leads(model.pieces.resumer[index], model.pieces.row[index], model.pieces.begin[index], model.pieces.end[index]);
  for (const index of model.resumptions(row).slice(0, 200)) resumes(index);
  if (model.submitter(row) >= 0) submits(model.submitter(row), row);
  for (const submitted of model.submissions(row).slice(0, 200)) submits(row, submitted);
  return arrows;
}
