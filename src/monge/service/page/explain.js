// One pair: scores as cards, the alignment of the chosen one as rows, columns or heat map, and the change from the last one.

import * as api from './api.js';
import { failedCard, scoreCard, specOf } from './cards.js';
import { lightUp } from './hover.js';
import { DOCUMENT_HINT, documentSum, fociTable } from './documents.js';
import { showOptions } from './options.js';
import { byId, make, onDrop, readText, signed } from './state.js';

const VIEWS = ['ribbons', 'columns', 'heatmap'];
const PATIENCE = 250; // milliseconds until a picture is drawn again for another width
const SLACK = 24; // pixels by which a picture may be too narrow
const HINTS = {
  additive: 'Point at a word, or reach it with the Tab key, to see where its mass goes.',
  occlusion: 'Point at a word, or reach it with the Tab key, to see what it adds.',
  document: DOCUMENT_HINT,
};

export function setUpExplain(page) {
  const panel = new ExplainPanel(page);
  panel.listen();
  return panel;
}

class ExplainPanel {
  constructor(page) {
    this.page = page;
    this.answers = new Map(); // explanations by metric, for the texts on the page
    this.shown = null;
    this.before = null;
    this.pair = 0;
    this.width = 0; // that the pictures were drawn for
    this.abort = new AbortController();
    this.fill();
    lightUp(byId('picture'), (text) => { byId('detail').textContent = text; });
  }

  /** Put the texts of the state into the fields. */
  fill() {
    const { state } = this.page;
    byId('hypothesis').value = state.h;
    byId('source').value = state.s;
    byId('source-box').open = Boolean(state.s);
    byId('references').replaceChildren();
    for (const text of state.r.length ? state.r : ['']) this.addReference(text);
  }

  listen() {
    byId('pair').addEventListener('submit', (event) => { event.preventDefault(); this.run(); });
    byId('pair').addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.run(); }
    });
    for (const id of ['hypothesis', 'source']) this.takeDrops(byId(id));
    byId('add-reference').addEventListener('click', () => this.addReference('').focus());
    byId('share').addEventListener('click', () => this.share());
    for (const view of VIEWS) {
      byId(`view-${view}`).addEventListener('click', () => { this.page.state.view = view; this.page.save(); this.draw(); });
    }
    byId('cards').addEventListener('keydown', (event) => this.step(event));
    let waiting;
    new ResizeObserver(() => {
      clearTimeout(waiting);
      waiting = setTimeout(() => this.fit(), PATIENCE);
    }).observe(byId('explain'));
  }

  /** Draw again when the room for the picture has changed. */
  fit() {
    const room = this.room();
    if (!this.shown || !this.width || byId('why').hidden || Math.abs(room - this.width) < SLACK) return;
    this.answers.clear();
    this.look(this.shown);
  }

  room() { return Math.max(280, Math.floor(byId('explain').clientWidth || innerWidth - 32)); }

  addReference(text) {
    const list = byId('references');
    const number = list.children.length + 1;
    const area = make('textarea', { rows: 3, spellcheck: 'false', dir: 'auto', id: `reference-${number}` });
    area.value = text;
    this.takeDrops(area);
    const row = make('div', {}, make('label', { for: area.id }, number === 1 ? 'Reference' : `Reference ${number}`), area);
    list.append(row);
    return area;
  }

  /** A file dropped on a text becomes the text. */
  takeDrops(area) {
    onDrop(area, async ([file]) => {
      try {
        area.value = (await readText(file, this.page.limits.body_bytes)).replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
        this.say('');
      } catch (error) {
        this.say(error.message);
      }
    });
  }

  async share() {
    this.collect();
    try {
      await navigator.clipboard.writeText(location.href);
      this.say('link copied');
    } catch {
      this.say('copy the address of this page: it contains the texts');
    }
  }

  collect() {
    const { state } = this.page;
    state.h = byId('hypothesis').value;
    state.s = byId('source').value;
    state.r = [...byId('references').querySelectorAll('textarea')].map((area) => area.value);
    this.page.save();
  }

  segment() {
    const { state } = this.page;
    const filled = state.r.filter((text) => text !== '');
    return { hypothesis: state.h, references: filled.length || state.s ? filled : [''], source: state.s || null };
  }

  say(text) { byId('pair-status').textContent = text; }

  async run() {
    this.collect();
    this.abort.abort();
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.answers.clear();
    this.before = null;
    const chosen = this.page.chosen();
    if (!chosen.length) return this.say(this.page.advice());
    this.say('scoring …');
    this.setBusy(true);
    try {
      const { results, failed } = await this.score(chosen, signal);
      if (signal.aborted) return; // a newer run took over just as the answer came
      this.say('');
      this.showCards(chosen, results, failed);
    } catch (error) {
      if (signal.aborted) return; // a newer run has taken over
      byId('cards').replaceChildren(); // they belong to other texts
      byId('why').hidden = true;
      byId('options').hidden = true;
      this.clearPicture();
      this.say(error.message);
    }
  }

  /** Score by the chosen metrics; one that the service refuses (it needs a source, say) does not stop the others. */
  async score(chosen, signal) {
    const failed = new Map();
    for (;;) {
      const left = chosen.filter((text) => !failed.has(text));
      try {
        const { results } = await api.score({ metrics: left.map((text) => this.page.choice(text)), segments: [this.segment()] }, signal);
        return { results, failed };
      } catch (error) {
        const place = error.field?.match(/^metrics\[(\d+)\]/);
        if (signal.aborted || !place || left.length < 2) throw error;
        failed.set(left[place[1]], error.reason);
      }
    }
  }

  /** Mark whether the picture is still that of an earlier request. */
  setBusy(busy) { byId('picture').setAttribute('aria-busy', String(busy)); }

  showCards(chosen, results, failed) {
    const made = new Map(results.map((result) => [result.metric, result]));
    byId('cards').replaceChildren(...chosen.map((text) => {
      const result = made.get(text);
      return !result || result.error ? failedCard(text, result?.error ?? failed.get(text)) : this.card(result);
    }));
    const names = results.filter((result) => !result.error).map((result) => result.metric);
    byId('why').hidden = false;
    this.look(names.includes(this.page.state.metric) ? this.page.state.metric : names[0]);
  }

  card(result) {
    const card = scoreCard(result, specOf(this.page, result.metric));
    card.addEventListener('click', () => this.look(result.metric));
    return card;
  }

  step(event) {
    const turn = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!turn) return;
    event.preventDefault();
    const cards = [...byId('cards').querySelectorAll('button.card')];
    const next = cards[(cards.indexOf(document.activeElement) + turn + cards.length) % cards.length];
    next.focus();
    this.look(next.dataset.metric);
  }

  async look(metric) {
    if (metric !== this.shown) this.before = this.shown;
    this.shown = metric;
    this.page.state.metric = metric;
    this.page.save();
    for (const card of byId('cards').querySelectorAll('button.card')) {
      const checked = card.dataset.metric === metric;
      card.setAttribute('aria-checked', checked);
      card.tabIndex = checked ? 0 : -1;
    }
    showOptions(this.page, metric, (text) => this.replaceMetric(metric, text));
    const { signal } = this.abort;
    try {
      if (!this.answers.has(metric)) {
        this.setBusy(true);
        this.width = this.room();
        const request = { metric: this.page.choice(metric), segment: this.segment(), width: this.width };
        const answer = await api.explain(request, signal);
        if (signal.aborted) return; // it explains texts that have been replaced
        this.answers.set(metric, answer);
      }
      if (metric === this.shown) this.draw();
    } catch (error) {
      if (signal.aborted || metric !== this.shown) return;
      this.clearPicture();
      byId('sentence').textContent = `No picture. ${error.message}`;
    }
  }

  /** Take another variant of a metric in its place. */
  replaceMetric(old, text) {
    const { state } = this.page;
    state.m = [...new Set(state.m.map((other) => (other === old ? text : other)))];
    state.metric = text;
    this.page.showChosen();
    this.run();
  }

  /** Remove everything that belongs to another metric or text. */
  clearPicture() {
    for (const id of ['sentence', 'picture', 'detail', 'sum', 'foci', 'difference', 'notes', 'pair-choice']) byId(id).replaceChildren();
    this.setBusy(false);
  }

  draw() {
    const answer = this.answers.get(this.shown);
    if (!answer) return;
    const { kind, sentence, explanation, pictures } = answer;
    this.pair = Math.min(this.pair, pictures.length - 1);
    const drawings = pictures[this.pair];
    const view = drawings[this.page.state.view] ? this.page.state.view : 'ribbons';
    const held = byId('picture').contains(document.activeElement) ? { ...document.activeElement.dataset } : null;
    for (const name of VIEWS) {
      byId(`view-${name}`).setAttribute('aria-checked', name === view);
      byId(`view-${name}`).hidden = kind !== 'additive';
      byId(`view-${name}`).disabled = !drawings[name];
    }
    byId('sentence').textContent = sentence.charAt(0).toUpperCase() + sentence.slice(1);
    this.drawPairs(explanation.pairs ?? []);
    this.drawPicture(drawings[view]);
    byId('detail').textContent = HINTS[kind];
    byId('sum').textContent = kind === 'additive' ? sumLine(explanation) : kind === 'document' ? documentSum(explanation)
      : 'This metric moves no mass: each number is the loss in score when that word is left out. They do not sum to the score.';
    byId('foci').replaceChildren(...(kind === 'document' ? [fociTable(explanation.pairs[this.pair], byId('picture'))] : []));
    byId('notes').replaceChildren(...(explanation.notes ?? []).map((note) => make('li', {}, note)));
    this.drawDifference();
    this.focusWord(held);
    this.setBusy(false);
  }

  drawPicture(drawn) {
    const parsed = new DOMParser().parseFromString(drawn, 'image/svg+xml');
    byId('picture').replaceChildren(document.importNode(parsed.documentElement, true));
    byId('picture').classList.remove('lit');
  }

  /** Return the keyboard focus to the word that had it before the picture was redrawn. */
  focusWord(held) {
    if (!held) return;
    const [side, place] = ['h', 'r', 'focus'].map((name) => [name, held[name]]).find(([, value]) => value !== undefined) ?? [];
    if (side) byId('picture').querySelector(`[tabindex][data-${side}="${CSS.escape(place)}"]`)?.focus();
  }

  drawPairs(pairs) {
    const choice = byId('pair-choice');
    choice.replaceChildren();
    if (pairs.length < 2) return;
    pairs.forEach((pair, place) => {
      const button = make('button', { type: 'button', 'aria-pressed': String(place === this.pair) }, `reference ${place + 1}`);
      button.addEventListener('click', () => { this.pair = place; this.draw(); });
      choice.append(button);
    });
  }

  drawDifference() {
    const box = byId('difference');
    box.replaceChildren();
    const [now, before] = [this.answers.get(this.shown), this.answers.get(this.before)];
    if (now?.kind !== 'additive' || before?.kind !== 'additive') return;
    const [rows, others] = [shares(now.explanation), shares(before.explanation)];
    const known = new Map(others.map((row) => [row.key, row.share]));
    const changes = rows
      .map((row) => ({ ...row, before: known.get(row.key) ?? 0, change: row.share - (known.get(row.key) ?? 0) }))
      .sort((a, b) => Math.abs(b.change) - Math.abs(a.change))
      .slice(0, 8);
    const percent = (share) => `${Math.round(share * 100)} %`;
    const line = (tag, cells, left = 2) =>
      make('tr', {}, ...cells.map((cell, i) => make(tag, i < left ? { class: 'l' } : {}, cell)));
    box.append(
      make('p', { class: 'note' }, `What changes from ${this.before} to ${this.shown}: each word's share of the loss`),
      make('div', { class: 'scroll' }, make('table', {},
        make('thead', {}, line('th', ['word', 'text', this.before, this.shown])),
        make('tbody', {}, ...changes.map((row) => line('td', [row.word, row.side, percent(row.before), percent(row.share)]))))),
    );
  }
}

/** Return every word with its share of the loss; a word is identified by side and position. */
function shares(explanation) {
  const words = explanation.pairs.flatMap((pair, place) => ['hypothesis', 'reference'].flatMap((side) =>
    pair[side].words.filter((word) => word.end > word.start).map((word) => ({
      key: `${side === 'hypothesis' ? '' : place}${side}${word.start}-${word.end}`,
      word: word.text, side: side === 'hypothesis' ? side : pair.against, loss: Math.abs(word.contribution),
    }))));
  const total = words.reduce((sum, word) => sum + word.loss, 0) || 1;
  const merged = new Map();
  for (const word of words) {
    const row = merged.get(word.key) ?? { key: word.key, word: word.word, side: word.side, share: 0 };
    row.share += word.loss / total;
    merged.set(word.key, row);
  }
  return [...merged.values()];
}

function sumLine(explanation) {
  const side = (name) => explanation.pairs.reduce(
    (sum, pair) => sum + pair[name].words.reduce((part, word) => part + word.contribution, 0), 0);
  const terms = Object.entries(explanation.terms).map(([name, value]) => ` ${signed(value)} (${name})`).join('');
  const value = explanation.value.toFixed(4).replace('-', '−');
  const base = explanation.base.toFixed(4);
  const other = explanation.pairs[0]?.against ?? 'reference';
  return `${value} = ${base} (${explanation.base ? 'a perfect match' : 'no distance'}) ${signed(side('hypothesis'))} `
    + `(hypothesis words) ${signed(side('reference'))} (${other} words)${terms}`;
}
