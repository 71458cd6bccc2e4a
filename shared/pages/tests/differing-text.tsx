/** A message with the difference of two texts: colours mark it, links jump to its places, and equal lines between are folded. */
import type { Html } from '#shared/engine/html/html.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { stripAnsi } from '#shared/pages/design/ansi.tsx';
import { formatQuantity } from '#shared/pages/design/format.tsx';
import { foldStretches } from './fold-stretches.ts';

interface TextLine {
  readonly text: string;
  readonly op: 'minus' | 'plus' | undefined;
}

/** Equal lines beside a difference that stay visible. */
const LINES_BESIDE = 3;
const FEWEST_FOLDED = 3;

export function DifferingText({ text }: { readonly text: string }): Html {
  const lines = readTextLines(stripAnsi(text));
  const isDifferent = ({ op }: TextLine) => op !== undefined;
  const stretches = foldStretches(lines, {
    isNotable: isDifferent,
    before: LINES_BESIDE,
    after: LINES_BESIDE,
    fewest: FEWEST_FOLDED,
  });
  const places = stretches.flatMap(({ isFolded }, index) => (isFolded ? [] : [index]));
  const id = computeTextId(text);
  return (
    <div class="message">
      <p class="soft">
        − expected, + received. {formatQuantity(lines.filter(isDifferent).length, 'line')} differ
        {places.length > 1 && (
          <>
            {' '}
            in {places.length} places:{' '}
            {places.map((place, index) => (
              <a href={`#${id}-${place}`}>{index + 1}</a>
            ))}
          </>
        )}
      </p>
      <label class="fit">
        <input type="checkbox" name="wrap" checked /> Wrap lines
      </label>
      {stretches.map(({ isFolded, items }, index) =>
        isFolded ? (
          <details class="fold">
            <summary>{formatQuantity(items.length, 'equal line')}</summary>
            <Lines lines={items} />
          </details>
        ) : (
          <div id={`${id}-${index}`}>
            <Lines lines={items} />
          </div>
        ),
      )}
    </div>
  );
}

const MARKED = /^\s{0,4}([-+])(?:\s|$)/;
const LEGEND = /^\s{0,4}[-+] (?:Expected|Received)\b/;
const OPERATIONS: Readonly<Record<string, TextLine['op']>> = { '-': 'minus', '+': 'plus' };

/** The call log ends the comparison: its entries begin with a dash, too. */
function readTextLines(text: string): TextLine[] {
  const lines = text.split('\n');
  const callLog = lines.findIndex((line) => line.startsWith('Call log:'));
  return lines.map((line, index) => {
    const isCompared = (callLog === -1 || index < callLog) && !LEGEND.test(line);
    const [, sign = ''] = MARKED.exec(line) ?? [];
    return { text: line, op: isCompared ? OPERATIONS[sign] : undefined };
  });
}

const ID_CHARACTERS = 8;
const computeTextId = (text: string): string => `d${computeDigest(ID_CHARACTERS, text)}`;

const Lines = ({ lines }: { readonly lines: readonly TextLine[] }): Html => (
  <pre class="code">
    {lines.map(({ text, op }) => (
      <span class={op}>{text === '' ? ' ' : text}</span>
    ))}
  </pre>
);
