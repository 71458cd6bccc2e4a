/** What happened in an attempt: its steps, console messages and network requests on one time axis. */
import type { Step, TestContext } from '#shared/context/context-wire.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import { formatDuration, formatQuantity } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import type { IconName } from '#shared/pages/design/icons.ts';
import { Panel } from '#shared/pages/design/parts.tsx';
import { foldStretches } from './fold-stretches.ts';
import { findEnd, hasFailed, isUnfinished, placeSteps } from './step-times.ts';

type Story = Pick<TestContext, 'steps' | 'traceErrorAnalysis'>;

interface Props {
  readonly context: Story & { readonly test: Pick<TestContext['test'], 'duration'> };
  /** Epoch milliseconds. Determines where console messages and network requests are shown on the time axis. */
  readonly startedAt: number | undefined;
}

interface Row {
  /** Milliseconds since the start of the attempt. */
  readonly at: number;
  readonly content: Html;
  /** What the row says when it is folded. `undefined` for a row that must stay visible, such as a failed step. */
  readonly summary: RowSummary | undefined;
}

interface RowSummary {
  readonly text: string;
  /** Zero for an event. */
  readonly steps: number;
}

export function WhatHappened({ context, startedAt }: Props): Html {
  const { steps = [], test } = context;
  const end = Math.max(1, test.duration, findEnd(steps, 0));
  const events = listEvents(context, startedAt, end);
  if (steps.length + events.length === 0) return <></>;
  const axis = placeAxis([...placeSteps(steps, 0), ...events], { end, duration: test.duration });
  const rows = [
    ...listStepRows(steps, 0, axis),
    ...events.map((event) => ({
      at: event.at,
      content: <EventLine event={event} axis={axis} />,
      summary: event.isBad ? undefined : { text: `${event.text}  ${formatDuration(event.at)}`, steps: 0 },
    })),
  ];
  const note = [formatDuration(test.duration), axis.hasHooks && `with hooks ${formatDuration(axis.length)}`];
  return (
    <Panel title="What happened" note={note.filter(Boolean).join(', ')} id="steps">
      <Rows rows={rows.toSorted((one, other) => one.at - other.at)} class="steps" />
    </Panel>
  );
}

/** Milliseconds since the start of the attempt. */
interface Axis {
  readonly from: number;
  readonly length: number;
  /** Whether steps ran outside the duration that the framework reports. */
  readonly hasHooks: boolean;
}

/**
 * The whole attempt. If hooks lasted longer than the reported duration, then the axis starts with the first row, because
 * the time before it is that of the machine, for example to start a worker.
 */
function placeAxis(
  rows: readonly { readonly at: number }[],
  { end, duration }: { readonly end: number; readonly duration: number },
): Axis {
  const hasHooks = end > Math.max(1, duration);
  const from = hasHooks ? Math.min(...rows.map(({ at }) => at)) : 0;
  return { from, length: Math.max(1, end - from), hasHooks };
}

/** In a longer list, rows that say nothing are folded. */
const MOST_ROWS = 30;
/** So many rows around a remarkable one stay, because they tell how it came about. */
const ROWS_BEFORE = 3;
const ROWS_AFTER = 2;
/** Fewer rows are not worth a fold. */
const FEWEST_FOLDED = 5;

/** A list of steps and events. In a long one, passed steps are folded into a text, so that the page stays small. */
const Rows = ({ rows, class: name }: { readonly rows: readonly Row[]; readonly class?: string }): Html => (
  <ol class={name}>
    {foldRows(rows).map((part) => (
      <li>{'content' in part ? part.content : <Fold rows={part.rows} />}</li>
    ))}
  </ol>
);

interface FoldedRows {
  readonly rows: readonly Row[];
}

function foldRows(rows: readonly Row[]): (Row | FoldedRows)[] {
  if (rows.length <= MOST_ROWS) return [...rows];
  const stretches = foldStretches(rows, {
    isNotable: ({ summary }) => summary === undefined,
    before: ROWS_BEFORE,
    after: ROWS_AFTER,
    fewest: FEWEST_FOLDED,
  });
  return stretches.flatMap(({ isFolded, items }): (Row | FoldedRows)[] => (isFolded ? [{ rows: items }] : items));
}

function Fold({ rows }: FoldedRows): Html {
  const summaries = rows.flatMap(({ summary }) => summary ?? []);
  const steps = summaries.reduce((sum, one) => sum + one.steps, 0);
  const events = summaries.filter((one) => one.steps === 0).length;
  return (
    <details class="fold">
      <summary>
        {steps > 0 && `${formatQuantity(steps, 'step')} passed`}
        {steps > 0 && events > 0 && ', '}
        {events > 0 && formatQuantity(events, 'event')}
      </summary>
      <pre>{summaries.map(({ text }) => text).join('\n')}</pre>
    </details>
  );
}

/** A passed step with its nested steps, which are indented. */
const summarizeStep = ({ title, duration, steps }: Step, depth = 0): RowSummary => {
  const children = steps.map((step) => summarizeStep(step, depth + 1));
  return {
    text: [
      `${'  '.repeat(depth)}${title}  ${formatDuration(Math.max(0, duration))}`,
      ...children.map(({ text }) => text),
    ].join('\n'),
    steps: children.reduce((sum, one) => sum + one.steps, 1),
  };
};

function listStepRows(steps: readonly Step[], from: number, axis: Axis): Row[] {
  return placeSteps(steps, from).map(({ step, at }) => ({
    at,
    content: <StepTree step={step} at={at} axis={axis} />,
    summary: hasFailed(step) || isUnfinished(step) ? undefined : summarizeStep(step),
  }));
}

/** A step with its nested steps. Only the path to the failed step is expanded. */
function StepTree({ step, at, axis }: Pick<LineProps, 'at' | 'axis'> & { readonly step: Step }): Html {
  const isFailed = hasFailed(step);
  const line = (
    <Line
      tone={isFailed ? 'failed' : 'pending'}
      name={step.title}
      at={at}
      length={Math.max(0, step.duration)}
      text={step.duration < 0 ? 'did not finish' : formatDuration(step.duration)}
      axis={axis}
    />
  );
  if (step.steps.length === 0) return <div class={isFailed ? 'step word failed' : 'step'}>{line}</div>;
  return (
    <details open={isFailed}>
      <summary class={isFailed ? 'step word failed' : 'step'}>{line}</summary>
      <Rows rows={listStepRows(step.steps, at, axis)} />
    </details>
  );
}

interface Event {
  readonly at: number;
  readonly icon: IconName;
  readonly isBad: boolean;
  /** The kind of event, for screen readers. */
  readonly kind: string;
  readonly text: string;
}

const LOUD: ReadonlySet<string> = new Set(['error', 'warning']);

export const FIRST_ERROR_STATUS = 400;

/** Without a start time, or if the browser's clock differs from the runner's, the first event is at the start. */
function listEvents({ traceErrorAnalysis }: Story, startedAt: number | undefined, length: number): Event[] {
  const { consoleEntries = [], networkRequests = [] } = traceErrorAnalysis ?? {};
  const times = [...consoleEntries, ...networkRequests].map(({ time }) => time);
  const first = Math.min(...times);
  const isSameClock = startedAt !== undefined && first >= startedAt && Math.max(...times) <= startedAt + 2 * length;
  const offset = (time: number): number => Math.min(length, time - (isSameClock ? startedAt : first));
  return [
    ...consoleEntries.map(
      ({ time, messageType, text }): Event => ({
        at: offset(time),
        icon: 'terminal',
        isBad: LOUD.has(messageType),
        kind: `Console ${messageType}:`,
        text,
      }),
    ),
    ...networkRequests.map(
      ({ time, method, url, status }): Event => ({
        at: offset(time),
        icon: 'network',
        isBad: status >= FIRST_ERROR_STATUS || status <= 0,
        kind: 'Request:',
        text: `${method} ${url} ${status}`,
      }),
    ),
  ];
}

const EventLine = ({ event, axis }: Pick<LineProps, 'axis'> & { readonly event: Event }): Html => (
  <div class={event.isBad ? 'step event word failed' : 'step event'}>
    <Line
      tone={event.isBad ? 'failed' : 'running'}
      name={
        <>
          <Icon name={event.icon} size="small" />
          <span class="hidden-text">{event.kind}</span> <code>{event.text}</code>
        </>
      }
      at={event.at}
      length={0}
      text={formatDuration(event.at)}
      axis={axis}
    />
  </div>
);

/** The title of a step may have several lines, for example with a data table. */
const isSeveralLines = (name: Child): boolean => typeof name === 'string' && name.includes('\n');

interface LineProps {
  readonly tone: 'failed' | 'pending' | 'running';
  readonly name: Child;
  readonly at: number;
  readonly length: number;
  readonly text: string;
  readonly axis: Axis;
}

const NARROWEST = 0.8;

function Line({ tone, name, at, length, text, axis }: LineProps): Html {
  const width = Math.max(NARROWEST, (length / axis.length) * 100);
  const x = Math.max(0, Math.min(100 - width, ((at - axis.from) / axis.length) * 100));
  return (
    <>
      <span class={isSeveralLines(name) ? 'step-name several-lines' : 'step-name'}>{name}</span>
      <svg class="track" aria-hidden="true">
        <rect class={tone} x={`${x.toFixed(1)}%`} width={`${Math.min(100, width).toFixed(1)}%`} height="8" rx="2" />
      </svg>
      <span class="number">{text}</span>
    </>
  );
}
