// The elements of the timeline: buttons, legend, overview, and the stage with the canvas.
import {h} from '../../OpTracePage/Page/dom.mjs';

/** Makes them. `act(action)` does what a button asks for, as a key does; `colourBy(by)` colours by 'state' or by 'class'. */
export function timelineElements(act, colourBy) {
  const button = (label, title, action) => h('button', {type: 'button', title, 'aria-label': title, onclick: () => act(action)}, label);
  const colourButtons = ['state', 'class'].map((by) => h('button',
    {type: 'button', 'aria-pressed': String(by === 'state'), onclick: () => colourBy(by)}, by === 'state' ? 'State' : 'Class'));
  const legend = h('span', {class: 'timeline-legend'});
  const canvas = h('canvas', {
    tabindex: '0', role: 'application', 'aria-label': 'Timeline of threads and queues', 'aria-describedby': 'timeline-help',
    'aria-roledescription': 'timeline',
  });
  const overview = h('canvas', {class: 'timeline-overview', role: 'img', 'aria-label': 'Overview: how much was executed when'});
  const spacer = h('div', {});
  const bar = h('div', {class: 'timeline-bar', tabindex: '-1', 'aria-hidden': 'true'}, spacer);
  const none = h('p', {class: 'timeline-none'});
  const stage = h('div', {class: 'timeline-stage'}, canvas, bar, none);
  const following = h('button', {type: 'button', title: 'Go to the end, and follow it (End)', onclick: () => act({follow: true})}, 'Follow');
  const tools = h('div', {class: 'timeline-tools', role: 'toolbar', 'aria-label': 'Timeline'},
    h('span', {class: 'group'},
      button('−', 'Zoom out (S)', {zoom: 1 / 0.6}), button('+', 'Zoom in (W)', {zoom: 0.6}),
      button('All', 'Show the whole trace (F)', {all: true}),
      button('Selected', 'Zoom to the selected operation (Z)', {toSelection: true}),
      following),
    h('span', {class: 'group', role: 'group', 'aria-label': 'Colours'}, h('span', {class: 'faint'}, 'Colours '), colourButtons),
    legend);
  const help = h('p', {id: 'timeline-help', class: 'unseen'},
    'W and S zoom, A and D move, arrow up and down change the lane, brackets go to the operation before and after, Enter selects. '
    + 'The search finds the same work, and the panel lists its times.');
  const said = h('div', {class: 'unseen', role: 'status'});
  const notes = h('div', {});
  return {tools, colourButtons, legend, following, overview, canvas, spacer, bar, none, stage, help, said, notes};
}
