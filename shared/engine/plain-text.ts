/** Makes text from tests safe to show. The running time of all functions is linear for any input. */

/** OSC, DCS, SOS, PM and APC sequences (titles, links), then CSI sequences (colors), then other escape sequences. */
const ANSI =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control sequences
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0080-\u009f]{0,8192}(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]{0,256}[ -/]{0,16}[@-~]|\u001b[ -/]{0,16}[0-~]/g;

/** Node's `stripVTControlCharacters` would take seconds for 100 KB of unterminated sequences. */
export const removeControlSequences = (text: string): string => text.replaceAll(ANSI, '');

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Splits no grapheme. Characters are UTF-16 units, so the result has at most that many code points, too. */
export function takeFirstCharacters(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return text.slice(0, graphemes.segment(text).containing(characters)?.index ?? 0);
}

/** Splits no grapheme. */
export function takeLastCharacters(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const cut = text.length - characters;
  const straddling = graphemes.segment(text).containing(cut);
  if (!straddling || straddling.index === cut) return text.slice(cut);
  return text.slice(straddling.index + straddling.segment.length);
}

export function trimFinalSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}

const LINE_BREAK = /\r\n?|[\u2028\u2029]/g;
/** Programs read them: control characters, bidirectional marks, zero-width characters, fillers, tag characters. */
const INVISIBLE = /[[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\n\t]]+/gv;
/** Variation selectors and joiners in emoji. They are removed instead of spelled out. */
const EMOJI_PARTS =
  /(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?)(?:\ufe0f\u200d?|\u200d)(?!\p{Default_Ignorable_Code_Point})|\ufe0f(?=\u20e3)/gu;
const NAMED = 3;

/** Removes control sequences and spells out invisible characters, as `<U+200B>`. Keeps line breaks and tabs. */
export const makeVisible = (text: string): string =>
  removeControlSequences(text.toWellFormed())
    .replaceAll(LINE_BREAK, '\n')
    .replaceAll(EMOJI_PARTS, '')
    .replaceAll(INVISIBLE, spellOutCharacters);

/** Like `makeVisible`, but line breaks and tabs become spaces, so the text has one line. */
export const makeVisibleLine = (text: string): string =>
  makeVisible(text)
    .replaceAll(/[\n\t]/g, ' ')
    .trim();

/** `…` says that the rest was cut. */
export function shortenToLine(text: string, characters: number): string {
  const line = makeVisibleLine(text);
  const beginning = takeFirstCharacters(line, characters);
  return beginning.length < line.length ? `${beginning}…` : beginning;
}

function spellOutCharacters(run: string): string {
  const names: string[] = [];
  let more = 0;
  for (const character of run) {
    if (names.length < NAMED) names.push(`U+${formatHex(character)}`);
    else more += 1;
  }
  return `<${names.join(' ')}${more > 0 ? ` and ${more} more` : ''}>`;
}

const formatHex = (character: string): string =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
