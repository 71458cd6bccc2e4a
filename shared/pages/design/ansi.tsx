/** Renders the ANSI sequences for text colors, bold and dim as HTML. All other escape sequences are dropped. */
import type { Html } from '#shared/engine/html/html.ts';

/** Matches color sequences, and then all other escape sequences, such as cursor movements, links and titles. */
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this expression must match control sequences
  /\u001b(?:\[([0-9;]*)m|\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|.)/g;

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

interface Style {
  readonly colour: string | undefined;
  readonly weight: 'bold' | 'dim' | undefined;
}

const PLAIN: Style = { colour: undefined, weight: undefined };

export const stripAnsi = (text: string): string => text.replaceAll(SEQUENCE, '');

export function Ansi({ text }: { readonly text: string }): Html {
  const parts: Html[] = [];
  let style = PLAIN;
  let from = 0;
  for (const match of text.matchAll(SEQUENCE)) {
    parts.push(<Styled style={style} text={text.slice(from, match.index)} />);
    if (match[1] !== undefined) style = applyCodes(style, match[1].split(';').map(Number));
    from = match.index + match[0].length;
  }
  return (
    <>
      {parts}
      <Styled style={style} text={text.slice(from)} />
    </>
  );
}

const FOREGROUND = 38;
const BACKGROUND = 48;

function applyCodes(style: Style, [code, ...rest]: readonly number[]): Style {
  if (code === undefined) return style;
  if (code !== FOREGROUND && code !== BACKGROUND) return applyCodes(applyCode(style, code), rest);
  // An extended color is one of 256 (`38;5;208`) or red, green and blue (`38;2;255;135;0`).
  const [mode, number = 0] = rest;
  const following = rest.slice(mode === 2 ? 4 : 2);
  // Only the first 16 of the 256 have a class, and backgrounds are not shown.
  const isNamed = code === FOREGROUND && mode === 5 && number < 2 * COLOURS.length;
  const colour = isNamed ? COLOURS[number % COLOURS.length] : undefined;
  return applyCodes(colour === undefined ? style : { ...style, colour }, following);
}

function applyCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, weight: 'bold' };
  if (code === 2) return { ...style, weight: 'dim' };
  if (code === 22) return { ...style, weight: undefined };
  if (code === 39) return { ...style, colour: undefined };
  // Bright colors have the codes from 90 on, and are shown like the others.
  const colour = COLOURS[code >= 90 ? code - 90 : code - 30];
  return colour === undefined ? style : { ...style, colour };
}

function Styled({ style: { colour, weight }, text }: { readonly style: Style; readonly text: string }): Html {
  const names = [colour, weight].filter((name) => name !== undefined);
  if (text === '' || names.length === 0) return <>{text}</>;
  return <span class={names.join(' ')}>{text}</span>;
}
