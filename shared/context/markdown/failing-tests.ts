/** Renders the list of failed and flaky tests of a run or spec file, grouped by their errors. */

import type { ListedTest } from '#shared/context/context-wire.ts';
import type { Detail } from '#shared/context/detail.ts';
import { formatCount } from '#shared/engine/format-count.ts';
import { removeControlSequences } from '#shared/engine/plain-text.ts';
import { normalizeError } from '#shared/errors/same-error.ts';
import { renderError } from './error.ts';
import {
  type Block,
  heading,
  type NumberedItem,
  numberedList,
  type PhrasePart,
  paragraph,
  quote,
  section,
} from './nodes.ts';
import { formatAssetCounts, formatAttempt, formatFullTitle, formatLocation, formatMilliseconds } from './phrases.ts';
import { renderStepTree } from './steps.ts';

/** §2.4 A flaky test has an error although it passed in the end. */
const isFlaky = ({ test: { status } }: ListedTest): boolean => status === 'passed' || status === 'flaky';

/** Groups tests by error. The numbers continue from group to group, and from failed tests to flaky tests. */
export function renderFailingTests(list: readonly ListedTest[], detail: Detail): Block[] {
  const flakyTests = list.filter(isFlaky);
  const failedTests = list.filter((test) => !isFlaky(test));
  return [
    ...section('Failing Tests', renderErrorGroups(failedTests, 1, detail)),
    ...section('Flaky Tests', renderErrorGroups(flakyTests, failedTests.length + 1, detail)),
  ];
}

function renderErrorGroups(list: readonly ListedTest[], firstNumber: number, detail: Detail): Block[] {
  const byError = [...Map.groupBy(list, deriveErrorKey).values()];
  let number = firstNumber;
  return byError.flatMap((tests, index) => {
    const words = `Error ${index + 1} of ${byError.length}, in ${formatCount(tests.length, 'test')}`;
    const items = numberedList(
      number,
      tests.map((test) => presentTest(test, detail)),
    );
    number += tests.length;
    return [heading(3, words), ...renderSharedError(tests), items];
  });
}

/** Renders the error that a group of tests has in common. The location of the error is shown with each test instead. */
function renderSharedError(tests: readonly ListedTest[]): Block[] {
  const error = tests[0]?.error;
  if (!error) return [paragraph('No error was recorded.')];
  const blocks = renderError({ ...error, location: null });
  if (tests.length === 1) return blocks;
  const note = 'The error of the first test; ids, numbers, addresses and paths may differ in the other tests:';
  return [paragraph(note), ...blocks];
}

const deriveErrorKey = ({ error }: ListedTest): string | undefined =>
  error?.message && normalizeError(removeControlSequences(error.message));

function presentTest(listedTest: ListedTest, detail: Detail): NumberedItem {
  const { testId, instanceId, test, furtherErrors = [], failureContext, assets, meta } = listedTest;
  const details = [describePlace(listedTest)];
  if (detail !== 'summary') details.push([`${formatAttempt(test)}, ${formatMilliseconds(test.duration)}`]);
  if (failureContext) details.push(['Failed step: ', quote(failureContext.failedStep.title)]);
  if (furtherErrors.length > 0) details.push([`And ${formatCount(furtherErrors.length, 'more error')}`]);
  const counts = assets && formatAssetCounts(assets);
  if (counts) details.push([`Assets: ${counts}`]);
  details.push(['instanceId ', quote(instanceId), ', testId ', quote(testId), ', signature ', quote(meta.signature)]);
  return { line: [formatFullTitle(test)], details, blocks: renderStepTree(listedTest) };
}

function describePlace({ spec, error, environment }: ListedTest): PhrasePart[] {
  const place: PhrasePart[] = ['In ', quote(spec)];
  if (error?.location) place.push(', at ', formatLocation(error.location));
  if (environment?.project) place.push(', project ', quote(environment.project));
  return place;
}
