/** Adds the spec files of a suite to a session as batches. Machines may start with different suites. */

import { splitIntoChunks } from '#shared/engine/chunks.ts';
import { invalidRequest } from '#shared/engine/errors.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT, put, remove } from '#shared/engine/table/writes.ts';
import {
  getPlansSpan,
  type PlannedBatch,
  type PlannedFile,
  type PlanPage,
  planPages,
} from '#shared/model/orchestration/plan.ts';
import {
  type OrchestrationPlan,
  type OrchestrationSession,
  orchestrationSessions,
} from '#shared/model/orchestration/session.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { SuiteGroup } from '#shared/recording/run-request.ts';
import { hashSuite } from '#shared/recording/suite.ts';
import type { Services } from '#shared/services.ts';
import { ORCHESTRATION_LIMITS } from './limits.ts';
import { makeDurationPredictor, readTypicalDurations, type SuiteFile } from './predict-durations.ts';

type Planner = Pick<Services, 'table' | 'now' | 'randomId'>;

const PLAN_CHARACTERS = 12;
const TOO_MANY_SUITES = `An orchestration session has at most ${ORCHESTRATION_LIMITS.plansPerSession} different suites. Start all machines with the same suite`;

export const hasPlan = ({ plans }: OrchestrationSession, suite: string): boolean =>
  plans.some((plan) => plan.suite === suite);

/**
 * Idempotent: of two requests at the same time, the later plan leaves out the spec files of the earlier one. Throws 400
 * if the session has too many suites. `sizeOf` returns the number of spec files per batch of a group.
 */
export async function planSuite(
  services: Planner,
  run: Run,
  { suite, sizeOf }: { readonly suite: readonly SuiteGroup[]; readonly sizeOf: (groupId: string) => number },
): Promise<void> {
  const { table, randomId } = services;
  const digest = hashSuite(suite);
  const typicalDurations = await readTypicalDurations(services, run);
  const suiteFiles = suite.flatMap(({ name: groupId, tests }) =>
    [...Map.groupBy(tests, ({ spec }) => spec)].map(([spec, fileTests]) => ({
      groupId,
      spec,
      tests: fileTests.length,
    })),
  );
  await retryOptimistically('plans of a session', async () => {
    const session = await table.get(orchestrationSessions, run, { consistent: true });
    if (session && hasPlan(session, digest)) return true;
    if (session && session.plans.length >= ORCHESTRATION_LIMITS.plansPerSession) throw invalidRequest(TOO_MANY_SUITES);
    const files = await listUnplannedFiles(services, session, suiteFiles);
    const batches = planBatches(files, typicalDurations, sizeOf);
    const from = session?.batches ?? 0;
    const plan = { planId: randomId(PLAN_CHARACTERS), suite: digest, from, batches: batches.length };
    const pages = makePlanPages(run, plan, batches);
    await table.writeMany(pages.map((page) => put(planPages, page)));
    const isAdded = await addPlan(services, run, session, plan);
    if (!isAdded) await table.writeMany(pages.map((page) => remove(planPages, page)));
    return isAdded || AGAIN;
  });
}

async function addPlan(
  { table, now }: Planner,
  run: Run,
  session: OrchestrationSession | undefined,
  plan: OrchestrationPlan,
): Promise<boolean> {
  if (!session) {
    const { organizationId, runId, expiry } = run;
    const counters = { batches: plan.batches, next: 0, freed: 0, lookedAt: now(), dealt: false };
    const first = { organizationId, runId, plans: [plan], ...counters, expiresAt: expiry.results };
    return (await table.put(orchestrationSessions, first, ABSENT)).done;
  }
  const changes = {
    append: [['plans', [plan]] as const],
    set: [['batches', plan.from + plan.batches] as const, ['dealt', false] as const],
  };
  return (await table.update(orchestrationSessions, run, changes, { path: 'plans', equals: session.plans })).done;
}

function makePlanPages(
  { organizationId, runId, expiry }: Run,
  { planId }: OrchestrationPlan,
  batches: readonly PlannedBatch[],
): PlanPage[] {
  return splitIntoChunks(batches, ORCHESTRATION_LIMITS.batchesPerPage).map((pageBatches, page) => ({
    organizationId,
    runId,
    planId,
    page,
    expiresAt: expiry.results,
    batches: pageBatches,
  }));
}

const makeFileKey = (groupId: string, spec: string): string => JSON.stringify([groupId, spec]);

async function listUnplannedFiles(
  { table }: Planner,
  session: OrchestrationSession | undefined,
  files: readonly SuiteFile[],
): Promise<SuiteFile[]> {
  const pages = session ? await table.queryAll(planPages, getPlansSpan(session), { consistent: true }) : [];
  const plans = new Set(session?.plans.map(({ planId }) => planId));
  const batches = pages.filter(({ planId }) => plans.has(planId)).flatMap((page) => page.batches);
  const plannedKeys = new Set(
    batches.flatMap((batch) => batch.files.map(({ spec }) => makeFileKey(batch.groupId, spec))),
  );
  const filesByKey = new Map(files.map((file) => [makeFileKey(file.groupId, file.spec), file]));
  return [...filesByKey].flatMap(([key, file]) => (plannedKeys.has(key) ? [] : [file]));
}

// Divides a suite into batches. The longest spec files come first, so that short ones fill the gaps at the end.

/** All files of a batch belong to one group, because a machine runs one Playwright project at a time. */
function planBatches(
  files: readonly SuiteFile[],
  typicalDurations: ReadonlyMap<string, number>,
  sizeOf: (groupId: string) => number,
): PlannedBatch[] {
  const predictDuration = makeDurationPredictor(files, typicalDurations);
  const byGroup = Map.groupBy(files, ({ groupId }) => groupId);
  const batches = [...byGroup].flatMap(([groupId, groupFiles]) => {
    const sortedFiles = groupFiles
      .map((file): PlannedFile => ({ spec: file.spec, milliseconds: predictDuration(file) }))
      .sort((one, other) => other.milliseconds - one.milliseconds || (one.spec < other.spec ? -1 : 1));
    return splitIntoChunks(sortedFiles, sizeOf(groupId)).map((some): PlannedBatch => ({ groupId, files: some }));
  });
  return batches.sort((one, other) => getLongestDuration(other) - getLongestDuration(one));
}

/** In milliseconds. The files of a batch are sorted, the longest first. */
const getLongestDuration = ({ files }: PlannedBatch): number => files[0]?.milliseconds ?? 0;
