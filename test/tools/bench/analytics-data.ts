/**
 * Stores the analytics data of many runs by calling the functions of the product directly, because recording 27 million
 * results would take days. The runs are merged as time passes on a simulated clock.
 */

import { assignNumbers } from '#shared/analytics/assign-numbers.ts';
import { buildFactsRows } from '#shared/analytics/compile-run.ts';
import { packEntries } from '#shared/analytics/entry.ts';
import { computeGroupFacts, type Numbers, type TestedInstance } from '#shared/analytics/group-facts.ts';
import { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { put } from '#shared/engine/table/writes.ts';
import { factsParts } from '#shared/model/analytics/facts.ts';
import { getLeaf, pendingRuns } from '#shared/model/analytics/pending.ts';
import { dueAnalytics } from '#shared/model/due.ts';
import { deriveInstanceId } from '#shared/model/ids.ts';
import { makeInstance } from '#shared/model/results/instance.ts';
import { NEVER } from '#shared/model/runs/expiry.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { runIdOf, runItem } from '#test/harness/history-runs.ts';
import { chance, testOf } from './analytics-tests.ts';
import type { BenchService } from './bench-service.ts';

const DAY = 86_400_000;
const LEAF = DAY / 4;
const TESTS_PER_SPEC = 25;
const AUTHORS = 20;
/** Of this many consecutive runs, about 30 % are on the branch of one pull request. */
const RUNS_PER_PULL_REQUEST = 12;
const PLATFORM = { osName: 'linux', osVersion: '12', browserName: null, browserVersion: null };

export interface Size {
  readonly tests: number;
  readonly runsPerDay: number;
}

export interface Dataset extends Size {
  readonly service: BenchService;
  /** The time of the first run, at midnight. */
  readonly from: number;
  readonly days: number;
}

export interface Written {
  readonly executions: number;
  readonly factsBytes: number;
  /** The write units for merging the runs. */
  readonly mergeUnits: number;
}

export async function writeRuns(data: Dataset): Promise<Written> {
  const { service, days, from } = data;
  const table = service.services.table.metered();
  const written = await storeRuns(data, (next) => merge(service, table, next));
  await merge(service, table, from + days * DAY + 2 * LEAF);
  return { ...written, mergeUnits: table.meter.writeUnits };
}

/**
 * Stores the analytics data of runs, and marks the runs for merging. Calls `leafEnds` with the simulated time after the
 * last run of each six-hour span, which is the shortest span that is merged.
 */
export async function storeRuns(
  data: Dataset,
  leafEnds: (at: number) => Promise<void>,
): Promise<Omit<Written, 'mergeUnits'>> {
  const { service, days, runsPerDay, tests, from } = data;
  let factsBytes = 0;
  let numbers: Numbers | undefined;
  const runs = Math.round(days * runsPerDay);
  for (let number = 0; number < runs; number += 1) {
    const { run, group, tested } = runOf(data, number);
    numbers ??= await assignNumbers(service.services, { run, groups: [group], tested });
    const { entry, parts } = buildFactsRows(
      { run, group, incomplete: 0 },
      computeGroupFacts(run, group, tested, numbers),
    );
    factsBytes += parts.reduce((bytes, part) => bytes + part.bytes.byteLength, 0);
    const { organizationId, projectId } = service;
    const { runId, createdAt } = run;
    const start = getLeaf(createdAt);
    const due = {
      organizationId,
      projectId,
      dueAt: (start + 1) * LEAF,
      work: { kind: 'merge', level: 0, start },
    } as const;
    await service.services.table.writeMany([
      ...parts.map((part) => put(factsParts, part)),
      put(pendingRuns, { organizationId, projectId, runId, createdAt, version: 1, packed: packEntries([entry]) }),
      put(dueAnalytics, due),
    ]);
    const next = number + 1 < runs ? timeOf(data, number + 1) : from + days * DAY + LEAF;
    if (getLeaf(next) !== start) await leafEnds(next);
  }
  return { executions: runs * tests, factsBytes };
}

const timeOf = ({ from, runsPerDay }: Dataset, number: number): number =>
  from + Math.round((number * DAY) / runsPerDay);

async function merge(service: BenchService, table: BenchService['services']['table'], at: number): Promise<void> {
  const time = {
    remainingMilliseconds: () => 60_000,
    onFailure: (error: unknown) => {
      throw error;
    },
  };
  // The sweep runs once per level, because a level is due only after the level below it was merged.
  for (let level = 0; level < 5; level += 1) await sweepAnalytics({ ...service.services, table, now: () => at }, time);
}

function runOf(data: Dataset, number: number): { run: Run; group: Group; tested: TestedInstance[] } {
  const { organizationId, projectId } = data.service;
  const runId = runIdOf(number);
  const createdAt = timeOf(data, number);
  const author = Math.floor(chance(number, 1) * AUTHORS);
  const commit = {
    ...runItem({ organizationId, projectId }).commit,
    branch: branchOf(number),
    sha: null,
    authorName: `Author ${author}`,
    authorEmail: `author-${author}@example.com`,
  };
  const times = { createdAt, endedAt: createdAt + 600_000 };
  const run = runItem({ organizationId, projectId }, { runId, ...times, commit, expiry: NEVER });
  const about = { platform: PLATFORM, tags: [], environment: null, coverageEnabled: false, expiresAt: undefined };
  const group: Group = { organizationId, runId, groupId: 'chromium', ...about };
  const specs = Math.ceil(data.tests / TESTS_PER_SPEC);
  const tested = Array.from({ length: specs }, (_, spec) => testedOf(data, { run, group, spec, number }));
  return { run, group, tested };
}

/**
 * The branch of a run: main for half of the runs, a pull request branch for 30 %, and a release branch for the rest.
 */
function branchOf(number: number): string {
  const share = chance(number, 2);
  if (share < 0.5) return 'main';
  if (share < 0.8) return `feat/${Math.floor(number / RUNS_PER_PULL_REQUEST)}`;
  return `release/${Math.floor(chance(number, 3) * 4)}`;
}

interface Place {
  readonly run: Run;
  readonly group: Group;
  readonly spec: number;
  readonly number: number;
}

function testedOf({ tests }: Dataset, { run, group, spec, number }: Place): TestedInstance {
  const { organizationId, runId } = run;
  const { groupId } = group;
  const file = `tests/area-${spec % 20}/feature-${spec}.spec.ts`;
  const instanceId = deriveInstanceId({ runId, groupId, spec: file });
  const first = spec * TESTS_PER_SPEC;
  const own = Array.from({ length: Math.min(TESTS_PER_SPEC, tests - first) }, (_, index) =>
    testOf({ test: first + index, number, instanceId, createdAt: run.createdAt }),
  );
  const instance = makeInstance({
    organizationId,
    runId,
    instanceId,
    groupId,
    spec: file,
    createdAt: run.createdAt,
    expiry: NEVER,
  });
  const claim = { key: 'claim', machineId: 'machine', at: run.createdAt };
  return {
    instance: { ...instance, claims: [claim], completedAt: run.createdAt, expected: own.length, known: own.length },
    tests: own,
  };
}
