// The service's JSON API. A refusal becomes an Error with the service's own sentence.

export class Refused extends Error {
  constructor(status, message, field) {
    super(field ? `${message} (${field})` : message);
    this.status = status;
  }
}

let token = sessionStorage.getItem('monge-token') ?? '';

/** Use a token for all further requests, until the tab is closed. */
export function setToken(value) {
  token = value;
  sessionStorage.setItem('monge-token', value);
}

async function ask(path, options = {}) {
  const headers = { ...options.headers, ...(token ? { authorization: `Bearer ${token}` } : {}) };
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch {
    throw new Refused(0, 'the service cannot be reached');
  }
  let answer;
  try {
    answer = await response.json();
  } catch {
    throw new Refused(response.status, `the service answered ${response.status} without an explanation`);
  }
  if (!response.ok) throw new Refused(response.status, answer.error ?? `the service answered ${response.status}`, answer.field);
  return answer;
}

const post = (path) => (body, signal) =>
  ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), signal });

export const getMetrics = () => ask('/api/metrics');
export const score = post('/api/score');
export const explain = post('/api/explain');
export const compare = post('/api/compare');
