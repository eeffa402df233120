// The service's JSON API. A refusal becomes an Error with the service's own sentence.

export class Refused extends Error {
  constructor(status, message, field = '') {
    const place = placeOf(field);
    super(place ? `${place}: ${message}` : message);
    this.status = status;
    this.field = field;
    this.reason = message;
  }
}

/** Return the part of the page that a field of a request came from, as a person would name it. */
export function placeOf(field) {
  const rules = [
    [/^segments?(?:\[\d+\])?\.hypothesis$/, () => 'Hypothesis'],
    [/^segments?(?:\[\d+\])?\.source$/, () => 'Source'],
    [/^segments?(?:\[\d+\])?\.references\[(\d+)\]$/, (n) => `Reference ${Number(n) + 1}`],
    [/^segments?(?:\[\d+\])?\.references$/, () => 'References'],
    [/^systems\.(.+)\[(\d+)\]$/, (name, n) => `${name}, line ${Number(n) + 1}`],
    [/^systems\.(.+)$/, (name) => name],
    [/^references\[(\d+)\]\[(\d+)\]$/, (file, n) => `Reference file ${Number(file) + 1}, line ${Number(n) + 1}`],
    [/^references\[(\d+)\]$/, (n) => `Reference file ${Number(n) + 1}`],
    [/^sources\[(\d+)\]$/, (n) => `Sources, line ${Number(n) + 1}`],
    [/^sources$/, () => 'Sources'],
    [/\.options\.(\w+)$/, (name) => `Option ${name}`],
  ];
  for (const [pattern, name] of rules) {
    const found = field.match(pattern);
    if (found) return name(...found.slice(1));
  }
  return '';
}

let token = sessionStorage.getItem('monge-token') ?? '';

/** Use a token for all further requests, until the tab is closed. */
export function setToken(value) {
  token = value;
  sessionStorage.setItem('monge-token', value);
}

async function open(path, options = {}) {
  const headers = { ...options.headers, ...(token ? { authorization: `Bearer ${token}` } : {}) };
  try {
    return await fetch(path, { ...options, headers });
  } catch {
    throw new Refused(0, 'the service cannot be reached');
  }
}

async function ask(path, options = {}) {
  const response = await open(path, options);
  let answer;
  try {
    answer = await response.json();
  } catch {
    throw new Refused(response.status, `the service answered ${response.status} without an explanation`);
  }
  if (!response.ok) throw new Refused(response.status, answer.error ?? `the service answered ${response.status}`, answer.field);
  return answer;
}

const body = (content, signal) => ({
  method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(content), signal,
});

const post = (path) => (content, signal) => ask(path, body(content, signal));

export const getMetrics = () => ask('/api/metrics');
export const score = post('/api/score');
export const explain = post('/api/explain');

/** Compare systems; `tell({ step, done, total })` hears how far the work is. */
export async function compare(content, signal, tell) {
  const asked = body(content, signal);
  asked.headers.accept = 'application/x-ndjson';
  const response = await open('/api/compare', asked);
  if (!response.ok || !response.headers.get('content-type')?.includes('ndjson')) return readWhole(response);
  for await (const line of linesOf(response)) {
    const message = JSON.parse(line);
    if (message.error) throw new Refused(message.status, message.error, message.field);
    if (message.answer) return message.answer;
    tell(message.progress);
  }
  throw new Refused(0, 'the service broke off before the comparison was done');
}

async function readWhole(response) {
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, answer.error ?? `the service answered ${response.status}`, answer.field);
  return answer;
}

async function* linesOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop();
    yield* lines;
  }
  if (rest) yield rest;
}
