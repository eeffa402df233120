// Metrics as they are written on the command line: NAME,option=value,option=value.

const NEXT_OPTION = /,(?=[a-z_]+=)/;

/** Return name and options of a metric. */
export function readVariant(text) {
  const [name, ...pairs] = text.split(NEXT_OPTION);
  return { name, options: Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])) };
}

export const writeVariant = (name, options) =>
  [name, ...Object.entries(options).map(([key, value]) => `${key}=${value}`)].join(',');

export const nameOf = (text) => text.split(',')[0];

/** Return the metrics in the fragment of an address: names with commas, or variants with semicolons. */
export const splitVariants = (text) => text.split(text.includes('=') ? ';' : ',').filter(Boolean);

export const joinVariants = (texts) => (texts.some((text) => text.includes('=')) ? `${texts.join(';')};` : texts.join());
