/** §4.3 Renders the context of a test as Markdown, with the most helpful parts first. */
import type { Root } from 'mdast';
import type { Assets, TestContext } from '#shared/context/context-wire.ts';
import { makeVisible, makeVisibleLine } from '#shared/engine/plain-text.ts';
import { errorBlocks } from './error.ts';
import {
  followUp,
  historyQuery,
  instanceQuery,
  omittedBlocks,
  type Reading,
  runQuery,
  testQuery,
  UNTRUSTED,
} from './follow-up.ts';
import {
  type Block,
  bullets,
  document,
  fenced,
  fencedLines,
  heading,
  linked,
  type PhrasePart,
  paragraph,
  quoted,
  section,
} from './nodes.ts';
import { assetCounts, attemptOf, clock, countedNoun, duration, fullTitle, place } from './phrases.ts';
import { failureContextBlocks, stepTreeBlocks } from './steps.ts';
import { environmentBlocks, gitBlocks } from './surroundings.ts';

/** The files of an attempt as signed links. */
function assetBlocks(assets: Assets): Block[] {
  const counts = assetCounts(assets);
  if (counts === undefined) return [];
  const { traces, screenshots, videos, attachments, totals } = assets;
  const lines: PhrasePart[][] = [
    ...traces.map(({ name, url }) => ['Trace ', linked(name, url)]),
    ...screenshots.map(({ name, url }) => ['Screenshot ', linked(name, url)]),
    ...videos.map(({ name, url }) => ['Video ', linked(name, url)]),
    ...attachments.map(({ name, filename, contentType, url }) => [
      'Attachment ',
      linked(name, url),
      ...(filename === null ? [] : [', file ', quoted(filename)]),
      ', ',
      quoted(contentType),
    ]),
  ];
  const all = totals.traces + totals.screenshots + totals.videos + totals.attachments;
  const listed = lines.length < all ? `, of which ${lines.length} are listed` : '';
  const total = paragraph(`In total ${counts}${listed}. The links work for a short time and need no credential.`);
  return lines.length > 0 ? [total, bullets(lines)] : [total];
}

export function testMarkdown(context: TestContext, reading: Reading): Root {
  const { projectId, runId, instanceId, testId, signature, attempt } = context.meta;
  const ids = { projectId, runId, instanceId, testId, signature, attempt: `${attempt}` };
  return document(
    heading(1, 'Test Failure Context'),
    UNTRUSTED,
    facts(context),
    ...failure(context, reading),
    ...evidence(context),
    ...omittedBlocks([context]),
    ...followUp(
      ids,
      [
        runQuery(runId),
        instanceQuery(runId, instanceId),
        // Tools show fewer details by default.
        testQuery(instanceId, testId, attempt, { detail: 'default' }),
        historyQuery(signature, reading.now),
      ],
      reading,
    ),
  );
}

const facts = ({ spec, test, meta, failingSince, knownIssues = [] }: TestContext): Block =>
  bullets([
    ['Spec: ', quoted(spec)],
    ['Test: ', fullTitle(test)],
    ['Status: ', quoted(test.status)],
    [attemptOf(test)],
    [`Duration: ${duration(test.duration)}`],
    ...(failingSince ? [sinceWhen(failingSince)] : []),
    ...knownIssues.map(({ key, url, title, stateName }): PhrasePart[] => [
      'Known issue: ',
      linked(key, url),
      ' ',
      quoted(title),
      ', ',
      quoted(stateName),
    ]),
    ...expired('Steps, output and trace analysis', meta.evidenceExpiredAt),
    ...expired('Files', meta.filesExpiredAt),
  ]);

function sinceWhen({
  createdAt,
  mayBeEarlier,
  sha,
  title,
  authorName,
  failures,
}: NonNullable<TestContext['failingSince']>): PhrasePart[] {
  const earlier = mayBeEarlier ? ' or earlier' : '';
  return [
    `Failing on the default branch since ${createdAt}${earlier}, ${countedNoun(failures, 'failure')} without a pass`,
    ...(sha === null ? [] : [', commit ', quoted(sha)]),
    ...(title === null ? [] : [' ', quoted(title)]),
    ...(authorName === null ? [] : [' by ', quoted(authorName)]),
  ];
}

const expired = (what: string, at: string | undefined) => (at === undefined ? [] : [[`${what} expired: ${at}`]]);

function failure(
  { error, failureContext, errorContext, traceErrorAnalysis }: TestContext,
  { pageState }: Reading,
): Block[] {
  const snapshot = ({ name, url }: NonNullable<typeof errorContext>): Block =>
    pageState === undefined
      ? paragraph(linked(name, url), ': the page at the time of the error, as Markdown')
      : fenced(pageState);
  return [
    ...section('Error', error ? errorBlocks(error) : []),
    ...section('Failure Context', failureContext ? failureContextBlocks(failureContext) : []),
    ...section('Error Context', errorContext ? [snapshot(errorContext)] : []),
    ...section('Browser Console', traceErrorAnalysis ? consoleBlocks(traceErrorAnalysis) : []),
    ...section('Network Requests', traceErrorAnalysis ? networkBlocks(traceErrorAnalysis) : []),
  ];
}

function evidence(context: TestContext): Block[] {
  const { otherAttempts = [], stdout = [], stderr = [], assets, environment, git } = context;
  return [
    ...section('Other Attempts', otherAttemptsBlocks(otherAttempts)),
    ...section('All Steps', stepTreeBlocks(context)),
    ...section('Stdout', outputBlocks(stdout)),
    ...section('Stderr', outputBlocks(stderr)),
    ...section('Assets', assets ? assetBlocks(assets) : []),
    ...section('Environment', environment ? environmentBlocks(environment) : []),
    ...section('Git', git ? gitBlocks(git) : []),
  ];
}

// Renders the browser console, network requests, output and other attempts of a test.

type Analysis = NonNullable<TestContext['traceErrorAnalysis']>;

function consoleBlocks({ consoleEntries }: Analysis): Block[] {
  const entries = consoleEntries.map(({ time, messageType, text, location: { url, lineNumber, columnNumber } }) => {
    // Browsers count lines from 0, editors from 1.
    const from = url === '' ? '' : `\nat ${url}:${lineNumber + 1}:${columnNumber + 1}`;
    const lines = makeVisible(`${clock(time)} [${makeVisibleLine(messageType)}] ${text.trim()}${from}`);
    // Continuation lines are indented, so that one entry cannot look like two entries.
    return lines.replaceAll('\n', '\n    ');
  });
  return fencedLines(entries);
}

function networkBlocks({ networkRequests }: Analysis): Block[] {
  return fencedLines(
    networkRequests.map(
      ({ time, method, status, url }) =>
        `${clock(time)} ${makeVisibleLine(method)} ${status < 0 ? 'no answer' : status} ${makeVisibleLine(url)}`,
    ),
  );
}

const outputBlocks = (pieces: readonly string[]): Block[] => (pieces.length > 0 ? [fenced(pieces.join(''))] : []);

function otherAttemptsBlocks(others: NonNullable<TestContext['otherAttempts']>): Block[] {
  return others.flatMap(({ attempt, status, sameError, error }) => {
    const ended = [`Attempt ${attempt + 1}: `, quoted(status)];
    if (sameError) return [paragraph(...ended, ', with the same error')];
    if (!error) return [paragraph(...ended, ', without an error')];
    const at = error.location ? [', with another error at ', place(error.location)] : [', with another error'];
    return [paragraph(...ended, ...at), fenced(error.message)];
  });
}
