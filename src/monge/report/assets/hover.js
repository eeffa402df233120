// Lights up the flows of the word under the pointer or the keyboard's focus. Words, flows and cells of a picture carry
// data-h and data-r, the numbers of hypothesis and reference words. In a picture of documents words carry data-focus,
// the number of their focus, and links between sentences data-foci, those of all foci that link them.

const PARTS = '.word, .flow, .cell, .head, .stub, .link';

/** Make every picture inside `root` answer to pointer and focus; `tell(text)` is given one line on what is lit. */
export function lightUp(root, tell = () => {}) {
  const pick = (event) => light(root, event.target.closest?.(PARTS), tell);
  root.addEventListener('pointerover', pick);
  root.addEventListener('focusin', pick);
  root.addEventListener('pointerleave', () => light(root, null, tell));
  root.addEventListener('focusout', () => light(root, null, tell));
}

function light(root, part, tell) {
  root.classList.toggle('lit', part !== null && part !== undefined);
  for (const element of root.querySelectorAll('.on')) element.classList.remove('on');
  if (!part) return tell('');
  if (part.dataset.focus !== undefined || part.dataset.foci !== undefined) return lightFoci(root, part, tell);
  const { h, r } = part.dataset;
  const touches = (flow) => (h === undefined || flow.dataset.h === h) && (r === undefined || flow.dataset.r === r);
  const drawn = [...root.querySelectorAll('.flow')];
  const flows = (drawn.length ? drawn : [...root.querySelectorAll('.moved')]).filter(touches);
  const ends = { h: new Set(flows.map((flow) => flow.dataset.h)), r: new Set(flows.map((flow) => flow.dataset.r)) };
  if (h !== undefined) ends.h.add(h);
  if (r !== undefined) ends.r.add(r);
  for (const element of root.querySelectorAll(PARTS)) {
    const own = element.dataset;
    const pair = own.h !== undefined && own.r !== undefined;
    const on = pair ? touches(element) : own.h !== undefined ? ends.h.has(own.h) : ends.r.has(own.r);
    element.classList.toggle('on', on);
  }
  tell(describe(part).replace(/\n {2}/g, ' · ').replace(' · ', '\n')); // a line for the word, one for its flows
}

/** Light up all mentions of a focus and the links that it makes, or a link and the foci that make it. */
function lightFoci(root, part, tell) {
  const link = part.dataset.foci !== undefined;
  const foci = new Set(link ? part.dataset.foci.split(' ') : [part.dataset.focus]);
  for (const element of root.querySelectorAll('.word, .link')) {
    const own = element.dataset;
    const on = own.focus !== undefined ? foci.has(own.focus)
      : link ? element === part : own.foci.split(' ').some((focus) => foci.has(focus));
    element.classList.toggle('on', on);
  }
  tell(describe(part));
}

function describe(part) {
  const own = part.querySelector(':scope > title')?.textContent;
  if (own) return own;
  const { h, r } = part.dataset;
  const key = h !== undefined ? `h="${h}"` : `r="${r}"`;
  return part.ownerDocument.querySelector(`.word[data-${key}] > title`)?.textContent ?? part.textContent;
}
