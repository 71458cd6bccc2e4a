import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '#test/harness/cases.ts';
import { claim, createRecord, startRun } from '#test/harness/recording.ts';
import {
  failed,
  flaky,
  passed,
  pending,
  skipped,
  suiteGroup,
  type TestState,
} from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';
import { itemsWith } from '#test/harness/table-rows.ts';

const TEST = 'cart.spec.ts > sums';
const ENDINGS = { failed, flaky, passed, pending, skipped };
type Ending = keyof typeof ENDINGS;

/** The kinds of rows that a test with this result has besides its history row, listed by hand. */
const ROWS: Record<Ending, readonly string[]> = {
  failed: ['DIAGNOSTICS', 'FAILURES f', 'NOTABLE'],
  flaky: ['DIAGNOSTICS', 'FAILURES y', 'NOTABLE'],
  passed: [],
  pending: ['NOTABLE'],
  skipped: ['FAILURES s', 'NOTABLE'],
};

function kindOf({ pk, sk }: { readonly pk: string; readonly sk: string }): string[] {
  const [kind = ''] = pk.split('#');
  if (kind === 'FAILURES') return [`FAILURES ${sk[0]}`];
  if (kind === 'NOTABLE') return ['NOTABLE'];
  return sk.includes('#EVIDENCE#') ? ['DIAGNOSTICS'] : [];
}

async function recorder() {
  const tenant = await service();
  let builds = 0;
  return async (deliver: (send: (ending: Ending, sequence: number) => Promise<void>) => Promise<unknown>) => {
    builds += 1;
    const run = await startRun(tenant, [suiteGroup('retail', [TEST])], { ciBuildId: `build-${builds}` });
    const claimed = await claim(tenant, run, 'cart.spec.ts');
    await deliver(async (ending, sequence) => {
      await createRecord(tenant, claimed, TEST, stateOf(ending), sequence);
    });
    const rows = await itemsWith(tenant.environment, run.runId);
    return rows.flatMap(({ pk, sk }) => kindOf({ pk: `${pk}`, sk: `${sk}` })).sort();
  };
}

const stateOf = (ending: Ending): TestState => ENDINGS[ending]();

const endings = fc.array(fc.constantFrom<Ending>('failed', 'flaky', 'passed', 'pending', 'skipped'), {
  minLength: 1,
  maxLength: 5,
});

test('A test with several final results leaves exactly the rows of the newest result, in whatever order the results arrive', async () => {
  const rowsAfter = await recorder();
  const property = fc.asyncProperty(endings, fc.array(fc.nat(), { minLength: 5, maxLength: 5 }), async (all, order) => {
    const messages = all.map((ending, sequence) => ({ ending, sequence }));
    const arrival = messages.toSorted((one, other) => (order[one.sequence] ?? 0) - (order[other.sequence] ?? 0));
    const rows = await rowsAfter(async (send) => {
      for (const { ending, sequence } of arrival) await send(ending, sequence);
    });
    expect(rows).toEqual(ROWS[all.at(-1) ?? 'passed']);
  });
  await fc.assert(property, { numRuns: cases(25, 6) });
});

test('Concurrent results of a test leave exactly the rows of the newest result', async () => {
  const rowsAfter = await recorder();
  const property = fc.asyncProperty(endings, async (all) => {
    const rows = await rowsAfter((send) => Promise.all(all.map((ending, sequence) => send(ending, sequence))));
    expect(rows).toEqual(ROWS[all.at(-1) ?? 'passed']);
  });
  await fc.assert(property, { numRuns: cases(25, 6) });
});

test('A result that is sent repeatedly adds its rows only once', async () => {
  const rowsAfter = await recorder();
  for (const ending of Object.keys(ENDINGS).filter((name): name is Ending => name in ROWS)) {
    const rows = await rowsAfter(async (send) => {
      for (const sequence of [3, 3, 3]) await send(ending, sequence);
    });
    expect(rows, ending).toEqual(ROWS[ending]);
  }
});
