// A score as a card: value, parts, where it lies on its scale, and what made it.

import { make } from './state.js';
import { nameOf } from './variants.js';

const SVG = 'http://www.w3.org/2000/svg';
const SHORT = { precision: 'P', recall: 'R', f: 'F', f1: 'F' };
const TOLD = ['encoder', 'layers', 'layer', 'against', 'weighting', 'cost', 'tok', 'smooth']; // of a signature
const USUAL = ['uniform', 'cosine', 'references']; // settings that go without saying
const MOST_PARTS = 4;

/** Return the card of a result; `spec` is what the service says of the metric. */
export function scoreCard(result, spec) {
  const segment = result.segments[0];
  const { value, unknown, marked } = segment;
  const number = value === null ? '–' : format(value, spec);
  const better = { true: '↑ higher is better', false: '↓ lower is better' }[result.higher_is_better] ?? 'a feature: neither direction is better';
  return make(
    'button',
    { type: 'button', class: 'card', role: 'radio', 'aria-checked': 'false', 'data-metric': result.metric, tabindex: -1,
      title: result.signature },
    make('span', { class: 'name' }, result.metric),
    make('span', { class: 'value' }, marked ? `${number}!` : number),
    ...parts(segment.parts, spec),
    ...scale(result, segment, spec),
    make('span', { class: 'note' }, better),
    ...settings(result.signature),
    ...(value === null ? segment.notes.map((note) => make('span', { class: 'note unknown' }, note)) : []),
    ...(marked ? [make('span', { class: 'note unknown' }, `! ${Math.round(100 * unknown)} % of the words unknown`)] : []),
  );
}

/** A metric that failed: its card says why, and cannot be chosen, since there is nothing to explain. */
export function failedCard(name, reason) {
  return make('div', { class: 'card failed', role: 'note', 'data-metric': name },
    make('span', { class: 'name' }, name),
    make('span', { class: 'value' }, 'failed'),
    make('span', { class: 'note' }, reason));
}

const minus = (text) => text.replace('-', '−');

export const format = (value, spec) => minus(value.toFixed(spec?.bounds[1] === 100 ? 2 : 4));

/** P, R and F, or whatever the score is made of; a single part that is the score itself says nothing. */
function parts(all, spec) {
  const known = Object.entries(all ?? {}).filter(([, value]) => value !== null);
  if (known.length < 2) return [];
  const shown = known.slice(0, MOST_PARTS).flatMap(([name, value]) => [
    make('span', { class: 'part' }, make('b', {}, SHORT[name.toLowerCase()] ?? name), ` ${minus(short(value, spec))}`), ' ']);
  return [make('span', { class: 'parts' }, ...shown)];
}

const short = (value, spec) => value.toFixed(spec?.bounds[1] === 100 || Math.abs(value) >= 10 ? 1 : 3);

/** Where the score lies between the worst and the best that there is; `unrelated` and `copy` are marked if known. */
function scale(result, segment, spec) {
  const [low, high] = spec?.bounds ?? [null, null];
  if (segment.value === null) return [];
  if (low === null || high === null) {
    if (result.higher_is_better === null) return [];
    const best = result.higher_is_better ? high : low;
    return [make('span', { class: 'note' }, best === null ? 'no bounds' : `${minus(String(best))} is best; no other bound`)];
  }
  const [worst, best] = result.higher_is_better ? [low, high] : [high, low];
  const place = (value) => `${2 + Math.min(Math.max((value - worst) / (best - worst), 0), 1) * 96}%`;
  const anchors = { unrelated: result.scale?.unrelated, copy: result.scale?.copy };
  const marks = Object.entries(anchors).filter(([, value]) => typeof value === 'number');
  const drawing = draw('svg', { class: 'scale', 'aria-hidden': 'true' },
    draw('line', { x1: '2%', x2: '98%', y1: 6, y2: 6 }),
    ...marks.map(([name, value]) => draw('line', { class: `mark ${name}`, x1: place(value), x2: place(value), y1: 0, y2: 12 })),
    draw('circle', { cx: place(segment.value), cy: 6, r: 4.5 }));
  const ends = make('span', { class: 'ends' }, make('span', {}, minus(String(worst))), make('span', {}, minus(String(best))));
  const named = marks.length ? [make('span', { class: 'note' }, marks.map(([name, value]) => `${name} ${short(value, spec)}`).join(' · '))] : [];
  return [make('span', { class: 'place' }, drawing, ends), ...named];
}

function draw(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** The settings in a signature that a reader may want to know; the whole signature is the card's tooltip. */
function settings(signature) {
  const fields = signature.split('|').map((field) => [field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 1)]);
  const told = fields.filter(([key, value]) => TOLD.includes(key) && !USUAL.includes(value) && value.length < 40).map(([key, value]) =>
    (key === 'encoder' ? value.replace(/[@(/].*$/, '') : `${key} ${value}`));
  return told.length ? [make('span', { class: 'note settings' }, told.slice(0, 3).join(' · '))] : [];
}

export const specOf = (page, label) => page.cards.get(nameOf(label));
