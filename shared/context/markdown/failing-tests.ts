/** Renders the failed tests of a page. Tests with the same error form a group under that error. */

import type { ListedTest, RunContext } from '#shared/context/context-wire.ts';
import type { Detail } from '#shared/context/detail.ts';
import { withoutAnsi } from '#shared/engine/plain-text.ts';
import { normalizedError } from '#shared/errors/same-error.ts';
import { errorBlocks } from './error.ts';
import { type Block, heading, type NumberedItem, numbered, type PhrasePart, paragraph, quoted } from './nodes.ts';
import { assetCounts, attemptOf, countedNoun, duration, fullTitle, place } from './phrases.ts';
import { stepTreeBlocks } from './steps.ts';

/** §2.4 A flaky test has an error although it passed in the end. */
const isFlaky = ({ test: { status } }: ListedTest): boolean => status === 'passed' || status === 'flaky';

/** Renders a list of tests. Numbering continues across errors, and from failed tests to flaky ones. */
export function failingTestsBlocks(list: readonly ListedTest[], detail: Detail): Block[] {
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

/** Renders the error that several tests share. Each test shows its own location of the error. */
function sharedError(tests: readonly ListedTest[]): Block[] {
  const error = tests[0]?.error;
  if (!error) return [paragraph('No error was recorded.')];
  const differing = paragraph(
    'The error of the first test; ids, numbers, addresses and paths may differ in the other tests:',
  );
  return [...(tests.length > 1 ? [differing] : []), ...errorBlocks({ ...error, location: null })];
}

const errorKey = ({ error }: ListedTest): string | undefined =>
  error?.message && normalizedError(withoutAnsi(error.message));

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

/** A sentence that points to the next page. */
export function nextPageBlocks({ list, total, nextPage }: Pick<RunContext, 'list' | 'total' | 'nextPage'>): Block[] {
  if (nextPage === false) return [];
  const shown = `This page shows ${list.length} of ${countedNoun(total, 'test')}. For the next page, repeat the request with `;
  return [paragraph(shown, quoted(`page=${nextPage}`), '.')];
}
