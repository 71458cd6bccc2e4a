/**
 * Tells a later try of a build which tests it has to run again: those that failed or did not run in the try before it.
 * Whatever is in doubt, everything has to run, because a job that repeats too little could pass with a failed test.
 */
import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { findProjectInUse } from '#shared/find-project.ts';
import { isOfGroup } from '#shared/model/group-names.ts';
import { deriveRunId, deriveTestKey, deriveTestPlace } from '#shared/model/ids.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { type Failure, failures, getMarkedFailuresSpan } from '#shared/model/results/failures.ts';
import { buildTries, getTriesSpan } from '#shared/model/runs/build-tries.ts';
import { getJoinsSpan, joins } from '#shared/model/runs/join.ts';
import { getLegQuestionsSpan, legQuestions } from '#shared/model/runs/leg-question.ts';
import {
  getRecordingMachinesSpan,
  type RecordingMachine,
  recordingMachines,
} from '#shared/model/runs/recording-machine.ts';
import { isUnderWay, type Run, runs, type TryOfBuild } from '#shared/model/runs/run.ts';
import { getRunUrl } from '#shared/model/runs/run-url.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import { findTry } from '#shared/recording/tries.ts';
import { findJobs } from '#shared/results/builds/find-executions.ts';
import { loadInstance } from '#shared/results/instances/load-instance.ts';
import type { Services } from '#shared/services.ts';
import type { LastFailedBody, TestsToRepeat } from './last-failed-wire.ts';

type Answer = z.input<typeof TestsToRepeat>;

type Reason = keyof typeof REASONS;

/** Why everything has to run. */
const REASONS = {
  noTry: 'Nothing says that this is a later try of a build. Set RUNDOWN_TRY to its number',
  firstTry: 'This is the first try of its build',
  noRun: 'The try before this one has no results',
  several: 'Several runs recorded the try before this one',
  underWay: 'The try before this one has not ended',
  incomplete: 'The try before this one is not complete',
  broken: 'The try before this one failed for another reason than its tests',
  silent: 'A machine of the try before this one did not end',
  tooMany: 'Too many tests of the try before this one failed or did not run',
  unnamed: 'A machine of the try before this one does not say which tests to repeat',
  noLeg: 'The request does not say which of the commands of the build asks',
  sameLeg:
    'Several commands of the build cannot be told apart. Give each of them another RUNDOWN_GROUP, or one RUNDOWN_LEG for each job',
  otherPart: 'This job, with these tests and this shard, reported nothing in the try before this one',
  otherLeg:
    'Nothing proves that this command reported in the try before this one. If it did, start it by `rundown run --report <its report> -- rundown last-failed`',
  otherSource: 'A failure of the try before this one was reported by another source',
  notRun: 'Tests of the try before this one did not run',
} as const;

const CONSISTENT = { consistent: true } as const;

interface Request {
  readonly organizationId: string;
  readonly projectId: string;
  readonly body: LastFailedBody;
}

export async function findTestsToRepeat(services: Services, { body, ...project }: Request): Promise<Answer> {
  await findProjectInUse(services, project);
  const before = await findTryBefore(services, { ...project, body });
  if (typeof before === 'string') return repeatEverything(before);
  const runFacts = { runId: before.runId, runUrl: getRunUrl(services.origin, before) };
  const tests = await listTestsToRepeat(services, before, body);
  if (typeof tests === 'string') return { ...repeatEverything(tests), run: runFacts };
  return { repeat: tests.length > 0 ? 'tests' : 'nothing', reason: null, run: runFacts, tests: [...tests] };
}

const repeatEverything = (reason: Reason): Answer => ({
  repeat: 'everything',
  reason: REASONS[reason],
  run: null,
  tests: [],
});

async function findTryBefore(services: Services, { organizationId, projectId, body }: Request): Promise<Run | Reason> {
  const { table } = services;
  const project = { organizationId, projectId };
  const sentBuild = { ...project, ciBuildId: body.ciBuildId, job: body.job ?? undefined, again: body.try ?? undefined };
  const { tryOf, first } = await findTry(services, sentBuild);
  if (!tryOf) return 'noTry';
  const { build } = tryOf;
  const leg = body.part ?? body.leg;
  if (!leg) return 'noLeg';
  const askedNow = await noteQuestion(services, { ...project, ...tryOf, leg }, body.process ?? '');
  const isEarlier = ({ attempt, again }: Pick<typeof tryOf, 'attempt' | 'again'>) =>
    attempt < tryOf.attempt || (attempt === tryOf.attempt && again < tryOf.again);
  if (!isEarlier({ attempt: 1, again: 1 })) return 'firstTry';
  const rows = await table.queryAll(buildTries, getTriesSpan({ ...project, build }), CONSISTENT);
  // The row of the first try may not exist yet.
  const firstRow = { attempt: 1, again: 1, runId: deriveRunId({ ...project, ciBuildId: first }) };
  const earlierRows = [...rows.filter(isEarlier), firstRow];
  const lastAttempt = Math.max(...earlierRows.map(({ attempt }) => attempt));
  const rowsOfAttempt = earlierRows.filter(({ attempt }) => attempt === lastAttempt);
  const lastAgain = Math.max(...rowsOfAttempt.map(({ again }) => again));
  const runIds = [...new Set(rowsOfAttempt.filter(({ again }) => again === lastAgain).map(({ runId }) => runId))];
  const keys = runIds.map((runId) => ({ organizationId, runId }));
  const [run, ...others] = (await table.getMany(runs, keys, CONSISTENT)).filter((foundRun) => foundRun !== undefined);
  if (!run) return 'noRun';
  if (others.length > 0) return 'several';
  const askedBefore = await countQuestions(services, {
    ...project,
    build,
    attempt: lastAttempt,
    again: lastAgain,
    leg,
  });
  return askedBefore > 1 || askedNow > 1 ? 'sameLeg' : run;
}

type LegOfTry = ProjectKey & TryOfBuild & { readonly leg: string };

/**
 * In each try, a leg asks before its tests run. So who asks twice in one try is two commands, of which one may have died,
 * or never started because the other one failed.
 */
async function noteQuestion(services: Services, legOfTry: LegOfTry, process: string): Promise<number> {
  const expiresAt = Math.ceil(services.now() / 1000) + RECORDING_LIMITS.triesOfJobSeconds;
  await services.table.put(legQuestions, { ...legOfTry, process, expiresAt });
  return countQuestions(services, legOfTry);
}

async function countQuestions({ table }: Services, legOfTry: LegOfTry): Promise<number> {
  const { rows } = await table.query(legQuestions, getLegQuestionsSpan(legOfTry), { ...CONSISTENT, limit: 2 });
  return rows.length;
}

async function listTestsToRepeat(
  services: Services,
  run: Run,
  body: LastFailedBody,
): Promise<Answer['tests'] | Reason> {
  const { table } = services;
  const { part } = body;
  if (isUnderWay(run)) return 'underWay';
  if (run.completionState !== 'COMPLETE') return 'incomplete';
  if (run.jobFailed || run.hasProblems || (run.failedJobs ?? []).length > 0) return 'broken';
  const options = { ...CONSISTENT, limit: RECORDING_LIMITS.testsToRepeat };
  const [failedPage, skippedPage, machines] = await Promise.all([
    table.query(failures, getMarkedFailuresSpan(run, 'f'), options),
    table.query(failures, getMarkedFailuresSpan(run, 's'), options),
    table.queryAll(recordingMachines, getRecordingMachinesSpan(run), CONSISTENT),
  ]);
  if (machines.some(({ endedAt }) => endedAt === undefined)) return 'silent';
  if (failedPage.lastRead !== undefined || skippedPage.lastRead !== undefined) return 'tooMany';
  const open = [...failedPage.rows, ...skippedPage.rows].map(({ item }) => item);
  if (run.status !== 'PASSED' && open.length === 0) return 'broken';
  const tests = part
    ? pickTestsOfPart(open, machines, part)
    : await listTestsOfJob(services, { run, open, machines, body });
  if (typeof tests === 'string' || tests.length > 0) return tests;
  return skippedPage.rows.length > 0 ? 'notRun' : tests;
}

/** A part repeats what its own machine reported, since the other parts may not run again. */
function pickTestsOfPart(
  open: readonly Failure[],
  machines: readonly RecordingMachine[],
  part: string,
): Answer['tests'] | Reason {
  const machinesOfPart = machines.filter((machine) => machine.part === part);
  if (machinesOfPart.length === 0) return 'otherPart';
  if (machinesOfPart.length > 1) return 'sameLeg';
  if (machines.some(({ toRepeat }) => toRepeat === undefined)) return 'unnamed';
  const keysOfMachines = new Set(machines.flatMap(({ toRepeat = [] }) => toRepeat));
  if (open.some((failure) => !keysOfMachines.has(deriveTestPlace(failure)))) return 'otherSource';
  return [...new Set(machinesOfPart.flatMap(({ toRepeat = [] }) => toRepeat))].map((key) => ({ key }));
}

/**
 * A leg repeats what its job reported, as far as this is known: another job may not run again, and may need what this one
 * does not have. A leg that reported nothing may have died before its report, so nobody knows what it has to repeat.
 */
async function listTestsOfJob(
  services: Services,
  {
    run,
    open,
    machines,
    body,
  }: {
    readonly run: Run;
    readonly open: readonly Failure[];
    readonly machines: readonly RecordingMachine[];
    readonly body: LastFailedBody;
  },
): Promise<Answer['tests'] | Reason> {
  const job = body.job?.name;
  const { leg } = body;
  const group = body.group ?? undefined;
  if (machines.filter((machine) => machine.leg === leg).length > 1) return 'sameLeg';
  const sources = await services.table.queryAll(joins, getJoinsSpan(run), CONSISTENT);
  if (!sources.some((source) => source.leg === leg)) return 'otherLeg';
  if (job === undefined && group === undefined) return nameTests(services, open);
  const isOfJob = (jobs: readonly string[] | undefined) => job === undefined || jobs?.includes(job) === true;
  const openOfGroup = open.filter(({ groupId }) => isOfGroup(group, groupId));
  const jobs = [...new Set(sources.flatMap((source) => source.job ?? []))];
  const getJobs = await findJobs(services, [{ ...run, jobs }], openOfGroup);
  return nameTests(
    services,
    openOfGroup.filter((failure) => isOfJob(getJobs({ jobs }, failure))),
  );
}

async function nameTests(services: Services, open: readonly Failure[]): Promise<Answer['tests']> {
  const byInstance = [...Map.groupBy(open, ({ instanceId }) => instanceId).values()];
  const all = await mapConcurrently(byInstance, async (ofInstance) => {
    const [first] = ofInstance;
    const instance = first && (await loadInstance(services, first));
    const titles = new Map(instance?.details.tests.map(({ testId, title }) => [deriveTestKey(testId), title]));
    return ofInstance.map((failure) => ({
      key: deriveTestPlace(failure),
      groupId: failure.groupId,
      spec: failure.spec,
      title: [...(titles.get(failure.testKey) ?? [])],
    }));
  });
  return all.flat();
}
