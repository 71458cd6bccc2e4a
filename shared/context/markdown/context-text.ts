/** §4.3 A failure context as Markdown, with masked secrets. */

import type { Root } from 'mdast';
import { writeFirstSentence } from '#shared/context/causes.ts';
import type { ContextData, InstanceContext, RunContext } from '#shared/context/context-wire.ts';
import type { ContextQuery } from '#shared/context/query-wire.ts';
import { presentContext } from '#shared/context/shown-context.ts';
import { formatCount } from '#shared/engine/format-count.ts';
import type { AnswerPart } from '#shared/results/failures/answer.ts';
import { renderFailingTests } from './failing-tests.ts';
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
  type PhrasePart,
  paragraph,
  quote,
  section,
  table,
} from './nodes.ts';
import { serializePage } from './serialize.ts';
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
  const testQueries = makeFirstTestQueries(list, ({ testId, test }) => [
    makeTestQuery(instanceId, testId, test.attempt),
  ]);
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
    ...renderFollowUp({ runId, instanceId }, [...testQueries, makeRunQuery(runId)], reading),
  );
}

/** Renders a context of any level. The context must already be masked and reduced to the requested detail. */
export function renderContext(context: ContextData, reading: Reading): Root {
  if (context.level === 'test') return renderTestContext(context, reading);
  return context.level === 'instance' ? renderInstanceContext(context, reading) : renderRunContext(context, reading);
}

function renderRunContext(context: RunContext, reading: Reading): Root {
  const { projectId, runId, ciBuildId, causes = [], specs, git, list, problems = [] } = context;
  const errorsOutsideTests = problems.filter(({ kind }) => kind === 'errorOutsideTests');
  const others = problems.filter(({ kind }) => kind !== 'errorOutsideTests');
  const { status, completionState, totalFailedTests, totalFlakyTests } = context;
  const testQueries = makeFirstTestQueries(list, ({ instanceId, testId, test }) => [
    makeInstanceQuery(runId, instanceId),
    makeTestQuery(instanceId, testId, test.attempt),
  ]);
  const facts: PhrasePart[][] = [
    ['Status: ', quote(status), ', ', quote(completionState)],
    [`Failed tests: ${totalFailedTests}`],
  ];
  if (totalFlakyTests !== undefined) facts.push([`Flaky tests: ${totalFlakyTests}`]);
  return document(
    heading(1, 'Run Failure Context'),
    UNTRUSTED,
    ...renderAnswer(context),
    bullets(facts),
    ...section('Causes', causes.length > 0 ? [renderCauses(causes)] : []),
    ...(reading.detail === 'summary' ? [] : section('Git', renderGit(git))),
    ...section('Specs With Failed, Skipped or Flaky Tests', specs.length > 0 ? [renderSpecTable(specs)] : []),
    ...section('Why the Run Failed Other Than by Its Tests', renderProblems(others.filter(({ failsRun }) => failsRun))),
    ...section('Warnings', renderProblems(others.filter(({ failsRun }) => !failsRun))),
    ...section('Errors Outside Tests', errorsOutsideTests.flatMap(renderOutsideError)),
    ...renderFailingTests(list, reading.detail),
    ...renderOmittedNote(list),
    ...renderNextPageHint(context),
    ...renderFollowUp({ projectId, runId, ciBuildId }, testQueries, reading),
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

function renderCauses(causes: NonNullable<RunContext['causes']>): Block {
  const rows = causes.map(({ text, tests, files, received: values }) => {
    const counts = values.map(({ value, tests: count }) => `${value} (${count})`);
    return [quote(text), `${tests}`, `${files}`, counts.length > 1 ? quote(counts.join(', ')) : ''];
  });
  return table(['Cause', 'Failures', 'Spec files', 'Received values'], rows);
}

type Problem = NonNullable<RunContext['problems']>[number];

function renderProblems(problems: readonly Problem[]): Block[] {
  if (problems.length === 0) return [];
  const lines = problems.map(({ file, message }) =>
    file === null ? [quote(message)] : [quote(file), ': ', quote(message)],
  );
  return [bullets(lines)];
}

function renderOutsideError({ file, message, machines }: Problem): Block[] {
  const blocks: Block[] = [];
  if (file !== null) blocks.push(paragraph(quote(file), ':'));
  if (machines > 1) blocks.push(paragraph(`On ${formatCount(machines, 'machine')}:`));
  return [...blocks, codeBlock(message)];
}

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

function renderNextPageHint({ list, total, nextPage }: Pick<RunContext, 'list' | 'total' | 'nextPage'>): Block[] {
  if (nextPage === false) return [];
  const sentence = `This page shows ${list.length} of ${formatCount(total, 'test')}. For the next page, repeat the request with `;
  return [paragraph(sentence, quote(`page=${nextPage}`), '.')];
}
