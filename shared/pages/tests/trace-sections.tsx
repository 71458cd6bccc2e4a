/** Steps, console, network and output of an attempt. */
import type { Step, TestContext } from '#shared/context/context-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { durationText, FullTime } from '#shared/pages/design/format.tsx';
import { LongText } from './error-section.tsx';

interface Props {
  readonly context: TestContext;
}

export const Steps = ({ context: { steps = [] } }: Props): Html =>
  steps.length === 0 ? (
    <span hidden />
  ) : (
    <section aria-labelledby="steps">
      <h2 id="steps">Steps</h2>
      {steps.map((step) => (
        <StepTree step={step} />
      ))}
    </section>
  );

const hasFailed = ({ error, steps }: Step): boolean => error !== null || steps.some(hasFailed);

const nameOf = ({ title, duration }: Step): string =>
  duration < 0 ? `${title} (did not finish)` : `${title} (${durationText(duration)})`;

/** A step with its nested steps. Only the path to the failed step is expanded. */
const StepTree = ({ step }: { readonly step: Step }): Html =>
  step.steps.length === 0 ? (
    <div class={hasFailed(step) ? 'nested failed' : 'nested'}>
      {hasFailed(step) && '✕ '}
      {nameOf(step)}
    </div>
  ) : (
    <details open={hasFailed(step)}>
      <summary class={hasFailed(step) ? 'failed' : undefined}>
        {hasFailed(step) && '✕ '}
        {nameOf(step)}
      </summary>
      {step.steps.map((inner) => (
        <StepTree step={inner} />
      ))}
    </details>
  );

const LOUD = ['error', 'warning'];

export function Console({ context: { traceErrorAnalysis } }: Props): Html {
  const entries = traceErrorAnalysis?.consoleEntries ?? [];
  if (entries.length === 0) return <span hidden />;
  const rank = (messageType: string) => (LOUD.includes(messageType) ? LOUD.indexOf(messageType) : LOUD.length);
  const sorted = entries.toSorted((one, other) => rank(one.messageType) - rank(other.messageType));
  return (
    <section aria-labelledby="console">
      <h2 id="console">Browser console</h2>
      {sorted.map(({ messageType, text, time }) => (
        <div>
          <strong>{messageType}</strong>{' '}
          <small>
            <FullTime at={time} />
          </small>
          <pre class="wrap">{text}</pre>
        </div>
      ))}
    </section>
  );
}

export function NetworkSection({ context: { traceErrorAnalysis } }: Props): Html {
  const requests = traceErrorAnalysis?.networkRequests ?? [];
  if (requests.length === 0) return <span hidden />;
  return (
    <section class="scroll" tabindex={0} aria-label="Network">
      <h2 id="network">Network</h2>
      <table>
        <caption>Page requests, failed ones first</caption>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Request</th>
          </tr>
        </thead>
        <tbody>
          {requests
            .toSorted((one, other) => other.status - one.status)
            .map(({ method, url, status }) => (
              <tr>
                <td class={status >= 400 ? 'failed' : undefined}>{status}</td>
                <th scope="row">
                  {method} {url}
                </th>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}

export const OutputSection = ({ context: { stdout = [], stderr = [] } }: Props): Html => (
  <>
    <Stream name="Standard output" lines={stdout} />
    <Stream name="Standard error" lines={stderr} />
  </>
);

const Stream = ({ name, lines }: { readonly name: string; readonly lines: readonly string[] }): Html =>
  lines.length === 0 ? (
    <span hidden />
  ) : (
    <details>
      <summary>{name}</summary>
      <LongText text={lines.join('')} />
    </details>
  );
