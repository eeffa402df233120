// The page: tabs, the choice of metrics and encoder, and the two panels.

import { getMetrics, setToken } from './api.js';
import { setUpCompare } from './compare.js';
import { setUpExplain } from './explain.js';
import { byId, make, readState, writeState } from './state.js';

const EXAMPLE = {
  h: 'In the north, strong rain is expected until Thursday night.',
  r: ['Heavy rainfall is forecast for the northern coast until Thursday evening.'],
};

const page = {
  state: readState(),
  cards: new Map(), // metrics of the service by name
  limits: {},
  save() { writeState(this.state); },
  /** The chosen metrics, as requests name them. */
  choices() { return this.state.m.filter((name) => this.cards.has(name)).map((name) => this.choice(name)); },
  choice(name) {
    const usesEncoder = this.cards.get(name)?.encoder;
    return { name, options: usesEncoder && this.state.e ? { encoder: this.state.e } : {} };
  },
};

function setUpTabs() {
  const tabs = [byId('tab-explain'), byId('tab-compare')];
  const show = (tab, focus) => {
    for (const other of tabs) {
      const selected = other === tab;
      other.setAttribute('aria-selected', selected);
      other.tabIndex = selected ? 0 : -1;
      byId(other.getAttribute('aria-controls')).hidden = !selected;
    }
    page.state.tab = tab.getAttribute('aria-controls');
    page.save();
    if (focus) tab.focus();
  };
  for (const tab of tabs) {
    tab.addEventListener('click', () => show(tab));
    tab.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') show(tabs.find((other) => other !== tab), true);
    });
  }
  show(tabs.find((tab) => tab.getAttribute('aria-controls') === page.state.tab) ?? tabs[0]);
}

function setUpMetrics(answer) {
  page.cards = new Map(answer.metrics.map((card) => [card.name, card]));
  page.limits = answer.limits;
  page.state.m = page.state.m.filter((name) => page.cards.has(name));
  byId('version').textContent = `monge ${answer.version}`;
  const families = Map.groupBy ? Map.groupBy(answer.metrics, (card) => card.family) : groupByFamily(answer.metrics);
  for (const [family, cards] of families) {
    const boxes = cards.map((card) => {
      const box = make('input', { type: 'checkbox', value: card.name, checked: page.state.m.includes(card.name) });
      box.addEventListener('change', () => {
        page.state.m = [...byId('metric-list').querySelectorAll('input:checked')].map((other) => other.value);
        showChosen();
        page.save();
      });
      return make('label', { title: card.summary }, box, ` ${card.name} ${card.higher_is_better ? '↑' : '↓'}`);
    });
    byId('metric-list').append(make('fieldset', {}, make('legend', {}, family), ...boxes));
  }
  const encoder = byId('encoder');
  for (const name of answer.encoders) encoder.append(make('option', { value: name }, name));
  encoder.value = answer.encoders.includes(page.state.e) ? page.state.e : '';
  page.state.e = encoder.value;
  encoder.addEventListener('change', () => { page.state.e = encoder.value; page.save(); });
  showChosen();
}

function groupByFamily(cards) {
  const families = new Map();
  for (const card of cards) families.set(card.family, [...(families.get(card.family) ?? []), card]);
  return families;
}

function showChosen() {
  byId('chosen-metrics').textContent = page.state.m.join(', ') || 'none';
}

/** A file that misses its target must not replace the page. */
function ignoreStrayDrops() {
  for (const kind of ['dragover', 'drop']) {
    addEventListener(kind, (event) => {
      if (event.defaultPrevented || !event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'none';
    });
  }
}

async function begin() {
  setUpTabs();
  ignoreStrayDrops();
  if (!page.state.h && page.state.r.every((text) => !text)) Object.assign(page.state, EXAMPLE);
  const explain = setUpExplain(page);
  setUpCompare(page);
  const load = async () => {
    try {
      setUpMetrics(await getMetrics());
      byId('token').hidden = true;
      byId('pair-status').textContent = '';
      explain.run();
    } catch (error) {
      const asked = !byId('token').hidden;
      if (error.status === 401) byId('token').hidden = false;
      byId('pair-status').textContent = error.status !== 401 ? error.message : asked ? 'this token is not the right one' : '';
    }
  };
  byId('token').addEventListener('submit', (event) => {
    event.preventDefault();
    setToken(new FormData(event.target).get('token'));
    load();
  });
  await load();
}

begin();
