/** Summarizes an error: the expected and received values, their difference, and the failing line. */
import type { Child, Html } from '#shared/engine/html/html.ts';
import { type PictureDifference, readPictureDifference } from '#shared/errors/picture-difference.ts';
import type { ErrorReading } from '#shared/errors/read-error.ts';
import { formatCount, formatQuantity, formatRate } from './format.tsx';

interface Props {
  readonly reading: ErrorReading;
  /** Whether to leave out the code and the last step, for use in lists. */
  readonly isShort?: boolean;
  /** What else happened at the same time, such as a failed request. */
  readonly children?: Child;
}

const LINES_AROUND = 2;
const MOST_DIFFERENCES = 12;

/** These matchers compare a whole text. The last line of the call log is then a line of it, and no step. */
const COMPARES_TEXT = /AriaSnapshot/;

const findLastStep = ({ matcher, signals: { lastLog } }: ErrorReading): string | null =>
  COMPARES_TEXT.test(matcher ?? '') ? null : lastLog;

export function formatPictureDifference({ pixels, ratio, sizes }: PictureDifference): string {
  const rate = ratio === 0 ? 'less than 1 %' : formatRate(ratio ?? 0);
  const share = ratio === undefined ? '' : ` (${rate})`;
  return [
    pixels !== undefined && `${formatQuantity(pixels, 'pixel')} differ${share}`,
    sizes && `${sizes.expected} expected, ${sizes.received} received`,
  ]
    .filter(Boolean)
    .join('; ');
}

export function Assertion({ reading, isShort = false, children }: Props): Html {
  const { title, expected, received, diff, frame } = reading;
  const lastStep = findLastStep(reading);
  const pictures = readPictureDifference(lastStep ?? '');
  const hasValues = expected !== null || received !== null;
  return (
    <div class="assertion">
      <p>
        <code>{title}</code>
      </p>
      {hasValues && (
        <dl>
          {expected !== null && <Value name="Expected" text={expected} other={received} />}
          {received !== null && <Value name="Received" text={received} other={expected} />}
        </dl>
      )}
      {!hasValues && diff !== null && <Difference lines={diff} />}
      {!isShort && frame !== null && <CodeFrame lines={frame} />}
      {pictures && <p>{formatPictureDifference(pictures)}</p>}
      {!isShort && !hasValues && !pictures && lastStep !== null && <p class="soft">Last step: {lastStep}</p>}
      {children && <div class="signals">{children}</div>}
    </div>
  );
}

interface ValueProps {
  readonly name: 'Expected' | 'Received';
  readonly text: string;
  readonly other: string | null;
}

const Value = ({ name, text, other }: ValueProps): Html => (
  <div class={name.toLowerCase()}>
    <dt>{name}</dt>
    <dd>
      <Marked text={text} other={other} />
    </dd>
  </div>
);

/** Conditions, such as `> 3`. A value can meet one without being equal to its text, so no difference is marked. */
const CONDITION = /^(?:[<>]=?|not) /;

const LETTER = /\p{L}/u;

/** Whether there are letters on both sides of the place: in `false` and `true`, “fals” and “tru” are no parts to mark. */
const isInWord = (text: string, at: number): boolean =>
  LETTER.test(text.charAt(at - 1)) && LETTER.test(text.charAt(at));

function Marked({ text, other }: Pick<ValueProps, 'text' | 'other'>): Html {
  if (other === null || other === text || [text, other].some((one) => CONDITION.test(one))) return <>{text}</>;
  const { start, end } = findDifferingPart(text, other);
  return (
    <>
      {text.slice(0, start)}
      {start < text.length - end && <mark>{text.slice(start, text.length - end)}</mark>}
      {text.slice(text.length - end)}
    </>
  );
}

/** How many characters at the start and at the end of both texts are equal. A mark between them covers whole words. */
function findDifferingPart(text: string, other: string): { readonly start: number; readonly end: number } {
  const most = Math.min(text.length, other.length);
  let start = 0;
  while (start < most && text[start] === other[start]) start += 1;
  while (start > 0 && (isInWord(text, start) || isInWord(other, start))) start -= 1;
  let end = 0;
  while (end < most - start && text.at(-1 - end) === other.at(-1 - end)) end += 1;
  while (end > 0 && (isInWord(text, text.length - end) || isInWord(other, other.length - end))) end -= 1;
  return { start, end };
}

const CLASSES = { '-': 'minus', '+': 'plus', ' ': undefined } as const;

/** The first lines that differ. The page of the failure shows all of them in the full message. */
function Difference({ lines }: { readonly lines: NonNullable<ErrorReading['diff']> }): Html {
  const first = Math.max(0, lines.findIndex(({ op }) => op !== ' ') - LINES_AROUND);
  const firstLines = lines.slice(first, first + MOST_DIFFERENCES);
  const count = lines.filter(({ op }) => op !== ' ').length;
  const left = count - firstLines.filter(({ op }) => op !== ' ').length;
  return (
    <>
      {/* A page may have several of these, so they are no landmarks, which need names of their own. */}
      <figure
        class="scroll"
        tabindex={0}
        aria-label="Difference: a minus sign marks expected lines, and a plus sign marks received lines"
      >
        <pre class="code">
          {firstLines.map(({ op, text }) => (
            <span class={CLASSES[op]}>{`${op} ${text}`}</span>
          ))}
        </pre>
      </figure>
      <p class="soft legend-line">
        − expected, + received
        {left > 0 && `. ${formatCount(count)} lines differ, ${formatCount(count - left)} of them are shown`}
      </p>
    </>
  );
}

function CodeFrame({ lines }: { readonly lines: NonNullable<ErrorReading['frame']> }): Html {
  const at = lines.findIndex(({ isFailing }) => isFailing);
  const visibleLines = lines.slice(Math.max(0, at - LINES_AROUND), at + LINES_AROUND + 1);
  return (
    <figure class="scroll" tabindex={0} aria-label="Code">
      <pre class="code">
        {visibleLines.map(({ line, text, isFailing }) => (
          <span class={isFailing ? 'at' : undefined}>
            <i>{line}</i>
            {highlightCode(text)}
          </span>
        ))}
      </pre>
    </figure>
  );
}

/** Strings, comments and words that are reserved in many languages: enough highlighting for a few lines of code. */
const NOTABLE =
  /("[^"]{0,200}"|'[^']{0,200}'|`[^`]{0,200}`)|(\/\/.*|# .*)|\b(?:as|assert|async|await|class|const|def|else|false|for|from|function|if|import|in|is|let|new|None|not|null|return|self|this|throw|true|try|undefined|var|void|while|with)\b/g;

function highlightCode(text: string): Child[] {
  const parts: Child[] = [];
  let end = 0;
  for (const match of text.matchAll(NOTABLE)) {
    parts.push(text.slice(end, match.index), <b class={getKind(match)}>{match[0]}</b>);
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}

function getKind([, string, comment]: RegExpExecArray): 'string' | 'comment' | 'reserved' {
  if (string !== undefined) return 'string';
  return comment === undefined ? 'reserved' : 'comment';
}
