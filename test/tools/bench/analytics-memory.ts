/**
 * Measures the memory that merging runs takes, the time to add up packed results relative to results as JSON, and the
 * writes for analytics at the end of a run.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Sums } from '#shared/analytics/sums.ts';
import { addExecution, makeTestSums } from '#shared/analytics/totals.ts';
import { joinParts } from '#shared/engine/table/parts.ts';
import { splitFacts } from '#shared/model/analytics/facts.ts';
import { markEnded } from '#shared/model/analytics/pending.ts';
import { runItem } from '#test/harness/history-runs.ts';
import { storeRuns } from './analytics-data.ts';
import { testOf } from './analytics-tests.ts';
import { type BenchService, type BenchSetup, withService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { median } from './medians.ts';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, 'analytics-merge.ts');

const DAY = 86_400_000;
const FROM = Date.parse('2026-06-01T00:00:00.000Z');
/** The runs of six hours in a very large project, which are merged together. */
const MERGED = { runs: 75, tests: 50_000 };
const QUICK_TESTS = 5000;
/** Limits the heap to this many megabytes. Merging fails if it needs more. */
const HEAP = '--max-old-space-size=400';

export async function measureMerge(setup: BenchSetup, { isQuick }: { isQuick: boolean }): Promise<Measurement[]> {
  const size = { tests: isQuick ? QUICK_TESTS : MERGED.tests, runsPerDay: MERGED.runs * 4 };
  const measured = await withService(
    setup,
    async (service) => {
      await storeRuns({ ...size, service, from: FROM, days: 1 / 4 }, async () => {});
      return { megabytes: await heapOfMerge(service), endUnits: await endUnits(service) };
    },
    { streams: false },
  );
  return [
    { name: 'analyticsEndUnits', measured: measured.endUnits },
    { name: 'mergeMegabytes', measured: measured.megabytes, note: `${MERGED.runs} runs of ${size.tests} tests` },
    { name: 'factsTimes', measured: factsTimes() },
  ];
}

/** The write units of the analytics rows in the transaction that ends a run. */
async function endUnits({ services, organizationId, projectId }: BenchService): Promise<number> {
  const table = services.table.metered();
  await table.transact(markEnded(runItem({ organizationId, projectId }, { createdAt: FROM }), FROM));
  return table.meter.writeUnits;
}

/** Matches the line that Node prints for each garbage collection, such as `123.4 (150.0) -> 100.2 (140.0) MB`. */
const COLLECTION = /-> ([\d.]+) \([\d.]+\) MB/g;

/** The largest heap after a garbage collection, in megabytes. */
async function heapOfMerge({ environment, organizationId, projectId }: BenchService): Promise<number> {
  const args = [HEAP, '--trace-gc', PROGRAM, organizationId, projectId, String(FROM + DAY / 4 + 1)];
  const { stdout } = await run(process.execPath, args, {
    env: { ...process.env, ...environment },
    maxBuffer: 64_000_000,
  });
  if (!stdout.includes(`"entries":${MERGED.runs}`)) throw new Error(`The leaf was not merged: ${stdout.slice(-500)}`);
  return Math.max(...[...stdout.matchAll(COLLECTION)].map(([, megabytes]) => Number(megabytes)));
}

const ROUNDS = 25;
/** The first rounds are not counted, because the JavaScript engine is still compiling the code. */
const WARM_UP = 10;
const RUNS = 10;
const TESTS = 10_000;

/**
 * The time to add up packed results, divided by the time to add up the same results as JSON. Each round measures both.
 * Returns the median of the rounds.
 */
function factsTimes(): number {
  const all = Array.from({ length: RUNS }, (_, number) => executionsOf(number));
  const facts = all.map((executions) => {
    const sums = makeTestSums();
    for (const [test, { outcome, flaky, attempts }] of executions.entries())
      addExecution(sums, test, { outcome, flaky, isTimed: true, milliseconds: attempts[0]?.duration ?? 0 }, FROM);
    const options = {
      organizationId: 'o',
      runId: 'r',
      groupId: 'g',
      factsDigest: 'd',
      kind: 'tests',
      expiresAt: undefined,
    } as const;
    return splitFacts(options, sums.stored());
  });
  const rows = all.map((executions) =>
    JSON.stringify(
      executions.map(({ testId, outcome, flaky, attempts }) => ({
        signature: `${testId}-${testId}-of`,
        outcome,
        flaky,
        retries: 0,
        duration: attempts[0]?.duration ?? 0,
      })),
    ),
  );
  const ratios = Array.from(
    { length: ROUNDS },
    () => secondsOf(() => addFacts(facts)) / secondsOf(() => addRows(rows)),
  );
  return median(ratios.slice(WARM_UP));
}

const executionsOf = (number: number) =>
  Array.from({ length: TESTS }, (_, test) => testOf({ test, number, instanceId: 'i', createdAt: FROM }));

function secondsOf(act: () => void): number {
  const start = performance.now();
  act();
  return performance.now() - start;
}

function addFacts(all: readonly ReturnType<typeof splitFacts>[]): void {
  const sums = makeTestSums();
  for (const parts of all) {
    const facts = joinParts<Parameters<Sums['add']>[0]>(parts);
    if (!facts) throw new Error('The facts are incomplete');
    sums.add(facts);
  }
}

interface Row {
  readonly signature: string;
  readonly outcome: string;
  readonly flaky: boolean;
  readonly duration: number;
}

function addRows(all: readonly string[]): void {
  const totals = new Map<string, Record<string, number>>();
  for (const text of all) {
    const rows: Row[] = JSON.parse(text);
    for (const { signature, outcome, flaky, duration } of rows) {
      const total = totals.get(signature) ?? {};
      total[outcome] = (total[outcome] ?? 0) + 1;
      total[`${outcome} ms`] = (total[`${outcome} ms`] ?? 0) + duration;
      total['flaky'] = (total['flaky'] ?? 0) + Number(flaky);
      totals.set(signature, total);
    }
  }
}
