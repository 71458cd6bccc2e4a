/** §4.3 Renders the context of a test as Markdown, with the most helpful parts first. */

import type { Root } from 'mdast';
import type { Assets, TestContext } from '#shared/context/context-wire.ts';
import { formatCount } from '#shared/engine/format-count.ts';
import { makeVisible, makeVisibleLine } from '#shared/engine/plain-text.ts';
import { renderError, renderFurtherError } from './error.ts';
import {
  makeHistoryQuery,
  makeInstanceQuery,
  makeRunQuery,
  makeTestQuery,
  type Reading,
  renderFollowUp,
  renderOmittedNote,
  UNTRUSTED,
} from './follow-up.ts';
import {
  type Block,
  bullets,
  codeBlock,
  document,
  heading,
  link,
  makeCodeBlocks,
  type PhrasePart,
  paragraph,
  quote,
  section,
} from './nodes.ts';
import {
  formatAssetCounts,
  formatAttempt,
  formatFullTitle,
  formatLocation,
  formatMilliseconds,
  formatTimeOfDay,
} from './phrases.ts';
import { renderFailureContext, renderStepTree } from './steps.ts';
import { renderEnvironment, renderGit } from './surroundings.ts';

const SIGNED_LINKS = 'The links work for a short time and need no credential.';
const PAGE_LINKS = 'The links are for people, who sign in to open them.';

function renderAssets(assets: Assets, linkNote: string): Block[] {
  const counts = formatAssetCounts(assets);
  if (counts === undefined) return [];
  const { traces, screenshots, videos, attachments, totals } = assets;
  const lines: PhrasePart[][] = [
    ...traces.map(({ name, url }) => ['Trace ', link(name, url)]),
    ...screenshots.map(({ name, url }) => ['Screenshot ', link(name, url)]),
    ...videos.map(({ name, url }) => ['Video ', link(name, url)]),
    ...attachments.map(({ name, filename, contentType, url }) => [
      'Attachment ',
      link(name, url),
      ...(filename === null ? [] : [', file ', quote(filename)]),
      ', ',
      quote(contentType),
    ]),
  ];
  const all = totals.traces + totals.screenshots + totals.videos + totals.attachments;
  const note = lines.length < all ? `, of which ${lines.length} are listed` : '';
  const total = paragraph(`In total ${counts}${note}. ${linkNote}`);
  return lines.length > 0 ? [total, bullets(lines)] : [total];
}

export function renderTestContext(context: TestContext, reading: Reading): Root {
  const { projectId, runId, instanceId, testId, signature, attempt } = context.meta;
  const ids = { projectId, runId, instanceId, testId, signature, attempt: `${attempt}` };
  return document(
    heading(1, 'Test Failure Context'),
    UNTRUSTED,
    renderFacts(context),
    ...renderFailure(context, reading),
    ...renderEvidence(context, reading),
    ...renderOmittedNote([context]),
    ...renderFollowUp(
      ids,
      [
        makeRunQuery(runId),
        makeInstanceQuery(runId, instanceId),
        // Tools show fewer details by default.
        makeTestQuery(instanceId, testId, attempt, { detail: 'default' }),
        makeHistoryQuery(signature, reading.now),
      ],
      reading,
    ),
  );
}

const renderFacts = ({ spec, test, meta, failingSince, knownIssues = [] }: TestContext): Block =>
  bullets([
    ['Spec: ', quote(spec)],
    ['Test: ', formatFullTitle(test)],
    ['Status: ', quote(test.status)],
    [formatAttempt(test)],
    [`Duration: ${formatMilliseconds(test.duration)}`],
    ...(failingSince ? [renderFailingSince(failingSince)] : []),
    ...knownIssues.map(({ key, url, title, stateName }): PhrasePart[] => [
      'Known issue: ',
      link(key, url),
      ' ',
      quote(title),
      ', ',
      quote(stateName),
    ]),
    ...renderExpiry('Steps, output and trace analysis', meta.evidenceExpiredAt),
    ...renderExpiry('Files', meta.filesExpiredAt),
  ]);

function renderFailingSince({
  createdAt,
  mayBeEarlier,
  sha,
  title,
  authorName,
  failures,
}: NonNullable<TestContext['failingSince']>): PhrasePart[] {
  const suffix = mayBeEarlier ? ' or earlier' : '';
  return [
    `Failing on the default branch since ${createdAt}${suffix}, ${formatCount(failures, 'failure')} without a pass`,
    ...(sha === null ? [] : [', commit ', quote(sha)]),
    ...(title === null ? [] : [' ', quote(title)]),
    ...(authorName === null ? [] : [' by ', quote(authorName)]),
  ];
}

const renderExpiry = (what: string, at: string | undefined) => (at === undefined ? [] : [[`${what} expired: ${at}`]]);

function renderFailure(
  { error, furtherErrors = [], failureContext, errorContext, traceErrorAnalysis }: TestContext,
  { pageState }: Reading,
): Block[] {
  const snapshot = ({ name, url }: NonNullable<typeof errorContext>): Block =>
    pageState === undefined
      ? paragraph(link(name, url), ': the page at the time of the error, as Markdown')
      : codeBlock(pageState);
  return [
    ...section('Error', error ? renderError(error) : []),
    ...section('Further Errors', furtherErrors.flatMap(renderFurtherError)),
    ...section('Failure Context', failureContext ? renderFailureContext(failureContext) : []),
    ...section('Error Context', errorContext ? [snapshot(errorContext)] : []),
    ...section('Browser Console', traceErrorAnalysis ? renderConsole(traceErrorAnalysis) : []),
    ...section('Network Requests', traceErrorAnalysis ? renderNetworkRequests(traceErrorAnalysis) : []),
  ];
}

function renderEvidence(context: TestContext, { forTools = false }: Reading): Block[] {
  const { otherAttempts = [], stdout = [], stderr = [], assets, environment, git } = context;
  return [
    ...section('Other Attempts', renderOtherAttempts(otherAttempts)),
    ...section('All Steps', renderStepTree(context)),
    ...section('Stdout', renderOutput(stdout)),
    ...section('Stderr', renderOutput(stderr)),
    ...section('Assets', assets ? renderAssets(assets, forTools ? PAGE_LINKS : SIGNED_LINKS) : []),
    ...section('Environment', environment ? renderEnvironment(environment) : []),
    ...section('Git', git ? renderGit(git) : []),
  ];
}

type Analysis = NonNullable<TestContext['traceErrorAnalysis']>;

function renderConsole({ consoleEntries }: Analysis): Block[] {
  const entries = consoleEntries.map(({ time, messageType, text, location: { url, lineNumber, columnNumber } }) => {
    // Browsers count lines from 0, editors from 1.
    const from = url === '' ? '' : `\nat ${url}:${lineNumber + 1}:${columnNumber + 1}`;
    const lines = makeVisible(`${formatTimeOfDay(time)} [${makeVisibleLine(messageType)}] ${text.trim()}${from}`);
    // Continuation lines are indented, so that one entry cannot look like two entries.
    return lines.replaceAll('\n', '\n    ');
  });
  return makeCodeBlocks(entries);
}

function renderNetworkRequests({ networkRequests }: Analysis): Block[] {
  return makeCodeBlocks(
    networkRequests.map(
      ({ time, method, status, url }) =>
        `${formatTimeOfDay(time)} ${makeVisibleLine(method)} ${status < 0 ? 'no answer' : status} ${makeVisibleLine(url)}`,
    ),
  );
}

const renderOutput = (pieces: readonly string[]): Block[] => (pieces.length > 0 ? [codeBlock(pieces.join(''))] : []);

function renderOtherAttempts(others: NonNullable<TestContext['otherAttempts']>): Block[] {
  return others.flatMap(({ attempt, status, sameError, error }) => {
    const outcome = [`Attempt ${attempt + 1}: `, quote(status)];
    if (sameError) return [paragraph(...outcome, ', with the same error')];
    if (!error) return [paragraph(...outcome, ', without an error')];
    const at = error.location ? [', with another error at ', formatLocation(error.location)] : [', with another error'];
    return [paragraph(...outcome, ...at), codeBlock(error.message)];
  });
}
