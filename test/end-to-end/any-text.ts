/** Texts that together contain every Unicode code point, plus samples of each class of special characters. */

/** The number of texts that together contain every code point once. */
const TEXTS = 25_000;
const CODE_POINTS = 0x110000;

const SAMPLES: readonly string[] = [
  // Lone surrogates: a high one, a low one, two in the wrong order, and one at the end.
  'a\ud83da',
  'a\ude00a',
  'a\ude00\ud83da',
  'a\ud800',
  // The noncharacters of Unicode.
  '\ufffe',
  '\uffff',
  '\ufdd0\ufdef',
  '\u{1fffe}\u{1ffff}',
  '\u{10fffe}\u{10ffff}',
  // Control characters and line separators.
  '\0\u0001\u001b[31mred\u001b[0m',
  '\u007f\u0085\u009f',
  'a\r\nb\tc',
  '\u2028\u2029',
  // Emoji: plain emoji, emoji with a skin tone, joined emoji, flags and keycaps.
  '😀🚀',
  '👍🏽',
  '👩‍👩‍👧‍👦',
  '🇺🇳',
  '1️⃣',
  // Characters that JSON, HTML and shells escape.
  '"\\/\b\f',
  '</script>&amp;',
  `\`'$(x)`,
  // Combining, directional and invisible characters.
  'e\u0301\u0323',
  '\u202eabc\u202c',
  '\u200b\u200d\ufeff',
  '\u{e0041}\u{e007f}',
  // Non-ASCII letters, private-use characters, and the replacement character.
  'Größe Žluťoučký 東京 العربية हिन्दी',
  '\ue000\uf8ff\u{10fffd}',
  '\ufffd',
];

/** Returns a short text with special characters. It begins and ends with a letter, so that trimming has no effect. */
export const shortText = (number: number): string => `t${SAMPLES[number % SAMPLES.length]}x`;

/** Returns the text with this number. The code points are divided among the texts, about 45 for each text. */
export function anyText(number: number): string {
  const points = Array.from({ length: Math.ceil(CODE_POINTS / TEXTS) }, (_, step) => number + step * TEXTS);
  // Letters between the code points keep surrogates from forming pairs.
  const all = points.filter((point) => point < CODE_POINTS).map((point) => String.fromCodePoint(point));
  return `${shortText(number)}${all.join('x')}x`;
}

/** Returns the text as it arrives: the service replaces only the characters that SQS refuses. */
export const asSent = (text: string): string =>
  Array.from(text, (character) => {
    const point = character.codePointAt(0) ?? 0;
    const isHalf = point >= 0xd800 && point <= 0xdfff;
    return isHalf || point === 0xfffe || point === 0xffff ? '\ufffd' : character;
  }).join('');
