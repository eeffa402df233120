// The API as its schema describes it: fields, answers, refusals, an example to copy, and a form to try it.

import { byId, make } from './state.js';

const EXAMPLES = {
  '/api/score': {
    metrics: ['bertscore', 'chrf'],
    segments: [{ hypothesis: 'The boy ran home.', references: ['The young man hurried home.'] }],
  },
  '/api/explain': {
    metric: 'bertscore', pictures: false,
    segment: { hypothesis: 'The boy ran home.', references: ['The young man hurried home.'] },
  },
  '/api/compare': {
    metrics: ['chrf'], report: false,
    systems: { A: ['The boy ran home.', 'It rained.', 'She sang.'], B: ['A boy ran.', 'Rain fell.', 'She sang.'] },
    references: [['The young man hurried home.', 'It was raining.', 'She sang.']],
  },
};

async function begin() {
  const schema = await (await fetch('/openapi.json')).json();
  const operations = Object.entries(schema.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })));
  byId('paths').replaceChildren(...operations.map(({ path, method, operation }) => make('li', {},
    make('a', { href: `#${anchor(path)}`, title: operation.summary }, `${method} ${path}`))));
  byId('operations').replaceChildren(...operations.map((one) => section(one, schema)));
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

const anchor = (path) => path.replaceAll('/', '-').slice(1);

function section({ path, method, operation }, schema) {
  const body = operation.requestBody?.content['application/json']?.schema;
  const answer = operation.responses['200']?.content?.['application/json']?.schema;
  const refusals = Object.entries(operation.responses).filter(([status]) => status !== '200');
  return make('section', { class: 'operation', id: anchor(path) },
    make('h2', {}, make('span', { class: 'method' }, method), make('code', {}, path)),
    make('p', {}, `${operation.summary}.`),
    ...prose(operation.description),
    ...(body ? [make('h3', {}, 'Body'), ...tables(body, schema)] : []),
    ...(EXAMPLES[path] ? example(path) : []),
    ...(answer?.$ref ? [make('details', {}, make('summary', {}, 'Answer'), ...tables(answer, schema))] : []),
    ...(refusals.length ? [make('details', {}, make('summary', {}, 'Refusals'), table(['status', 'because'],
      refusals.map(([status, { description }]) => [status, description])))] : []));
}

const prose = (text) => (text ? [make('p', { class: 'note' }, text)] : []);

/** One table for a type, and one for each type that its fields use. */
function tables(type, schema) {
  const shown = new Map();
  const visit = (name) => {
    const found = schema.components.schemas[name];
    const target = found?.anyOf?.find((branch) => branch.properties) ?? found;
    if (shown.has(name) || !target?.properties) return;
    shown.set(name, null);
    const rows = Object.entries(target.properties).map(([field, spec]) => [
      field + (target.required?.includes(field) ? ' *' : ''), typeName(spec), meaning(spec)]);
    shown.set(name, make('div', {}, make('p', { class: 'note' }, make('b', {}, name), ` ${plain(target.description)}`), table(['field', 'type', 'meaning'], rows)));
    for (const match of JSON.stringify(target.properties).matchAll(/#\/components\/schemas\/(\w+)/g)) visit(match[1]);
  };
  for (const match of JSON.stringify(type).matchAll(/#\/components\/schemas\/(\w+)/g)) visit(match[1]);
  return [...shown.values()].filter(Boolean);
}

const plain = (text) => (text ?? '').replaceAll('`', '').replaceAll('\n\n', ' ').replaceAll('\n', ' ');

function typeName(spec) {
  if (spec.$ref) return spec.$ref.split('/').at(-1);
  if (spec.anyOf) return spec.anyOf.map(typeName).join(' or ');
  if (spec.type === 'array') return `list of ${typeName(spec.items ?? {})}`;
  if (spec.type === 'object' && typeof spec.additionalProperties === 'object') return `object of ${typeName(spec.additionalProperties)}`;
  return { string: 'text', integer: 'whole number', boolean: 'true or false' }[spec.type] ?? spec.type ?? 'any value';
}

function meaning(spec) {
  const parts = [plain(spec.description)];
  if (spec.enum) parts.push(spec.enum.join(', '));
  if (spec.default !== undefined && spec.default !== null) parts.push(`default ${JSON.stringify(spec.default)}`);
  if (spec.minimum !== undefined) parts.push(`at least ${spec.minimum}`);
  if (spec.maximum !== undefined) parts.push(`at most ${spec.maximum}`);
  return parts.filter(Boolean).join('; ');
}

function table(head, rows) {
  const line = (tag, cells) => make('tr', {}, ...cells.map((cell) => make(tag, {}, cell)));
  return make('div', { class: 'scroll' }, make('table', {}, make('thead', {}, line('th', head)), make('tbody', {}, ...rows.map((row) => line('td', row)))));
}

function example(path) {
  const text = JSON.stringify(EXAMPLES[path], null, 1);
  const area = make('textarea', { spellcheck: 'false', 'aria-label': 'body' });
  area.value = text;
  const output = make('pre', { hidden: true });
  const button = make('button', { type: 'button', class: 'main' }, 'Send');
  button.addEventListener('click', async () => {
    output.hidden = false;
    output.textContent = '…';
    const token = sessionStorage.getItem('monge-token');
    const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
    const response = await fetch(path, { method: 'POST', headers, body: area.value });
    const answer = JSON.stringify(await response.json(), null, 1);
    output.textContent = `${response.status}\n${answer.length > 4000 ? `${answer.slice(0, 4000)} …` : answer}`;
  });
  return [
    make('h3', {}, 'Example'),
    make('pre', {}, `curl -s ${location.origin}${path} -H 'content-type: application/json' -d '\n${text}'`),
    make('details', {}, make('summary', {}, 'Try it'), area, make('div', { class: 'buttons' }, button), output),
  ];
}

begin();
