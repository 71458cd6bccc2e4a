/** Tests of a page of a list, those with the same error together: the error once, then the tests. */
import { withoutAnsi } from '../plain-text.ts';
import { normalizedError } from '../same-error.ts';
import type { ListedTest, RunContext } from '../shape.ts';
import { errorBlocks } from './error.ts';
import { type Block, heading, type NumberedItem, numbered, type Part, paragraph, quoted } from './nodes.ts';
import { assetCounts, attemptOf, count, duration, fullTitle, place } from './phrases.ts';

/** §2.4 A flaky test is listed with an error although it passed in the end. */
const isFlaky = ({ test: { status } }: ListedTest): boolean => status === 'passed' || status === 'flaky';

/** Numbers go on from error to error, and from failed tests to flaky ones. */
export function failingTestsBlocks(list: readonly ListedTest[]): Block[] {
  const flaky = list.filter(isFlaky);
  const failed = list.filter((test) => !isFlaky(test));
  return [
    ...(failed.length > 0 ? [heading(2, 'Failing Tests'), ...groups(failed, 1)] : []),
    ...(flaky.length > 0 ? [heading(2, 'Flaky Tests'), ...groups(flaky, failed.length + 1)] : []),
  ];
}

function groups(list: readonly ListedTest[], first: number): Block[] {
  const byError = [...Map.groupBy(list, errorKey).values()];
  let next = first;
  return byError.flatMap((tests, index) => {
    const words = `Error ${index + 1} of ${byError.length}, in ${count(tests.length, 'test')}`;
    const start = next;
    next += tests.length;
    return [heading(3, words), ...sharedError(tests), numbered(start, tests.map(presentTest))];
  });
}

/** Each test says where it met the error. */
function sharedError(tests: readonly ListedTest[]): Block[] {
  const error = tests[0]?.error;
  if (!error) return [paragraph('No error was recorded.')];
  const differing = paragraph(
    'As the first test met it; ids, numbers, addresses and paths may differ from test to test:',
  );
  return [...(tests.length > 1 ? [differing] : []), ...errorBlocks({ ...error, location: null })];
}

const errorKey = ({ error }: ListedTest): string | undefined =>
  error?.message && normalizedError(withoutAnsi(error.message));

function presentTest({
  testId,
  instanceId,
  spec,
  test,
  error,
  failureContext,
  environment,
  assets,
}: ListedTest): NumberedItem {
  const at: Part[] = error?.location ? [', at ', place(error.location)] : [];
  const project: Part[] = environment?.project ? [', project ', quoted(environment.project)] : [];
  const counts = assets && assetCounts(assets);
  return {
    line: [fullTitle(test)],
    details: [
      ['In ', quoted(spec), ...at, ...project],
      [`${attemptOf(test)}, ${duration(test.duration)}`],
      ...(failureContext ? [['Failed step: ', quoted(failureContext.failedStep.title)]] : []),
      ...(counts ? [[`Assets: ${counts}`]] : []),
      ['instanceId ', quoted(instanceId), ', testId ', quoted(testId)],
    ],
  };
}

/** Where the rest of the list is. */
export function nextPageBlocks({ list, total, nextPage }: Pick<RunContext, 'list' | 'total' | 'nextPage'>): Block[] {
  if (nextPage === false) return [];
  const shown = `${list.length} of ${count(total, 'test')} are on this page. The next page has the same address with `;
  return [paragraph(shown, quoted(`page=${nextPage}`), '.')];
}
