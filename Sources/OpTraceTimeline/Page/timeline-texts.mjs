// What the timeline says of what the pointer or the keyboard is at: lines of text.
import {TIME_KINDS, timeWords} from '../../OpTracePage/Page/dom.mjs';
import {durationText} from '../../OpTracePage/Page/format.mjs';
import {sampleText, sampleTime} from './marks.mjs';

const LANE_KINDS = {execution: 'running', slot: 'waitingForSlot', dependencies: 'waitingForDependencies'};
const afterStart = (time) => `${durationText(time)} after the start`;

/** Returns the lines for a slice of a lane. */
export function sliceTexts(model, {row, at}) {
  const {lane} = row;
  if (lane.piece) return pieceTexts(model, lane, at);
  const length = durationText(lane.end[at] - lane.begin[at]);
  const when = afterStart(lane.begin[at]);
  if (lane.detail) return [model.detailName(lane.detail[at]), length, when];
  const operation = lane.row[at];
  const queue = model.queues[model.queue(operation)];
  const times = model.times(operation);
  const isForThread = lane.kind === 'slot' && times.waitingForThread >= 9 * times.waitingForSlot;
  const kind = isForThread ? 'waitingForThread' : LANE_KINDS[lane.kind];
  return [`${model.name(operation)} #${model.id(operation)}`, `${timeWords(model, operation, TIME_KINDS.find((one) => one.key === kind))} ${length}`, when,
    `${model.className(operation)}${queue ? ` · ${queue.name}` : ''} · ${model.state(operation)}`];
}

function pieceTexts(model, lane, at) {
  const [task, index] = [lane.row[at], lane.piece[at]];
  const thread = model.threads[model.pieces.thread[index]]?.name;
  return [`${model.name(task)} #${model.id(task)}`, `${model.pieceText(index)} ${durationText(lane.end[at] - lane.begin[at])}`, afterStart(lane.begin[at]),
    lane.runs[at] ? `on ${thread ?? 'an unknown thread'} · ${model.stateText(task)}` : `task · ${model.stateText(task)}`];
}

/** Returns the lines for the counters of a queue at a time. */
export function counterTexts({executing, ready, limit}, time) {
  const value = (steps) => steps?.at(time) ?? 0;
  const most = limit ? value(limit) : -1;
  return [`at ${durationText(time)}`, `executing ${value(executing)}`, `ready ${value(ready)}`, most < 0 ? 'no limit' : `limit ${most}`];
}

/** Returns the lines for a sample. */
export function sampleTexts(model, index) { return [`sampled in ${sampleText(model, index)}`, afterStart(sampleTime(model, index))]; }

/** Returns the lines for the instants near `x`; null: there are none. */
export function instantTexts(instants, viewport, x) {
  const near = instants.filter((one) => Math.abs(viewport.x(one.time) - x) < 6);
  return near.length === 0 ? null : [near[0].name, afterStart(near[0].time), ...(near.length > 1 ? [`and ${near.length - 1} more`] : [])];
}
