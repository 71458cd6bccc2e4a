/** The error of an attempt: a summary, and the full texts. */
import type { ErrorInfo } from '#shared/context/context-wire.ts';
import { formatPlace } from '#shared/context/format-place.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { readPictureDifference } from '#shared/errors/picture-difference.ts';
import { readError } from '#shared/errors/read-error.ts';
import { Ansi, stripAnsi } from '#shared/pages/design/ansi.tsx';
import { Assertion } from '#shared/pages/design/assertion.tsx';
import { formatQuantity } from '#shared/pages/design/format.tsx';
import { OPEN_LINES } from '#shared/pages/shell/limits.ts';

export type CodeUrl = (line: { readonly file: string; readonly line: number }) => string | undefined;

interface Props {
  readonly error: ErrorInfo;
  readonly codeUrl: CodeUrl | undefined;
  /** What else happened, such as failed requests. */
  readonly children?: Child;
}

export function ErrorSection({ error, codeUrl, children }: Props): Html {
  const { message, location, snippet, stack } = error;
  const reading = readError({ message, stack, snippet });
  // If values or a difference could be extracted from the message, or its pictures are compared, the summary is enough
  // and the full message is collapsed. Otherwise the full message is shown.
  const isRead =
    reading.expected !== null ||
    reading.received !== null ||
    reading.diff !== null ||
    readPictureDifference(message) !== undefined;
  return (
    <div>
      <Assertion reading={reading}>{children}</Assertion>
      {location && (
        <p class="soft">
          at <PlaceInCode location={location} url={codeUrl?.(location)} />
        </p>
      )}
      {message.trim().includes('\n') && (
        <details open={!isRead}>
          <summary>Full message</summary>
          {reading.diff === null ? <LongText text={message} /> : <DifferingText text={message} />}
        </details>
      )}
      {snippet !== null && reading.frame === null && (
        <figure class="scroll" tabindex={0} aria-label="Code">
          <pre>
            <Ansi text={snippet} />
          </pre>
        </figure>
      )}
      {stack !== null && (
        <details>
          <summary>Stack</summary>
          <pre class="wrap">
            <Ansi text={stack} />
          </pre>
        </details>
      )}
    </div>
  );
}

interface PlaceProps {
  readonly location: NonNullable<ErrorInfo['location']>;
  readonly url: string | undefined;
}

function PlaceInCode({ location, url }: PlaceProps): Html {
  const place = <code>{formatPlace(location)}</code>;
  return url === undefined ? (
    place
  ) : (
    <a href={url} rel="noreferrer">
      {place}
    </a>
  );
}

interface TextLine {
  readonly text: string;
  readonly op: 'minus' | 'plus' | undefined;
}

/** Equal lines beside a difference that stay visible. */
const LINES_BESIDE = 3;
const FEWEST_FOLDED = 3;

/** A message with a difference of two texts: its colours, and places to jump to. Equal lines between them are folded. */
function DifferingText({ text }: { readonly text: string }): Html {
  const lines = readTextLines(stripAnsi(text));
  const parts = groupLines(lines);
  const places = parts.flatMap((part, index) => (part.isFolded ? [] : [index]));
  const id = computeTextId(text);
  return (
    <div class="message">
      <p class="soft">
        − expected, + received. {formatQuantity(lines.filter(({ op }) => op !== undefined).length, 'line')} differ
        {places.length > 1 && (
          <>
            {' '}
            in {places.length} places:{' '}
            {places.map((part, index) => (
              <a href={`#${id}-${part}`}>{index + 1}</a>
            ))}
          </>
        )}
      </p>
      <label class="fit">
        <input type="checkbox" name="wrap" checked /> Wrap lines
      </label>
      {parts.map((part, index) =>
        part.isFolded ? (
          <details class="fold">
            <summary>{formatQuantity(part.lines.length, 'equal line')}</summary>
            <Lines lines={part.lines} />
          </details>
        ) : (
          <div id={`${id}-${index}`}>
            <Lines lines={part.lines} />
          </div>
        ),
      )}
    </div>
  );
}

const MARKED = /^\s{0,4}([-+])(?:\s|$)/;
const LEGEND = /^\s{0,4}[-+] (?:Expected|Received)\b/;

/** Entries of a call log begin with a dash, too. */
function readTextLines(text: string): TextLine[] {
  const lines = text.split('\n');
  const callLog = lines.findIndex((line) => line.startsWith('Call log:'));
  return lines.map((line, index) => {
    const isCompared = (callLog === -1 || index < callLog) && !LEGEND.test(line);
    const [, sign] = (isCompared && MARKED.exec(line)) || [];
    return { text: line, op: sign === undefined ? undefined : sign === '-' ? 'minus' : 'plus' };
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

interface LinesPart {
  readonly isFolded: boolean;
  readonly lines: readonly TextLine[];
}

/** Long stretches of equal lines become parts of their own. */
function groupLines(lines: readonly TextLine[]): LinesPart[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - LINES_BESIDE), index + LINES_BESIDE + 1).some(({ op }) => op !== undefined),
  );
  const parts: { isFolded: boolean; lines: TextLine[] }[] = [];
  for (const [index, line] of lines.entries()) {
    const isFolded = isNear[index] !== true;
    const part = parts.at(-1);
    if (part?.isFolded === isFolded) part.lines.push(line);
    else parts.push({ isFolded, lines: [line] });
  }
  // A short stretch is shown, with the differences before and after it.
  const joinedParts: { isFolded: boolean; lines: TextLine[] }[] = [];
  for (const part of parts) {
    const isFolded = part.isFolded && part.lines.length >= FEWEST_FOLDED;
    const last = joinedParts.at(-1);
    if (last && !last.isFolded && !isFolded) last.lines.push(...part.lines);
    else joinedParts.push({ isFolded, lines: part.lines });
  }
  return joinedParts;
}

export function LongText({ text }: { readonly text: string }): Html {
  const lines = text.split('\n');
  const rest = lines.slice(OPEN_LINES);
  return (
    <>
      <pre class="wrap">
        <Ansi text={lines.slice(0, OPEN_LINES).join('\n')} />
      </pre>
      {rest.length > 0 && (
        <details>
          <summary>Remaining lines ({rest.length})</summary>
          <pre class="wrap">
            <Ansi text={rest.join('\n')} />
          </pre>
        </details>
      )}
    </>
  );
}
