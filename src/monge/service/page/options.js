// The options of the metric whose card is chosen: each with its meaning, default and choices.

import { byId, make } from './state.js';
import { nameOf, readVariant, writeVariant } from './variants.js';

const FIRST = ['layers', 'weighting', 'drop', 'ngram', 'cost', 'alpha', 'order', 'references', 'against', 'tokenize', 'lowercase'];

/** Show the options of a metric; `change(text)` is called with the metric as it is written then. */
export function showOptions(page, text, change) {
  const card = page.cards.get(nameOf(text));
  byId('options').hidden = !card?.options.length;
  if (!card) return;
  byId('options-name').textContent = text;
  const { name, options } = readVariant(text);
  const rank = (option) => (FIRST.includes(option.name) ? FIRST.indexOf(option.name) : FIRST.length);
  const fields = [...card.options].sort((a, b) => rank(a) - rank(b)).map((option) => field(option, options[option.name], (value) => {
    const kept = { ...options };
    if (value === '' || value === String(option.default)) delete kept[option.name];
    else kept[option.name] = value;
    change(writeVariant(name, kept));
  }));
  byId('option-list').replaceChildren(...fields);
}

function field(option, value, change) {
  const id = `option-${option.name}`;
  const control = controlOf(option, value, id);
  control.addEventListener('change', () => change(control.value.trim()));
  const changed = value !== undefined && value !== String(option.default);
  return make('div', { class: changed ? 'option changed' : 'option' },
    make('label', { for: id }, option.name), control, make('span', { class: 'note' }, option.meaning));
}

function controlOf(option, value, id) {
  const now = String(value ?? option.default ?? '');
  const choices = option.choices.length ? option.choices : typeof option.default === 'boolean' ? ['true', 'false'] : [];
  if (!choices.length) return make('input', { id, value: now, size: 10, spellcheck: 'false', autocomplete: 'off' });
  const select = make('select', { id }, ...choices.map((choice) => make('option', { value: choice }, choice)));
  select.value = now;
  return select;
}
