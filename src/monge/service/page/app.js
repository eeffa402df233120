// The page: tabs, the choice of metrics and encoder, and the two panels.

import { getMetrics, setToken } from './api.js';
import { setUpCompare } from './compare.js';
import { setUpExplain } from './explain.js';
import { byId, make, readState, writeState } from './state.js';
import { nameOf, readVariant } from './variants.js';

const EXAMPLE = {
  h: 'In the north, strong rain is expected until Thursday night.',
  r: ['Heavy rainfall is forecast for the northern coast until Thursday evening.'],
};

const page = {
  state: readState(),
  cards: new Map(), // metrics of the service by name
  limits: {},
  save() { writeState(this.state); },
  /** The chosen metrics that can run here, as they are written: NAME,option=value. */
  chosen() { return this.state.m.filter((text) => this.cards.has(nameOf(text)) && !this.obstacle(nameOf(text))); },
  /** What to do if no metric is chosen: nothing can be, until the metrics are known. */
  advice() { return this.cards.size ? 'choose a metric' : 'the metrics are still loading: try again in a moment'; },
  /** A metric as requests name it. */
  choice(text) {
    const { name, options } = readVariant(text);
    const encoder = this.cards.get(name)?.encoder !== null && this.state.e && !options.encoder ? { encoder: this.state.e } : {};
    return { name, options: { ...options, ...encoder }, label: text };
  },
  /** Why a metric cannot run here with the encoder that is chosen, or nothing. */
  obstacle(name) {
    const card = this.cards.get(name);
    if (!card || card.available) return '';
    return card.encoder !== null && this.state.e ? '' : card.reason;
  },
  showTab: () => {},
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
  page.showTab = (name) => show(byId(`tab-${name}`));
  show(tabs.find((tab) => tab.getAttribute('aria-controls') === page.state.tab) ?? tabs[0]);
}

function setUpMetrics(answer) {
  page.cards = new Map(answer.metrics.map((card) => [card.name, card]));
  page.limits = answer.limits;
  page.state.m = page.state.m.filter((text) => page.cards.has(nameOf(text)));
  byId('version').textContent = `monge ${answer.version}`;
  const encoder = byId('encoder');
  encoder.replaceChildren(encoder.options[0], ...answer.encoders.map((name) => make('option', { value: name }, name)));
  encoder.value = answer.encoders.includes(page.state.e) ? page.state.e : '';
  page.state.e = encoder.value;
  encoder.addEventListener('change', () => { page.state.e = encoder.value; page.save(); listMetrics(answer.metrics); });
  listMetrics(answer.metrics);
}

function listMetrics(cards) {
  const families = new Map();
  for (const card of cards) families.set(card.family, [...(families.get(card.family) ?? []), card]);
  byId('metric-list').replaceChildren(...[...families].map(([family, members]) =>
    make('fieldset', {}, make('legend', {}, family), ...members.map(metricBox))));
  showChosen();
}

/** A metric with its box to tick; one that cannot run here is grey and says why. */
function metricBox(card) {
  const obstacle = page.obstacle(card.name);
  const ticked = page.state.m.some((text) => nameOf(text) === card.name);
  const box = make('input', { type: 'checkbox', value: card.name, checked: ticked && !obstacle, disabled: Boolean(obstacle) });
  box.addEventListener('change', () => {
    const others = page.state.m.filter((text) => nameOf(text) !== card.name);
    page.state.m = box.checked ? [...others, card.name] : others;
    showChosen();
    page.save();
  });
  const arrow = { true: '↑', false: '↓' }[card.higher_is_better] ?? '';
  return make('label', { title: card.summary, class: obstacle ? 'off' : false }, box, ` ${card.name} ${arrow}`,
    ...(obstacle ? [make('span', { class: 'reason' }, ` ${obstacle}`)] : []));
}

function showChosen() {
  byId('chosen-metrics').textContent = page.chosen().join(', ') || 'none';
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
  page.explain = setUpExplain(page);
  page.showChosen = showChosen;
  setUpCompare(page);
  const load = async () => {
    byId('pair-status').textContent = 'loading the metrics …';
    try {
      setUpMetrics(await getMetrics());
      byId('token').hidden = true;
      byId('pair-status').textContent = '';
      page.explain.run();
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
