/** §4.3 A failure context as Markdown, with masked secrets. */

import type { Root } from 'mdast';
import type { ContextData, InstanceContext, ListedTest, RunContext } from '#shared/context/context-wire.ts';
import type { Detail } from '#shared/context/detail.ts';
import type { ContextQuery } from '#shared/context/query-wire.ts';
import { shownContext } from '#shared/context/shown-context.ts';
import { removeControlSequences } from '#shared/engine/plain-text.ts';
import { normalizedError } from '#shared/errors/same-error.ts';
import { errorBlocks } from './error.ts';
import {
  firstTestQueries,
  followUp,
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
  heading,
  type NumberedItem,
  numbered,
  type PhrasePart,
  paragraph,
  quoted,
  section,
  table,
} from './nodes.ts';
import { assetCounts, attemptOf, countedNoun, duration, fullTitle, place } from './phrases.ts';
import { serialize } from './serialize.ts';
import { stepTreeBlocks } from './steps.ts';
import { environmentBlocks, gitBlocks } from './surroundings.ts';
import { testMarkdown } from './test-markdown.ts';

/** Renders a context as Markdown. Masks secrets in the context, but expects `pageState` to be masked already. */
export function contextText(context: ContextData, query: ContextQuery, reading: Omit<Reading, 'detail'>): string {
  const { detail, max_length: maxLength } = query;
  const page = contextMarkdown(shownContext(context, query), { ...reading, detail });
  return serialize(page, { maxLength });
}

// §4.3 Renders a context of any level (run, instance or test) as Markdown.

/** §4.3 Renders the context of an instance as Markdown. */
function instanceMarkdown(context: InstanceContext, reading: Reading): Root {
  const { runId, instanceId, spec, total, list, environment, git } = context;
  const tests = firstTestQueries(list, ({ testId, test }) => [testQuery(instanceId, testId, test.attempt)]);
  return document(
    heading(1, 'Instance Failure Context'),
    UNTRUSTED,
    bullets([['Spec: ', quoted(spec)], [`Failed tests: ${total}`]]),
    ...(reading.detail === 'summary'
      ? []
      : [...section('Git', gitBlocks(git)), ...section('Environment', environmentBlocks(environment))]),
    ...failingTestsBlocks(list, reading.detail),
    ...omittedBlocks(list),
    ...nextPageBlocks(context),
    ...followUp({ runId, instanceId }, [...tests, runQuery(runId)], reading),
  );
}

/** Renders a context of any level. The context must already be masked and reduced to the requested detail. */
export function contextMarkdown(context: ContextData, reading: Reading): Root {
  if (context.level === 'test') return testMarkdown(context, reading);
  return context.level === 'instance' ? instanceMarkdown(context, reading) : runMarkdown(context, reading);
}

/** §4.3 Renders the context of a run as Markdown: status, spec files with problems, and their failed tests. */
function runMarkdown(context: RunContext, reading: Reading): Root {
  const { projectId, runId, ciBuildId, specs, git, list, problems = [] } = context;
  const outside = problems.filter(({ kind }) => kind === 'errorOutsideTests');
  const others = problems.filter((problem) => !outside.includes(problem));
  const { status, completionState, totalFailedTests, totalFlakyTests } = context;
  const tests = firstTestQueries(list, ({ instanceId, testId, test }) => [
    instanceQuery(runId, instanceId),
    testQuery(instanceId, testId, test.attempt),
  ]);
  return document(
    heading(1, 'Run Failure Context'),
    UNTRUSTED,
    bullets([
      ['Status: ', quoted(status), ', ', quoted(completionState)],
      [`Failed tests: ${totalFailedTests}`],
      ...(totalFlakyTests === undefined ? [] : [[`Flaky tests: ${totalFlakyTests}`]]),
    ]),
    ...(reading.detail === 'summary' ? [] : section('Git', gitBlocks(git))),
    ...section('Specs With Failed, Skipped or Flaky Tests', specs.length > 0 ? [specTable(specs)] : []),
    ...section('Why the Run Failed Other Than by Its Tests', problemBlocks(others.filter(({ failsRun }) => failsRun))),
    ...section('Warnings', problemBlocks(others.filter(({ failsRun }) => !failsRun))),
    ...section('Errors Outside Tests', outside.flatMap(outsideBlocks)),
    ...failingTestsBlocks(list, reading.detail),
    ...omittedBlocks(list),
    ...nextPageBlocks(context),
    ...followUp({ projectId, runId, ciBuildId }, tests, reading),
  );
}

type Problem = NonNullable<RunContext['problems']>[number];

const problemBlocks = (problems: readonly Problem[]): Block[] =>
  problems.length === 0
    ? []
    : [
        bullets(
          problems.map(({ file, message }) =>
            file === null ? [quoted(message)] : [quoted(file), ': ', quoted(message)],
          ),
        ),
      ];

const outsideBlocks = ({ file, message, machines }: Problem): Block[] => [
  ...(file === null ? [] : [paragraph(quoted(file), ':')]),
  ...(machines > 1 ? [paragraph(`On ${countedNoun(machines, 'machine')}:`)] : []),
  fenced(message),
];

const specTable = (specs: RunContext['specs']): Block =>
  table(
    ['Spec', 'Group', 'Failed', 'Skipped', 'Flaky', 'instanceId'],
    specs.map(({ spec, groupId, failed, skipped, flaky, instanceId }) => [
      quoted(spec),
      quoted(groupId),
      `${failed}`,
      `${skipped}`,
      `${flaky}`,
      quoted(instanceId),
    ]),
  );

// Renders the failed tests of a page. Tests with the same error form a group under that error.

/** §2.4 A flaky test has an error although it passed in the end. */
const isFlaky = ({ test: { status } }: ListedTest): boolean => status === 'passed' || status === 'flaky';

/**
 * Renders a numbered list of tests, grouped by error. The numbers continue from group to group, and from failed tests
 * to flaky tests.
 */
function failingTestsBlocks(list: readonly ListedTest[], detail: Detail): Block[] {
  const flaky = list.filter(isFlaky);
  const failed = list.filter((test) => !isFlaky(test));
  return [
    ...(failed.length > 0 ? [heading(2, 'Failing Tests'), ...groups(failed, 1, detail)] : []),
    ...(flaky.length > 0 ? [heading(2, 'Flaky Tests'), ...groups(flaky, failed.length + 1, detail)] : []),
  ];
}

function groups(list: readonly ListedTest[], first: number, detail: Detail): Block[] {
  const byError = [...Map.groupBy(list, errorKey).values()];
  let next = first;
  return byError.flatMap((tests, index) => {
    const words = `Error ${index + 1} of ${byError.length}, in ${countedNoun(tests.length, 'test')}`;
    const start = next;
    next += tests.length;
    const items = tests.map((test) => presentTest(test, detail));
    return [heading(3, words), ...sharedError(tests), numbered(start, items)];
  });
}

/** Renders the error that a group of tests has in common. The location of the error is shown with each test instead. */
function sharedError(tests: readonly ListedTest[]): Block[] {
  const error = tests[0]?.error;
  if (!error) return [paragraph('No error was recorded.')];
  const differing = paragraph(
    'The error of the first test; ids, numbers, addresses and paths may differ in the other tests:',
  );
  return [...(tests.length > 1 ? [differing] : []), ...errorBlocks({ ...error, location: null })];
}

const errorKey = ({ error }: ListedTest): string | undefined =>
  error?.message && normalizedError(removeControlSequences(error.message));

function presentTest(listed: ListedTest, detail: Detail): NumberedItem {
  const { testId, instanceId, spec, test, error, failureContext, environment, assets, meta } = listed;
  const at: PhrasePart[] = error?.location ? [', at ', place(error.location)] : [];
  const project: PhrasePart[] = environment?.project ? [', project ', quoted(environment.project)] : [];
  const counts = assets && assetCounts(assets);
  return {
    line: [fullTitle(test)],
    details: [
      ['In ', quoted(spec), ...at, ...project],
      ...(detail === 'summary' ? [] : [[`${attemptOf(test)}, ${duration(test.duration)}`]]),
      ...(failureContext ? [['Failed step: ', quoted(failureContext.failedStep.title)]] : []),
      ...(counts ? [[`Assets: ${counts}`]] : []),
      ['instanceId ', quoted(instanceId), ', testId ', quoted(testId), ', signature ', quoted(meta.signature)],
    ],
    blocks: stepTreeBlocks(listed),
  };
}

/** Tells the reader how to request the next page, if there is one. */
function nextPageBlocks({ list, total, nextPage }: Pick<RunContext, 'list' | 'total' | 'nextPage'>): Block[] {
  if (nextPage === false) return [];
  const shown = `This page shows ${list.length} of ${countedNoun(total, 'test')}. For the next page, repeat the request with `;
  return [paragraph(shown, quoted(`page=${nextPage}`), '.')];
}
