// The state of the page, kept in the fragment of its address: a link shows the same page, and no server log has the texts.

import { joinVariants, splitVariants } from './variants.js';

const DEFAULTS = {
  tab: 'explain', h: '', r: [''], s: '', m: ['bertscore', 'emd', 'chrf'], e: '', view: 'ribbons', metric: '',
};

/** Return the state in the address, with defaults for what it leaves out. */
export function readState() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const state = { ...DEFAULTS, r: [...DEFAULTS.r], m: [...DEFAULTS.m] };
  for (const key of ['tab', 'h', 's', 'e', 'view', 'metric']) if (fields.has(key)) state[key] = fields.get(key);
  if (fields.has('r')) state.r = fields.getAll('r');
  if (fields.has('m')) state.m = splitVariants(fields.get('m'));
  return state;
}

/** Put the state into the address without a new entry in the history. */
export function writeState(state) {
  const fields = new URLSearchParams();
  for (const key of ['tab', 'h', 's', 'e', 'view', 'metric']) {
    if (state[key] !== DEFAULTS[key]) fields.set(key, state[key]);
  }
  for (const reference of state.r) fields.append('r', reference);
  if (state.m.join() !== DEFAULTS.m.join()) fields.set('m', joinVariants(state.m));
  history.replaceState(null, '', `#${fields}`);
}

/** Return an element with text (never markup) and attributes. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children);
  return element;
}

/** Return the text of a file; an Error says why it cannot be read. */
export async function readText(file, largest = Infinity) {
  if (file.size > largest) throw new Error(`${file.name} is larger than the ${largest.toLocaleString()} bytes that this service allows`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error(`${file.name} is not UTF-8 text`);
  }
}

/** Call `take(files)` when files are dropped on an element. */
export function onDrop(zone, take) {
  const holdsFiles = (event) => event.dataTransfer.types.includes('Files');
  zone.addEventListener('dragover', (event) => {
    if (!holdsFiles(event)) return; // the browser handles words that are dragged into a text
    event.preventDefault();
    zone.classList.add('over');
  });
  zone.addEventListener('dragleave', () => zone.classList.remove('over'));
  zone.addEventListener('drop', (event) => {
    zone.classList.remove('over');
    if (!holdsFiles(event)) return;
    event.preventDefault();
    take([...event.dataTransfer.files]);
  });
}

export const byId = (id) => document.getElementById(id);

/** Return a number with a true minus sign. */
export const signed = (value, digits = 4) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
