// What belongs to explained documents alone: the table of their foci, and how these add up.

import { make, signed } from './state.js';

export const DOCUMENT_HINT = 'Point at a coloured word to see what its focus adds and where else it is mentioned, or at an arc to see which foci '
  + 'link two sentences. Numbers beside arcs are weights; dashed boxes mark foci that only one text has.';
const MOST_ROWS = 40;

/** Return the sentence that says how the score is made. */
export function documentSum(explanation) {
  const foci = explanation.pairs.flatMap((pair) => pair.foci);
  if (!explanation.additive) return 'This score is not a sum over foci. Arcs link sentences that share foci; the farther apart they are, the smaller the weight.';
  const total = foci.reduce((sum, focus) => sum + (focus.contribution ?? 0), 0);
  const names = new Set(foci.filter((focus) => focus.contribution).map((focus) => focus.name));
  const over = explanation.pairs.length > 1 ? `, the mean over ${explanation.pairs.length} references` : '';
  return `${total.toFixed(4).replace('-', '\u2212')} = the sum of what ${names.size} foci add${over}`;
}

/** Return a table of the foci of a pair in the colours of the picture: mentions in both texts, and what they add. */
export function fociTable(pair, picture) {
  const additive = pair.foci.some((focus) => focus.contribution !== null);
  const compared = pair.reference !== null;
  const head = ['focus', ...(additive ? ['adds'] : []), 'hypothesis', ...(compared ? ['reference', ''] : [])];
  const rows = pair.foci.slice(0, MOST_ROWS).map((focus, number) => {
    const [own, other] = [focus.hypothesis.length, focus.reference.length];
    const only = own && other ? '' : own ? 'only in the hypothesis' : 'only in the reference';
    const cells = [
      ...(additive ? [focus.contribution === null ? '' : signed(focus.contribution)] : []),
      String(own), ...(compared ? [String(other)] : []),
    ];
    return make('tr', {},
      make('td', { class: 'l' }, swatch(number, picture), focus.name),
      ...cells.map((cell) => make('td', {}, cell)),
      ...(compared ? [make('td', { class: 'l' }, only)] : []));
  });
  const more = pair.foci.length > MOST_ROWS ? `and ${pair.foci.length - MOST_ROWS} more` : '';
  return make('div', { class: 'scroll' },
    make('table', {},
      make('thead', {}, make('tr', {}, ...head.map((name, i) => make('th', i ? {} : { class: 'l' }, name)))),
      make('tbody', {}, ...rows)),
    make('p', { class: 'note' }, more));
}

/** Return a small square in the colour that a focus has in the picture. */
function swatch(number, picture) {
  const square = make('span', { class: 'swatch', 'aria-hidden': 'true' });
  const drawn = picture.querySelector(`.word[data-focus="${number}"] rect`);
  if (drawn) square.style.backgroundColor = drawn.getAttribute('fill'); // a text that is too long is not drawn to its end
  return square;
}
