/** Summarizes an error: the expected and received values, their difference, and the failing line. */
import type { Child, Html } from '#shared/engine/html/html.ts';
import type { ErrorReading } from '#shared/errors/read-error.ts';

interface Props {
  readonly reading: ErrorReading;
  /** Whether to leave out the code and the last step, for use in lists. */
  readonly isShort?: boolean;
  /** What else happened at the same time, such as a failed request. */
  readonly children?: Child;
}

const LINES_AROUND = 2;
const MOST_DIFFERENCES = 12;

export function Assertion({ reading, isShort = false, children }: Props): Html {
  const { title, expected, received, diff, frame, signals } = reading;
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
      {!isShort && !hasValues && signals.lastLog !== null && <p class="soft">Last step: {signals.lastLog}</p>}
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

function Marked({ text, other }: Pick<ValueProps, 'text' | 'other'>): Html {
  if (other === null || other === text || [text, other].some((one) => CONDITION.test(one))) return <>{text}</>;
  const most = Math.min(text.length, other.length);
  let start = 0;
  while (start < most && text[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && text.at(-1 - end) === other.at(-1 - end)) end += 1;
  return (
    <>
      {text.slice(0, start)}
      {start < text.length - end && <mark>{text.slice(start, text.length - end)}</mark>}
      {text.slice(text.length - end)}
    </>
  );
}

const CLASSES = { '-': 'minus', '+': 'plus', ' ': undefined } as const;

const Difference = ({ lines }: { readonly lines: NonNullable<ErrorReading['diff']> }): Html => (
  <section
    class="scroll"
    tabindex={0}
    aria-label="Difference: a minus sign marks expected lines, and a plus sign marks received lines"
  >
    <pre class="code">
      {lines.slice(0, MOST_DIFFERENCES).map(({ op, text }) => (
        <span class={CLASSES[op]}>{`${op} ${text}`}</span>
      ))}
    </pre>
  </section>
);

function CodeFrame({ lines }: { readonly lines: NonNullable<ErrorReading['frame']> }): Html {
  const at = lines.findIndex(({ isFailing }) => isFailing);
  const visibleLines = lines.slice(Math.max(0, at - LINES_AROUND), at + LINES_AROUND + 1);
  return (
    <section class="scroll" tabindex={0} aria-label="Code">
      <pre class="code">
        {visibleLines.map(({ line, text, isFailing }) => (
          <span class={isFailing ? 'at' : undefined}>
            <i>{line}</i>
            {highlightCode(text)}
          </span>
        ))}
      </pre>
    </section>
  );
}

/** Strings, comments and words that are reserved in many languages: enough highlighting for a few lines of code. */
const NOTABLE =
  /("[^"]{0,200}"|'[^']{0,200}'|`[^`]{0,200}`)|(\/\/.*|# .*)|\b(?:as|assert|async|await|class|const|def|else|false|for|from|function|if|import|in|is|let|new|None|not|null|return|self|this|throw|true|try|undefined|var|void|while|with)\b/g;

function highlightCode(text: string): Child[] {
  const parts: Child[] = [];
  let end = 0;
  for (const match of text.matchAll(NOTABLE)) {
    const [word, string, comment] = match;
    const kind = string === undefined ? (comment === undefined ? 'reserved' : 'comment') : 'string';
    parts.push(text.slice(end, match.index), <b class={kind}>{word}</b>);
    end = match.index + word.length;
  }
  return [...parts, text.slice(end)];
}
