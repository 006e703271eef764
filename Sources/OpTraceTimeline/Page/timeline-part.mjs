// The timeline as a part of the page: its tab, what leads there, and its keys.
import {addPart} from '../../OpTracePage/Page/parts.mjs';
import {Timeline} from './timeline.mjs';

export function mountTimeline(element, model, selection) {
  const timeline = new Timeline(element, model, selection);
  return () => timeline.renew();
}

/** Returns the time from the first moment of an operation to its last, with some room, within the trace; null if no moment is known. */
function spanOf(model, row) {
  const lived = model.moments(row).filter(moment => moment.what !== 'released');
  if (lived.length === 0) return null;
  const from = lived[0].time;
  const last = lived[lived.length - 1];
  const to = ['finished', 'ended', 'given up'].includes(last.what) ? last.time : model.end;
  const room = Math.max((to - from) * 0.25, 1000);
  return [from - room, to + room];
}

/** Returns what leads to selected work on the timeline. Work that was never given to a queue and never ran is not on it. */
function leadToTimeline(model, row, selection) {
  const span = model.span(row) && spanOf(model, row);
  if (!span) return null;
  return ['Show in timeline', () => {
    selection.show('timeline');
    selection.showTime(span[0], span[1]);
  }];
}

addPart({
  name: 'timeline', title: 'Timeline', mount: mountTimeline, isPicture: true, lead: leadToTimeline,
  help: ['Timeline', [
    [['Wheel', 'Pinch'], 'zoom at the pointer'],
    [['Drag'], 'move'],
    [['Shift + Drag'], 'choose a range and zoom to it'],
    [['Click', 'Enter'], 'select an operation'],
    [['W', 'S'], 'zoom in, zoom out'],
    [['A', 'D', '←', '→'], 'move earlier, later'],
    [['↑', '↓'], 'lane above, lane below'],
    [['[', ']'], 'operation before, after on the lane'],
    [['F'], 'show the whole trace'],
    [['End'], 'show the end, and follow it while the program runs'],
    [['Z'], 'zoom to the selected operation'],
    [['C'], 'colours by state or by class'],
  ]],
});
