// Systems: files that are dropped or chosen, the report of their comparison, and the way from it to single sentences.

import * as api from './api.js';
import { byId, make, onDrop, readText } from './state.js';

const KINDS = ['system', 'reference', 'source'];

export function setUpCompare(page) {
  new ComparePanel(page).listen();
}

class ComparePanel {
  constructor(page) {
    this.page = page;
    this.files = { system: new Map(), reference: new Map(), source: new Map() };
    this.compared = null; // the files behind the report
    this.report = '';
    this.abort = new AbortController();
  }

  listen() {
    for (const kind of KINDS) {
      const input = byId(`${kind}-files`);
      input.addEventListener('change', () => { this.take(kind, [...input.files]); input.value = ''; });
      onDrop(byId(`drop-${kind}s`), (files) => this.take(kind, files));
    }
    byId('run-compare').addEventListener('click', () => this.run());
    byId('clear-compare').addEventListener('click', () => this.clear());
    byId('save-report').addEventListener('click', () => this.save());
    byId('report').addEventListener('click', (event) => this.follow(event));
    byId('back-to-report').addEventListener('click', () => { byId('back').hidden = true; this.page.showTab('compare'); });
  }

  say(text) { byId('compare-status').textContent = text; }

  setBusy(busy) {
    byId('run-compare').disabled = busy;
    byId('compare-progress').hidden = !busy;
    byId('compare-progress').removeAttribute('value');
  }

  /** Show how far the service is. */
  tell({ step, done, total }) {
    const bar = byId('compare-progress');
    if (done < total) {
      bar.max = total;
      bar.value = done;
      this.say(`${step}: ${done.toLocaleString()} of ${total.toLocaleString()} segments`);
    } else {
      bar.removeAttribute('value');
      this.say(`${step} …`);
    }
  }

  async take(kind, files) {
    const problems = [];
    if (kind === 'source') this.files.source.clear(); // there is one file of sources
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
    for (const kind of KINDS) { this.files[kind].clear(); this.list(kind); }
    byId('report').replaceChildren();
    byId('save-report').hidden = true;
    this.say('');
  }

  async run() {
    const metrics = this.page.chosen().map((text) => this.page.choice(text));
    const systems = Object.fromEntries(this.files.system);
    if (Object.keys(systems).length < 2) return this.say('at least two systems are needed');
    if (!metrics.length) return this.say(this.page.advice());
    this.say('comparing …');
    this.setBusy(true);
    this.abort = new AbortController();
    const { signal } = this.abort;
    const references = [...this.files.reference.values()];
    const sources = [...this.files.source.values()][0] ?? null;
    try {
      const answer = await api.compare({ metrics, systems, references, sources }, signal, (progress) => {
        if (!signal.aborted) this.tell(progress);
      });
      if (signal.aborted) return; // cleared just as the answer came
      this.compared = { systems, references, sources };
      this.show(answer);
    } catch (error) {
      if (signal.aborted) return;
      this.say(error.message);
    }
    this.setBusy(false);
  }

  show(answer) {
    this.report = answer.report;
    const unstyled = answer.report.replace(/<style>[^]*?<\/style>/, ''); // the page brings the same style sheet
    const parsed = new DOMParser().parseFromString(unstyled, 'text/html');
    byId('report').replaceChildren(...[...parsed.querySelector('main').children].map((part) => document.importNode(part, true)));
    byId('save-report').hidden = false;
    this.say(Object.entries(answer.errors).map(([name, error]) => `${name} failed and is left out: ${error}`).join('; '));
  }

  /** Go to a section of the report (the address holds the page's state, so links do not change it), or to a sentence. */
  follow(event) {
    const link = event.target.closest('nav.contents a');
    if (link) {
      event.preventDefault();
      document.getElementById(link.getAttribute('href').slice(1))?.scrollIntoView({ behavior: 'smooth' });
    }
    const button = event.target.closest('button.drill');
    if (button) this.drill(button.dataset);
  }

  /** Explain one output of a system on the other tab. */
  drill({ system, id, metric }) {
    const place = Number(id) - 1;
    const { systems, references, sources } = this.compared;
    Object.assign(this.page.state, {
      h: systems[system][place], r: references.map((lines) => lines[place]), s: sources?.[place] ?? '', metric,
    });
    this.page.explain.fill();
    byId('back').hidden = false;
    byId('back-note').textContent = `${system}, line ${id}`;
    this.page.showTab('explain');
    scrollTo(0, 0);
    this.page.explain.run();
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
