/**
 * The project Wholesale: a run in which one commit makes 300 tests fail for four reasons, a run of a part of the suite,
 * and a run whose pictures differ from their snapshots.
 */
import { buildLargeRun, type LargeRun, makeFacts, minutesBefore, timeOfDay } from './large-runs.ts';
import { drawFraction } from './noise.ts';
import type { StoryRun } from './story-run.ts';
import { findFailureOfNewPaths, PICTURE_FAILURES, palletsMissing } from './wholesale-failures.ts';
import { PAGE_TESTS, TESTS_OF_MAIN, VISUAL_TESTS } from './wholesale-tests.ts';

const FIRST_BUILD = 211;

export function buildWholesaleRuns(start: number): StoryRun[] {
  const colours = { id: 33, title: 'Use the colours of the new brand' };
  const pallets = { id: 34, title: 'Order by the pallet' };
  const runs: readonly Pick<LargeRun, 'facts' | 'createdAt' | 'tests' | 'machines' | 'findFailure'>[] = [
    {
      facts: makeFacts('wholesale', FIRST_BUILD, {
        branch: 'main',
        day: 2,
        author: 'actionsAdmin',
        message: 'Show the stock of each depot',
      }),
      createdAt: timeOfDay(start, 2, 15.4),
      tests: TESTS_OF_MAIN,
      machines: 4,
      findFailure: () => undefined,
    },
    {
      facts: makeFacts('wholesale', FIRST_BUILD + 1, {
        branch: 'feature/new-colours',
        day: 1,
        author: 'member',
        message: 'Use the colours of the new brand',
        pullRequest: colours,
      }),
      createdAt: timeOfDay(start, 1, 11.2),
      tests: VISUAL_TESTS,
      machines: 1,
      findFailure: ({ title }) => PICTURE_FAILURES[title.at(-1) ?? ''],
    },
    {
      facts: makeFacts('wholesale', FIRST_BUILD + 2, {
        branch: 'main',
        day: 0,
        author: 'admin',
        message: 'Serve the API under /v2',
      }),
      createdAt: minutesBefore(start, 215),
      tests: TESTS_OF_MAIN,
      machines: 4,
      findFailure: findFailureOfNewPaths,
    },
    {
      facts: makeFacts('wholesale', FIRST_BUILD + 3, {
        branch: 'feature/order-pallets',
        day: 0,
        author: 'member',
        message: 'Order by the pallet',
        pullRequest: pallets,
      }),
      createdAt: minutesBefore(start, 200),
      tests: PAGE_TESTS.filter(({ spec }) => spec === 'orders/import.spec.ts'),
      machines: 1,
      findFailure: ({ title }) => (title.at(-1) === 'shows a preview' ? palletsMissing : undefined),
    },
  ];
  return runs.map((run) =>
    buildLargeRun({
      ...run,
      group: 'chromium',
      environment: 'staging',
      retries: 0,
      setupMilliseconds: 6000,
      computeDuration: ({ spec, title }) => 120 + 900 * drawFraction('size', spec, ...title) ** 2,
    }),
  );
}
