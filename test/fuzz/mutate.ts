import type { Random } from '../simulation/random.ts';

type Mutation = (text: string, random: Random, others: readonly string[]) => string;

/** Numbers that readers get wrong: signs, sentinels, ends of ranges, too many digits, other notations. */
const odd_numbers = [
  ...[
    '0',
    '-0',
    '-1',
    '.',
    '-',
    '9.99',
    '12.01',
    '-999',
    '-9999',
    '90.0001',
    '-180.5',
    '180',
    '2400',
    '2360',
    '000000',
  ],
  ...[
    'NaN',
    'Infinity',
    '1e309',
    '0x10',
    '1_000',
    '9'.repeat(25),
    '0.'.padEnd(30, '3'),
    ' 1.00 ',
    '',
    '00',
    '019901',
    '999912',
  ],
];
/** What separates, quotes, ends or breaks text. */
const odd_characters = [
  ...[
    ',',
    '"',
    '\n',
    '\r',
    '\r\n',
    '\0',
    '\t',
    ' ',
    '\\',
    '<',
    '>',
    '&',
    '{',
    '}',
    '[',
    ']',
    ':',
    ';',
    '/',
    '-',
    '.',
  ],
  ...['\xff', '\xb0', '\xc2', '\xe2\x82', '\xed\xa0\x80', '\xef\xbb\xbf', '""', ',,', '\u0000\u0000'],
];

const replaced = (text: string, from: number, until: number, by: string): string =>
  text.slice(0, from) + by + text.slice(until);
const place = (text: string, random: Random): number => random.below(text.length + 1);
/** A stretch of at most so many characters. */
const stretch = (text: string, random: Random, most: number): [number, number] => {
  const from = place(text, random);
  return [from, Math.min(text.length, from + 1 + random.below(most))];
};

/** Changes one line among the lines; an empty answer takes it away. */
const onLines =
  (change: (lines: string[], at: number, random: Random) => void): Mutation =>
  (text, random) => {
    const lines = text.split('\n');
    change(lines, random.below(lines.length), random);
    return lines.join('\n');
  };

/** Replaces one of the matches of a pattern. */
const onMatch =
  (pattern: RegExp, change: (found: string, random: Random) => string): Mutation =>
  (text, random) => {
    // From a chance place on, or from the start: collecting every match of a long text would cost more than reading it.
    pattern.lastIndex = place(text, random);
    let found = pattern.exec(text);
    if (found === null) {
      pattern.lastIndex = 0;
      found = pattern.exec(text);
    }
    if (found === null) return text;
    return replaced(text, found.index, found.index + found[0].length, change(found[0], random));
  };

const mutations: Readonly<Record<string, Mutation>> = {
  flip_bits: (text, random) => {
    let flipped = text;
    for (let left = 1 + random.below(8); left > 0 && flipped !== ''; left -= 1) {
      const at = random.below(flipped.length);
      flipped = replaced(
        flipped,
        at,
        at + 1,
        String.fromCharCode(flipped.charCodeAt(at) ^ (1 << random.below(8))),
      );
    }
    return flipped;
  },
  odd_character: (text, random) => {
    const at = place(text, random);
    return replaced(text, at, at + random.below(2), random.pick(odd_characters));
  },
  truncate: (text, random) =>
    random.oneIn(4) ? text.slice(place(text, random)) : text.slice(0, place(text, random)),
  cut: (text, random) => replaced(text, ...stretch(text, random, 200), ''),
  repeat: (text, random) => {
    const [from, until] = stretch(text, random, 200);
    return replaced(text, until, until, text.slice(from, until));
  },
  splice: (text, random, others) => {
    const other = random.pick(others);
    const [from, until] = stretch(other, random, 400);
    const at = place(text, random);
    return replaced(text, at, at + random.below(until - from + 1), other.slice(from, until));
  },
  drop_line: onLines((lines, at) => void lines.splice(at, 1)),
  double_line: onLines((lines, at) => void lines.splice(at, 0, lines[at] ?? '')),
  swap_lines: onLines((lines, at, random) => {
    const other = random.below(lines.length);
    [lines[at], lines[other]] = [lines[other] ?? '', lines[at] ?? ''];
  }),
  swap_digit: onMatch(/\d/g, (_, random) => String(random.below(10))),
  odd_number: onMatch(/[-+]?\d+(\.\d+)?/g, (_, random) => random.pick(odd_numbers)),
  odd_field: (text, random) => {
    const at = place(text, random);
    const from = Math.max(text.lastIndexOf(',', at - 1), text.lastIndexOf('\n', at - 1)) + 1;
    const ends = [text.indexOf(',', at), text.indexOf('\n', at), text.length].filter((end) => end >= from);
    const until = Math.min(...ends);
    const found = text.slice(from, until);
    const by = random.pick([
      ...odd_numbers,
      ...[
        '"',
        `"${found}`,
        `"${found}"`,
        `${found},${found}`,
        found.toLowerCase(),
        'Hail',
        '\xe9\xb0',
        '\xa0',
      ],
    ]);
    return replaced(text, from, until, by);
  },
  huge_field: (text, random) => {
    const at = place(text, random);
    // Mostly long, rarely huge, and sometimes with the one character that changes how the rest is read.
    const length = random.oneIn(50) ? 100_000 : 300 + random.below(3_000);
    return replaced(
      text,
      at,
      at,
      random.pick(['A', '9', '"', ',', '\n', '0', ' ', '\xe9', '<']).repeat(length),
    );
  },
  line_ends: (text, random) => text.replaceAll('\n', random.pick(['\r\n', '\r', '\n\n', ' \n'])),
};
const names = Object.keys(mutations);

/**
 * One to five changes to the text, by chance of the seed alone; `others` are what foreign pieces are taken from. Texts are Latin-1, one
 * character a byte, so that any bytes can be changed so.
 */
export function mutate(text: string, random: Random, others: readonly string[]): string {
  let mutated = text;
  for (let left = 1 + random.below(random.oneIn(3) ? 5 : 2); left > 0; left -= 1) {
    mutated = mutations[random.pick(names)]?.(mutated, random, others) ?? mutated;
  }
  return mutated;
}
