/**
 * Balances the shards of Playwright (`--shard` with `RUNDOWN_SHARDS=balanced`). All machines obey the plan of the first
 * one. A machine that cannot read it runs all tests, because others may have left tests to it.
 */
import { createHash } from 'node:crypto';
import type { FullConfig, Suite, TestCase, TestRun } from '@playwright/test/reporter';
import { ORCHESTRATION_LIMITS } from '#shared/orchestration/limits.ts';
import { getErrorMessage } from '../settings/failure.ts';
import { Connection, GaveUp, Refused } from './connection.ts';
import { listChangeableTests } from './playwright-last-failed.ts';
import type { Settings } from './settings.ts';

/** How long the tests wait for the plan, in milliseconds. */
const LONGEST_WAIT = 30_000;

interface ShardedFile {
  readonly groupId: string;
  readonly spec: string;
  /** Tests that one machine has to run as a whole. */
  readonly units: Map<Suite | TestCase, TestCase[]>;
}

type Shard = NonNullable<FullConfig['shard']>;

interface Machine {
  readonly suite: Suite;
  readonly testRun: TestRun;
  readonly shard: Shard;
  readonly settings: Settings;
  /** Of each test: its group and its spec file, and what identifies it. */
  readonly places: ReadonlyMap<TestCase, { readonly groupId: string; readonly spec: string; readonly place: string }>;
}

/** Returns what to print. Throws if another machine planned its shards for other tests. */
export async function balanceShards(machine: Machine): Promise<string> {
  const { suite, testRun, shard, settings, places } = machine;
  const files = listFiles(machine);
  const body = {
    ciBuildId: settings.ciBuildId,
    job: settings.job ?? null,
    try: settings.try ?? null,
    lane: settings.group ?? '',
    suite: hashSuite(files, places),
    total: shard.total,
    files: files.map(({ groupId, spec, units }) => ({
      groupId,
      spec,
      units: [...units.values()].map((tests) => tests.length),
    })),
  };
  const plan = await askForPlan(settings, body);
  testRun.skipSharding();
  if ('problem' in plan) return `all tests run, because the plan of the shards cannot be read: ${plan.problem}`;
  const testsOfShard = new Set(
    files.flatMap(({ units }, index) =>
      [...units.values()].flatMap((tests, unit) => (plan.shards[index]?.[unit] === shard.current ? tests : [])),
    ),
  );
  const changeable = listChangeableTests(suite);
  for (const test of changeable) if (!testsOfShard.has(test)) testRun.exclude(test);
  const seconds = Math.round((plan.plannedMs[shard.current - 1] ?? 0) / 1000);
  return `shard ${shard.current} of ${shard.total} runs ${testsOfShard.size} of ${changeable.length} tests, for about ${seconds} s`;
}

function listFiles({ suite, testRun, places }: Machine): ShardedFile[] {
  const files = new Map<string, ShardedFile>();
  for (const test of listChangeableTests(suite)) {
    const { groupId = '', spec = '' } = places.get(test) ?? {};
    const key = JSON.stringify([groupId, spec]);
    const file = files.get(key) ?? { groupId, spec, units: new Map<Suite | TestCase, TestCase[]>() };
    files.set(key, file);
    const unit = findUnit(test, testRun);
    file.units.set(unit, [...(file.units.get(unit) ?? []), test]);
  }
  const all = [...files.values()];
  const unitCount = all.reduce((sum, { units }) => sum + units.size, 0);
  return unitCount > ORCHESTRATION_LIMITS.unitsPerPlan ? all.map(joinUnits) : all;
}

function joinUnits({ units, ...file }: ShardedFile): ShardedFile {
  const tests = [...units.values()].flat();
  const [first] = units.keys();
  return { ...file, units: first ? new Map([[first, tests]]) : units };
}

/**
 * A parallel test runs anywhere. Others stay together with the outermost suite that is not parallel, at most their file.
 * Before version 1.65, Playwright does not tell which suites are parallel, so files stay whole.
 */
function findUnit(test: TestCase, testRun: Partial<Pick<TestRun, 'mode'>>): Suite | TestCase {
  let unit: Suite | TestCase = test;
  for (let suite: Suite | undefined = test.parent; suite && suite.type !== 'project'; suite = suite.parent)
    if (testRun.mode?.(suite) !== 'parallel') unit = suite;
  return unit;
}

function hashSuite(files: readonly ShardedFile[], places: Machine['places']): string {
  const hash = createHash('sha256');
  for (const { units } of files)
    for (const tests of units.values()) hash.update(`${tests.map((test) => places.get(test)?.place).join()};`);
  return hash.digest('hex').slice(0, 16);
}

type Plan = { readonly shards: readonly (readonly number[])[]; readonly plannedMs: readonly number[] };

async function askForPlan(
  settings: Settings,
  body: { readonly total: number; readonly files: readonly { readonly units: readonly number[] }[] },
): Promise<Plan | { readonly problem: string }> {
  const connection = new Connection(settings, AbortSignal.timeout(LONGEST_WAIT));
  connection.keepsProcess = true;
  try {
    const path = `/projects/${encodeURIComponent(settings.project)}/shard-plans`;
    const { shards, plannedMs } = await connection.post(path, JSON.stringify(body));
    if (!Array.isArray(shards) || !isPlan(shards, body)) return { problem: 'the answer is not readable' };
    return { shards, plannedMs: Array.isArray(plannedMs) ? plannedMs.map(Number) : [] };
  } catch (error) {
    if (error instanceof Refused && error.status === CONFLICT) throw error;
    return { problem: error instanceof GaveUp ? connection.problem || 'no answer' : getErrorMessage(error) };
  }
}

const CONFLICT = 409;

/** Whether each unit has one of the shards. */
const isPlan = (
  shards: readonly unknown[],
  { total, files }: { readonly total: number; readonly files: readonly { readonly units: readonly number[] }[] },
): shards is readonly (readonly number[])[] =>
  shards.length === files.length &&
  shards.every(
    (units, index) =>
      Array.isArray(units) &&
      units.length === files[index]?.units.length &&
      units.every((shard) => Number.isInteger(shard) && shard >= 1 && shard <= total),
  );
