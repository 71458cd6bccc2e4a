/** The recorded evidence of one attempt: its error, pictures, steps and output. */
import type { TestContext } from '#shared/context/context-wire.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import { readPictureDifference } from '#shared/errors/picture-difference.ts';
import type { Artifact } from '#shared/model/results/artifact.ts';
import { stripAnsi } from '#shared/pages/design/ansi.tsx';
import { formatPictureDifference } from '#shared/pages/design/assertion.tsx';
import { FullTime, formatCount, formatDuration } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { Notice, Panel } from '#shared/pages/design/parts.tsx';
import { Attempts, describeErrors, OddAttempt } from './attempts.tsx';
import { type CodeUrl, ErrorSection } from './error-section.tsx';
import type { EvidenceLinks } from './evidence-links.ts';
import { Pictures } from './file-section.tsx';
import { Output } from './output-panel.tsx';
import { listPictures } from './select-files.ts';
import { Snapshots } from './snapshots.tsx';
import { FIRST_ERROR_STATUS, WhatHappened } from './what-happened.tsx';

interface Props {
  readonly links: EvidenceLinks;
  readonly context: TestContext;
  readonly files: readonly Artifact[];
  /** When the attempt started, as ISO 8601. */
  readonly startedAt: string | null | undefined;
  /** The address of a line of code at the host of the repository. Absent for outsiders. */
  readonly codeUrl?: CodeUrl;
}

export const TestEvidence = ({ links, context, files, startedAt, codeUrl }: Props): Html => {
  const { error, furtherErrors = [] } = context;
  const pictures = listPictures(files);
  const pictureDifference = error ? readPictureDifference(stripAnsi(error.message)) : undefined;
  const errorCount = 1 + furtherErrors.length;
  return (
    <div>
      <Snapshots links={links} files={files} note={pictureDifference && formatPictureDifference(pictureDifference)} />
      <Panel
        title={error ? nameError(0, errorCount) : 'Result'}
        note={describeAttempt(context)}
        id="error"
        actions={<Attempts links={links} context={context} />}
      >
        <OddAttempt links={links} context={context} />
        <div class="evidence flush">
          {error ? (
            <ErrorSection error={error} codeUrl={codeUrl}>
              {renderSignals(context)}
            </ErrorSection>
          ) : (
            <p>No failure was recorded for this attempt.</p>
          )}
          {pictures.length > 0 && (
            <div class="stack beside">
              <Pictures links={links} files={pictures} />
            </div>
          )}
        </div>
      </Panel>
      {furtherErrors.map(({ message, location, snippet = null }, index) => (
        <Panel title={nameError(index + 1, errorCount)} id={`error-${index + 2}`}>
          <ErrorSection error={{ message, location, snippet, stack: null }} codeUrl={codeUrl} />
        </Panel>
      ))}
      <WhatHappened context={context} startedAt={startedAt ? Date.parse(startedAt) : undefined} />
      <Output context={context} />
    </div>
  );
};

function describeAttempt(context: TestContext): string {
  const { attempt, totalAttempts, duration } = context.test;
  const place = `attempt ${attempt + 1} of ${formatCount(totalAttempts)}`;
  return [place, formatDuration(duration), describeErrors(context)].filter(Boolean).join(', ');
}

const nameError = (index: number, count: number): string =>
  count === 1 ? 'Failure' : `Error ${index + 1} of ${count}`;

const MOST_SIGNALS = 3;

/** Failed requests and console errors, shown beside the error because they often reveal its cause. */
function renderSignals({ traceErrorAnalysis }: TestContext): Child {
  const requests = (traceErrorAnalysis?.networkRequests ?? []).filter(({ status }) => status >= FIRST_ERROR_STATUS);
  const entries = (traceErrorAnalysis?.consoleEntries ?? []).filter(({ messageType }) => messageType === 'error');
  if (requests.length + entries.length === 0) return undefined;
  return (
    <>
      {requests.slice(0, MOST_SIGNALS).map(({ method, url, status }) => (
        <span class="tag mono">
          <Icon name="network" size="small" />
          {method} {url} <b class="word failed nowrap">{status}</b>
        </span>
      ))}
      {entries.slice(0, MOST_SIGNALS).map(({ text }) => (
        <span class="tag mono">
          <Icon name="terminal" size="small" />
          {text}
        </span>
      ))}
    </>
  );
}

export const Gone = ({ meta: { evidenceExpiredAt, filesExpiredAt } }: Pick<TestContext, 'meta'>): Html => (
  <>
    {evidenceExpiredAt !== undefined && (
      <Notice>
        The steps, output and trace analyses of this test expired on <FullTime at={evidenceExpiredAt} />, as set in the
        project’s retention.
      </Notice>
    )}
    {filesExpiredAt !== undefined && (
      <Notice>
        The files of this test were deleted on <FullTime at={filesExpiredAt} />: their retention ended, or somebody
        deleted the files of the run.
      </Notice>
    )}
  </>
);
