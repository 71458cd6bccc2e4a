/** Stores the tests that a run expects, by group and spec file. Machines of a run may add different suites. */
import { keepFirstTexts } from '#shared/engine/byte-budget.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { Again, retryOptimisticallyFrom } from '#shared/engine/table/optimistic.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { PRESENT } from '#shared/engine/table/writes.ts';
import { ensureGroups } from '#shared/lifecycle/start-groups.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Group } from '#shared/model/runs/group.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { type AddedBySuite, addSuiteToRow, getSuiteRow, storedSuites } from '#shared/model/runs/stored-suites.ts';
import type { Services } from '#shared/services.ts';
import { expectFiles, listExpectedFiles, NOTHING } from './expect-files.ts';
import { type RunRequest, type SuiteGroup, UNKNOWN_FACTS } from './run-request.ts';

/** The suite that a request sends, and what it says about the group of its machine. */
export type SuiteRequest = Pick<RunRequest, 'suite' | 'groupId' | 'facts' | 'holds'>;

const SUITE_CHARACTERS = 16;
const ADDED_BY_CHARACTERS = 8;
const getSuiteName = (digest: string): string => digest.slice(0, ADDED_BY_CHARACTERS);

/** Whether all spec files of the suite are stored, and are those that the row of the run counts. */
export const isCountedSuite = ({ countedSuite }: Run, digest: string): boolean => countedSuite === getSuiteName(digest);

export const hashSuite = (suite: readonly SuiteGroup[]): string =>
  computeDigest(SUITE_CHARACTERS, JSON.stringify(suite));

/** The suite that a request sends. It always contains the group of the machine, even if the group has no tests. */
export const completeSuite = ({ suite, groupId }: SuiteRequest): readonly SuiteGroup[] =>
  suite.some(({ name }) => name === groupId)
    ? suite
    : [...suite, { name: groupId, tags: [], environment: null, tests: [] }];

/** The run and the group of the machine, as they are after the suite is stored. */
export interface StoredSuite {
  /** Absent if the run was deleted meanwhile. */
  readonly run: Run | undefined;
  readonly group: Group | undefined;
}

/**
 * Tests are only added, so machines may send different parts of a suite, several times or at the same time. The row of
 * the run is written after the spec files, so that the end of the run does not overlook them, and the suite is marked
 * as stored last.
 */
export async function storeSuite(services: Services, run: Run, request: SuiteRequest): Promise<StoredSuite> {
  const suite = completeSuite(request);
  const digest = hashSuite(suite);
  const files = listExpectedFiles(run, suite);
  const storedGroups = await ensureGroups(services, run, makeGroupRows(run, suite, request));
  const by = getSuiteName(digest);
  const addition = await expectFiles(services, files, by);
  const { run: latestRun, isCounted } = await announceSuite(services, run, {
    holds: request.holds,
    by,
    added: addition,
  });
  const { changes, when } = addSuiteToRow(digest, isCounted ? NOTHING : addition, { expiresAt: run.expiry.results });
  await services.table.update(storedSuites, getSuiteRow(run, digest), changes, when);
  return { run: latestRun, group: storedGroups.find(({ groupId }) => groupId === request.groupId) };
}

interface CountedSuite {
  /** As it is then. Absent if the run was deleted meanwhile. */
  readonly run: Run | undefined;
  /** Whether its spec files and tests are those in the row of the run. */
  readonly isCounted: boolean;
}

/**
 * Makes sure that the run does not end by a decision that overlooked the spec files just stored. A held run does not end
 * before it is released, and whoever releases it reads the spec files after that. Only machines that hold the run look
 * whether it is held, because a read then replaces a write by each of them.
 */
async function announceSuite(
  { table }: Services,
  run: Run,
  { holds, by, added }: Pick<SuiteRequest, 'holds'> & { readonly by: string; readonly added: AddedBySuite },
): Promise<CountedSuite> {
  const latestRun = holds ? await table.get(runs, run, { consistent: true }) : run;
  if (!latestRun) return { run: undefined, isCounted: false };
  if (holds && latestRun.held && latestRun.hasFurtherSuites)
    return { run: latestRun, isCounted: latestRun.countedSuite === by };
  return retryOptimisticallyFrom('suites of a run', latestRun, async ({ instancesExpected, countedSuite }) => {
    const isFirst = added.files > 0 && instancesExpected === 0;
    const isCounted = isFirst || countedSuite === by;
    const isFurther = !isCounted && added.tests > 0;
    const set = toAssignments({
      instancesExpected: isFirst ? added.files : undefined,
      testsExpected: isFirst ? added.tests : undefined,
      countedSuite: isFirst ? by : undefined,
      hasFurtherSuites: isFurther ? true : undefined,
    });
    const when = isFirst ? { path: 'instancesExpected', equals: 0 } : PRESENT;
    const outcome = await table.update(runs, run, { set, add: [['resets', 1]] }, when);
    return outcome.done || !outcome.item ? { run: outcome.item, isCounted } : new Again(outcome.item);
  });
}

export function makeGroupRows(
  { organizationId, runId, expiry }: Run,
  suite: readonly SuiteGroup[],
  request: SuiteRequest,
): Group[] {
  const rows = suite.map(({ name: groupId, tags: all, environment }): Group => {
    const facts = groupId === request.groupId ? request.facts : UNKNOWN_FACTS;
    const tags = keepFirstTexts(all, MODEL_LIMITS.rowBytes.groupTags);
    return { organizationId, runId, groupId, tags, environment, ...facts, expiresAt: expiry.results };
  });
  return [...new Map(rows.map((row) => [row.groupId, row])).values()];
}
