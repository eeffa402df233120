// Systems: files that are dropped or chosen, and the report of their comparison.

import * as api from './api.js';
import { byId, make, onDrop, readText } from './state.js';

export function setUpCompare(page) {
  new ComparePanel(page).listen();
}

class ComparePanel {
  constructor(page) {
    this.page = page;
    this.files = { reference: new Map(), system: new Map() };
    this.report = '';
    this.abort = new AbortController();
  }

  listen() {
    for (const kind of ['reference', 'system']) {
      const zone = byId(`drop-${kind}s`);
      const input = byId(`${kind}-files`);
      input.addEventListener('change', () => { this.take(kind, [...input.files]); input.value = ''; });
      onDrop(zone, (files) => this.take(kind, files));
    }
    byId('run-compare').addEventListener('click', () => this.run());
    byId('clear-compare').addEventListener('click', () => this.clear());
    byId('save-report').addEventListener('click', () => this.save());
  }

  say(text) { byId('compare-status').textContent = text; }

  setBusy(busy) {
    byId('run-compare').disabled = busy;
    byId('compare-progress').hidden = !busy;
  }

  async take(kind, files) {
    const problems = [];
    for (const file of files) {
      try {
        const text = await readText(file, this.page.limits.body_bytes);
        this.files[kind].set(uniqueName(stem(file.name), this.files[kind]), splitLines(text));
      } catch (error) {
        problems.push(error.message);
      }
    }
    this.say(problems.join('; '));
    this.list(kind);
  }

  list(kind) {
    const rows = [...this.files[kind]].map(([name, lines]) => {
      const remove = make('button', { type: 'button', class: 'plain', 'aria-label': `remove ${name}` }, '×');
      remove.addEventListener('click', () => { this.files[kind].delete(name); this.list(kind); });
      return make('li', {}, `${name}, ${lines.length.toLocaleString()} lines `, remove);
    });
    byId(`${kind}-list`).replaceChildren(...rows);
  }

  clear() {
    this.abort.abort();
    this.setBusy(false);
    for (const kind of ['reference', 'system']) { this.files[kind].clear(); this.list(kind); }
    byId('report').replaceChildren();
    byId('save-report').hidden = true;
    this.say('');
  }

  async run() {
    const metrics = this.page.choices();
    const systems = Object.fromEntries(this.files.system);
    if (Object.keys(systems).length < 2) return this.say('at least two systems are needed');
    if (!metrics.length) return this.say('choose a metric');
    this.say('comparing …');
    this.setBusy(true);
    this.abort = new AbortController();
    const { signal } = this.abort;
    try {
      const answer = await api.compare({ metrics, systems, references: [...this.files.reference.values()] }, signal);
      if (signal.aborted) return; // cleared just as the answer came
      this.report = answer.report;
      const unstyled = answer.report.replace(/<style>[^]*?<\/style>/, ''); // the page brings the same style sheet
      const parsed = new DOMParser().parseFromString(unstyled, 'text/html');
      byId('report').replaceChildren(...[...parsed.querySelector('main').children].map((part) => document.importNode(part, true)));
      byId('save-report').hidden = false;
      this.say(Object.entries(answer.errors).map(([name, error]) => `${name} failed and is left out: ${error}`).join('; '));
    } catch (error) {
      if (signal.aborted) return;
      this.say(error.message);
    }
    this.setBusy(false);
  }

  save() {
    const address = URL.createObjectURL(new Blob([this.report], { type: 'text/html' }));
    make('a', { href: address, download: 'comparison.html' }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }
}

/** Return lines; only \n (or \r\n) ends a line, and a final one starts no further line. */
export function splitLines(text) {
  const lines = text.replace(/^\uFEFF/, '').split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

const stem = (name) => name.replace(/\.[^.]*$/, '') || name;

function uniqueName(name, taken) {
  let fresh = name;
  for (let count = 2; taken.has(fresh); count += 1) fresh = `${name}-${count}`;
  return fresh;
}
