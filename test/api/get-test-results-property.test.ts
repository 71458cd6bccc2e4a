import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '#test/harness/cases.ts';
import { query } from '#test/harness/client.ts';
import { type HistoryItem, historyItem, recordIdIn, recordIdOf, storeHistory } from '#test/harness/history.ts';
import { type HistoryFilter, pageOf, parametersOf } from '#test/harness/history-oracle.ts';
import { service } from '#test/harness/service.ts';

// A few similar values, so that filters match, nearly match and overlap.
const WORDS = ['a', 'ab', 'A', 'a b', 'é', '*', 'a*', '#', '%2A', '"', ']'];
const BRANCHES = [
  'main',
  'main2',
  'Main',
  'release/1',
  'release/2',
  'release',
  '*',
  'é',
  'a b',
  'x'.repeat(249),
  '\u212aey',
  'Ke\u0301',
];
const BRANCH_FILTERS = [
  'main',
  'main*',
  '*',
  'release/*',
  'release*',
  'r*',
  'Main',
  `${'x'.repeat(249)}*`,
  'rel',
  'Key',
  'K*',
  'Ke*',
];
const OUTCOMES = ['passed', 'failed', 'pending', 'skipped'] as const;

const words = fc.subarray(WORDS);
const annotation = fc.record({
  type: fc.constantFrom('owner', 'issue', ''),
  description: fc.constantFrom(null, '', ...WORDS),
});

const row: fc.Arbitrary<Partial<HistoryItem>> = fc.record({
  recordedAt: fc.nat(20).map((offset) => Date.parse('2026-11-02T09:00:00Z') + offset),
  tags: words,
  branch: fc.option(fc.constantFrom(...BRANCHES)),
  authorName: fc.option(fc.constantFrom(...WORDS)),
  authorEmail: fc.option(fc.constantFrom(...WORDS)),
  groupId: fc.constantFrom(...WORDS),
  environment: fc.option(fc.constantFrom(...WORDS)),
  outcome: fc.constantFrom(...OUTCOMES),
  flaky: fc.boolean(),
  annotations: fc.array(annotation, { maxLength: 3 }),
});

const some = <Value>(values: readonly Value[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });
const wantedAnnotation = fc.record(
  {
    type: fc.constantFrom('owner', 'issue', '', 'none'),
    description: fc.oneof(fc.constantFrom(null, '', ...WORDS), fc.subarray(WORDS)),
  },
  { requiredKeys: ['type'] },
);

const filter: fc.Arbitrary<HistoryFilter> = fc.record(
  {
    tags: some(WORDS),
    branches: some(BRANCH_FILTERS),
    authors: some(WORDS),
    groups: some(WORDS),
    environments: some(WORDS),
    status: some(OUTCOMES),
    flaky: fc.boolean(),
    annotations: fc.array(wantedAnnotation, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
/** Generates filters with at most three criteria, because a filter with all eight criteria matches almost nothing. */
const fewMembers = fc
  .tuple(
    filter,
    fc.subarray(['tags', 'branches', 'authors', 'groups', 'environments', 'status', 'flaky', 'annotations'], {
      maxLength: 3,
    }),
  )
  .map(([all, kept]): HistoryFilter => Object.fromEntries(Object.entries(all).filter(([name]) => kept.includes(name))));

describe('§4.1 History filters', () => {
  test('History filters return exactly the results of a naive reference implementation', async () => {
    const tenant = await service();
    let histories = 0;
    let matches = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 40 }),
        fc.array(fewMembers, { minLength: 1, maxLength: 8 }),
        async (rows, filters) => {
          histories += 1;
          const signature = histories.toString(16).padStart(32, '0');
          const items = rows.map((one, index) =>
            historyItem(tenant, { signature, recordId: recordIdOf(index), ...one }),
          );
          await storeHistory(tenant.services, items);
          for (const one of filters) {
            const parameters = query(
              ['date_start', '2026-11-01'],
              ['date_end', '2026-12-01'],
              ['limit', '100'],
              ...parametersOf(one),
            );
            const { status, body } = await tenant.reader.get(`/test-results/${signature}${parameters}`);
            const expected = pageOf(items, one, { limit: 100 });
            expect({ status, recordIds: body.data?.map(recordIdIn), has_more: body.has_more }).toEqual({
              status: 200,
              ...expected,
            });
            matches += expected.recordIds.length;
          }
        },
      ),
      { numRuns: cases(60, 12) },
    );
    expect(matches).toBeGreaterThan(histories);
  });
});
