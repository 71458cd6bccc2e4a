/** §4.3 A failure context as Markdown, with masked secrets. */

import type { Root } from 'mdast';
import { writeFirstSentence } from '#shared/context/causes.ts';
import type { ContextData, InstanceContext, ListedTest, RunContext } from '#shared/context/context-wire.ts';
import type { Detail } from '#shared/context/detail.ts';
import type { ContextQuery } from '#shared/context/query-wire.ts';
import { presentContext } from '#shared/context/shown-context.ts';
import { removeControlSequences } from '#shared/engine/plain-text.ts';
import { normalizeError } from '#shared/errors/same-error.ts';
import type { AnswerPart } from '#shared/results/failures/answer.ts';
import { renderError } from './error.ts';
import {
  makeFirstTestQueries,
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
  type NumberedItem,
  numberedList,
  type PhrasePart,
  paragraph,
  quote,
  section,
  table,
} from './nodes.ts';
import {
  formatAssetCounts,
  formatAttempt,
  formatCountedNoun,
  formatFullTitle,
  formatLocation,
  formatMilliseconds,
} from './phrases.ts';
import { serializePage } from './serialize.ts';
import { renderStepTree } from './steps.ts';
import { renderEnvironment, renderGit } from './surroundings.ts';
import { renderTestContext } from './test-markdown.ts';

/** Renders a context as Markdown. Masks secrets in the context, but expects `pageState` to be masked already. */
export function formatContext(context: ContextData, query: ContextQuery, reading: Omit<Reading, 'detail'>): string {
  const { detail, max_length: maxLength } = query;
  const page = renderContext(presentContext(context, query), { ...reading, detail });
  return serializePage(page, { maxLength });
}

function renderInstanceContext(context: InstanceContext, reading: Reading): Root {
  const { runId, instanceId, spec, total, list, environment, git } = context;
  const tests = makeFirstTestQueries(list, ({ testId, test }) => [makeTestQuery(instanceId, testId, test.attempt)]);
  return document(
    heading(1, 'Instance Failure Context'),
    UNTRUSTED,
    ...renderAnswer(context),
    bullets([['Spec: ', quote(spec)], [`Failed tests: ${total}`]]),
    ...(reading.detail === 'summary'
      ? []
      : [...section('Git', renderGit(git)), ...section('Environment', renderEnvironment(environment))]),
    ...renderFailingTests(list, reading.detail),
    ...renderOmittedNote(list),
    ...renderNextPageHint(context),
    ...renderFollowUp({ runId, instanceId }, [...tests, makeRunQuery(runId)], reading),
  );
}

/** Renders a context of any level. The context must already be masked and reduced to the requested detail. */
export function renderContext(context: ContextData, reading: Reading): Root {
  if (context.level === 'test') return renderTestContext(context, reading);
  return context.level === 'instance' ? renderInstanceContext(context, reading) : renderRunContext(context, reading);
}

function renderRunContext(context: RunContext, reading: Reading): Root {
  const { projectId, runId, ciBuildId, causes = [], specs, git, list, problems = [] } = context;
  const outside = problems.filter(({ kind }) => kind === 'errorOutsideTests');
  const others = problems.filter((problem) => !outside.includes(problem));
  const { status, completionState, totalFailedTests, totalFlakyTests } = context;
  const tests = makeFirstTestQueries(list, ({ instanceId, testId, test }) => [
    makeInstanceQuery(runId, instanceId),
    makeTestQuery(instanceId, testId, test.attempt),
  ]);
  return document(
    heading(1, 'Run Failure Context'),
    UNTRUSTED,
    ...renderAnswer(context),
    bullets([
      ['Status: ', quote(status), ', ', quote(completionState)],
      [`Failed tests: ${totalFailedTests}`],
      ...(totalFlakyTests === undefined ? [] : [[`Flaky tests: ${totalFlakyTests}`]]),
    ]),
    ...section('Causes', causes.length > 0 ? [renderCauses(causes)] : []),
    ...(reading.detail === 'summary' ? [] : section('Git', renderGit(git))),
    ...section('Specs With Failed, Skipped or Flaky Tests', specs.length > 0 ? [renderSpecTable(specs)] : []),
    ...section('Why the Run Failed Other Than by Its Tests', renderProblems(others.filter(({ failsRun }) => failsRun))),
    ...section('Warnings', renderProblems(others.filter(({ failsRun }) => !failsRun))),
    ...section('Errors Outside Tests', outside.flatMap(renderOutsideError)),
    ...renderFailingTests(list, reading.detail),
    ...renderOmittedNote(list),
    ...renderNextPageHint(context),
    ...renderFollowUp({ projectId, runId, ciBuildId }, tests, reading),
  );
}

function renderAnswer(context: RunContext | InstanceContext): Block[] {
  const sentence = writeFirstSentence(context);
  return sentence ? [paragraph(...sentence.map(renderPart))] : [];
}

const renderPart = (part: AnswerPart): PhrasePart => {
  if (typeof part === 'string') return part;
  return 'words' in part ? part.words : quote(part.quote);
};

const renderCauses = (causes: NonNullable<RunContext['causes']>): Block =>
  table(
    ['Cause', 'Failures', 'Spec files', 'Received values'],
    causes.map(({ text, tests, files, received: values }) => [
      quote(text),
      `${tests}`,
      `${files}`,
      values.length > 1 ? quote(values.map(({ value, tests: count }) => `${value} (${count})`).join(', ')) : '',
    ]),
  );

type Problem = NonNullable<RunContext['problems']>[number];

const renderProblems = (problems: readonly Problem[]): Block[] =>
  problems.length === 0
    ? []
    : [
        bullets(
          problems.map(({ file, message }) => (file === null ? [quote(message)] : [quote(file), ': ', quote(message)])),
        ),
      ];

const renderOutsideError = ({ file, message, machines }: Problem): Block[] => [
  ...(file === null ? [] : [paragraph(quote(file), ':')]),
  ...(machines > 1 ? [paragraph(`On ${formatCountedNoun(machines, 'machine')}:`)] : []),
  codeBlock(message),
];

const renderSpecTable = (specs: RunContext['specs']): Block =>
  table(
    ['Spec', 'Group', 'Failed', 'Skipped', 'Flaky', 'instanceId'],
    specs.map(({ spec, groupId, failed, skipped, flaky, instanceId }) => [
      quote(spec),
      quote(groupId),
      `${failed}`,
      `${skipped}`,
      `${flaky}`,
      quote(instanceId),
    ]),
  );

/** §2.4 A flaky test has an error although it passed in the end. */
const isFlaky = ({ test: { status } }: ListedTest): boolean => status === 'passed' || status === 'flaky';

/** Groups tests by error. The numbers continue from group to group, and from failed tests to flaky tests. */
function renderFailingTests(list: readonly ListedTest[], detail: Detail): Block[] {
  const flakyTests = list.filter(isFlaky);
  const failedTests = list.filter((test) => !isFlaky(test));
  return [
    ...(failedTests.length > 0 ? [heading(2, 'Failing Tests'), ...renderErrorGroups(failedTests, 1, detail)] : []),
    ...(flakyTests.length > 0
      ? [heading(2, 'Flaky Tests'), ...renderErrorGroups(flakyTests, failedTests.length + 1, detail)]
      : []),
  ];
}

function renderErrorGroups(list: readonly ListedTest[], first: number, detail: Detail): Block[] {
  const byError = [...Map.groupBy(list, deriveErrorKey).values()];
  let next = first;
  return byError.flatMap((tests, index) => {
    const words = `Error ${index + 1} of ${byError.length}, in ${formatCountedNoun(tests.length, 'test')}`;
    const start = next;
    next += tests.length;
    const items = tests.map((test) => presentTest(test, detail));
    return [heading(3, words), ...renderSharedError(tests), numberedList(start, items)];
  });
}

/** Renders the error that a group of tests has in common. The location of the error is shown with each test instead. */
function renderSharedError(tests: readonly ListedTest[]): Block[] {
  const error = tests[0]?.error;
  if (!error) return [paragraph('No error was recorded.')];
  const differing = paragraph(
    'The error of the first test; ids, numbers, addresses and paths may differ in the other tests:',
  );
  return [...(tests.length > 1 ? [differing] : []), ...renderError({ ...error, location: null })];
}

const deriveErrorKey = ({ error }: ListedTest): string | undefined =>
  error?.message && normalizeError(removeControlSequences(error.message));

function presentTest(listedTest: ListedTest, detail: Detail): NumberedItem {
  const {
    testId,
    instanceId,
    spec,
    test,
    error,
    furtherErrors = [],
    failureContext,
    environment,
    assets,
    meta,
  } = listedTest;
  const at: PhrasePart[] = error?.location ? [', at ', formatLocation(error.location)] : [];
  const project: PhrasePart[] = environment?.project ? [', project ', quote(environment.project)] : [];
  const counts = assets && formatAssetCounts(assets);
  return {
    line: [formatFullTitle(test)],
    details: [
      ['In ', quote(spec), ...at, ...project],
      ...(detail === 'summary' ? [] : [[`${formatAttempt(test)}, ${formatMilliseconds(test.duration)}`]]),
      ...(failureContext ? [['Failed step: ', quote(failureContext.failedStep.title)]] : []),
      ...(furtherErrors.length > 0 ? [[`And ${formatCountedNoun(furtherErrors.length, 'more error')}`]] : []),
      ...(counts ? [[`Assets: ${counts}`]] : []),
      ['instanceId ', quote(instanceId), ', testId ', quote(testId), ', signature ', quote(meta.signature)],
    ],
    blocks: renderStepTree(listedTest),
  };
}

function renderNextPageHint({ list, total, nextPage }: Pick<RunContext, 'list' | 'total' | 'nextPage'>): Block[] {
  if (nextPage === false) return [];
  const sentence = `This page shows ${list.length} of ${formatCountedNoun(total, 'test')}. For the next page, repeat the request with `;
  return [paragraph(sentence, quote(`page=${nextPage}`), '.')];
}
