/** Makes text from tests safe to show. The running time of all functions is linear for any input. */

/**
 * Matches OSC, DCS, SOS, PM and APC sequences (titles, links), then CSI sequences (colors), then other escape
 * sequences.
 */
const ANSI =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control sequences
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0080-\u009f]{0,8192}(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]{0,256}[ -/]{0,16}[@-~]|\u001b[ -/]{0,16}[0-~]/g;

/**
 * Removes terminal control sequences. Node's `stripVTControlCharacters` would take seconds for 100 KB of unterminated
 * sequences.
 */
export const withoutAnsi = (text: string): string => text.replaceAll(ANSI, '');

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The first `characters` UTF-16 units, without splitting a grapheme. The result therefore has at most that many code
 * points, too.
 */
export function beginningOf(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return text.slice(0, graphemes.segment(text).containing(characters)?.index ?? 0);
}

/** The last `characters` UTF-16 units, without splitting a grapheme. */
export function endOf(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const cut = text.length - characters;
  const straddling = graphemes.segment(text).containing(cut);
  if (!straddling || straddling.index === cut) return text.slice(cut);
  return text.slice(straddling.index + straddling.segment.length);
}

export function withoutFinalSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}

const LINE_BREAK = /\r\n?|[\u2028\u2029]/g;
/**
 * Characters that people cannot see but programs read: control characters, bidirectional marks, zero-width characters,
 * fillers and tag characters.
 */
const INVISIBLE = /[[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\n\t]]+/gv;
/** Variation selectors and joiners in emoji. They are removed instead of spelled out. */
const EMOJI_PARTS =
  /(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?)(?:\ufe0f\u200d?|\u200d)(?!\p{Default_Ignorable_Code_Point})|\ufe0f(?=\u20e3)/gu;
const NAMED = 3;

/**
 * Removes control sequences and spells out invisible characters, for example as `<U+200B>`. Keeps line breaks and tabs.
 */
export const visible = (text: string): string =>
  withoutAnsi(text.toWellFormed())
    .replaceAll(LINE_BREAK, '\n')
    .replaceAll(EMOJI_PARTS, '')
    .replaceAll(INVISIBLE, named);

/**
 * Removes control sequences and spells out invisible characters. Line breaks and tabs become spaces, so the text has
 * one line.
 */
export const visibleLine = (text: string): string =>
  visible(text)
    .replaceAll(/[\n\t]/g, ' ')
    .trim();

/** The beginning of a text on one visible line. `…` says that the rest was cut. */
export function shortLine(text: string, characters: number): string {
  const line = visibleLine(text);
  const shown = beginningOf(line, characters);
  return shown.length < line.length ? `${shown}…` : shown;
}

function named(run: string): string {
  const names: string[] = [];
  let more = 0;
  for (const character of run) {
    if (names.length < NAMED) names.push(`U+${hex(character)}`);
    else more += 1;
  }
  return `<${names.join(' ')}${more > 0 ? ` and ${more} more` : ''}>`;
}

const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
