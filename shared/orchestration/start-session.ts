/**
 * Starts or joins the orchestration session of a CI build. The first machine creates the run and plans its batches. All
 * other machines use that run and its plan, and plan only spec files that the plan lacks.
 */

import type * as z from 'zod';
import { invalidRequest, refuse } from '#shared/engine/errors.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { ABSENT, PRESENT } from '#shared/engine/table/writes.ts';
import { findProject } from '#shared/find-project.ts';
import { runExpired } from '#shared/lifecycle/errors.ts';
import { refuseEnded } from '#shared/lifecycle/refuse-ended.ts';
import { deriveRunId, makeMachineId } from '#shared/model/ids.ts';
import { type SessionMachine, sessionMachines } from '#shared/model/orchestration/machine.ts';
import { type OrchestrationSession, orchestrationSessions } from '#shared/model/orchestration/session.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { type Framework, type Run, runs } from '#shared/model/runs/run.ts';
import { addSuite, isSuiteMissing } from '#shared/recording/add-suite.ts';
import { readSentCi } from '#shared/recording/ci-wire.ts';
import { type RunRequest, UNKNOWN_FACTS } from '#shared/recording/run-request.ts';
import { storeOnce } from '#shared/recording/store-once.ts';
import { hashSuite } from '#shared/recording/suite.ts';
import { type FoundTry, findTry, linkTry, prepareRunOfTry } from '#shared/recording/tries.ts';
import type { Services } from '#shared/services.ts';
import { giveBack } from './give-back.ts';
import { ORCHESTRATION_LIMITS } from './limits.ts';
import { hasPlan, planSuite } from './plan-suite.ts';
import type { SessionAnswer, StartSessionBody } from './session-wire.ts';

/** `auto`: one spec file per worker. The setting of a group overrides the global one. The planning machine decides. */
function makeBatchSizer({ globalWorkers, globalBatchSize, projectWorkers, projectBatchSizes }: StartSessionBody) {
  return (groupId: string): number => {
    const setting = projectBatchSizes?.[groupId] ?? globalBatchSize ?? 'auto';
    const size = setting === 'auto' ? (projectWorkers?.[groupId] ?? globalWorkers) : setting;
    const files = typeof size === 'number' && Number.isInteger(size) && size > 0 ? size : 1;
    return Math.min(files, ORCHESTRATION_LIMITS.filesPerBatch);
  };
}

interface StartRequest {
  readonly organizationId: string;
  readonly body: StartSessionBody;
  readonly framework: Framework;
  readonly requestKey: string;
}

export async function startSession(services: Services, request: StartRequest): Promise<z.input<typeof SessionAnswer>> {
  const { organizationId, body, requestKey } = request;
  const { projectId } = body;
  const { job } = readSentCi(body);
  const buildTry = await findTry(services, { organizationId, projectId, ciBuildId: body.ciBuildId, job });
  const { ciBuildId } = buildTry;
  const project = await findProject(services, { organizationId, projectId }, { consistent: true });
  const runId = deriveRunId({ organizationId, projectId, ciBuildId });
  const key = { organizationId, runId, machineId: body.machineId ?? makeMachineId(requestKey) };
  const answer = { id: runId, runId, machineId: key.machineId };
  const { run, session, machine } = await readOrchestration(services, key);
  if (machine?.startedBy === requestKey) return answer;
  if (run) refuseEnded(run);
  const startedRun = await ensureRun(services, request, { project, run, runId, buildTry });
  const plannedSession = await ensurePlan(services, request, { run: startedRun, session });
  if (machine) await restartMachine(services, { run: startedRun, session: plannedSession, machine }, requestKey);
  else await joinSession(services, { ...key, expiresAt: startedRun.expiry.results }, requestKey);
  return answer;
}

export async function readOrchestration(
  { table }: WithTable,
  key: Pick<SessionMachine, 'organizationId' | 'runId' | 'machineId'>,
) {
  const lookups = [
    makeLookup(runs, key),
    makeLookup(orchestrationSessions, key),
    makeLookup(sessionMachines, key),
  ] as const;
  const rows = await table.getTogether(lookups, { consistent: true });
  return { run: rows.of(lookups[0]), session: rows.of(lookups[1]), machine: rows.of(lookups[2]) };
}

interface RunOfBuild {
  readonly project: ProjectRecord;
  readonly runId: string;
  readonly buildTry: FoundTry;
  /** `undefined` if no machine has started the run yet. */
  readonly run: Run | undefined;
}

/** Adds the suite of this machine to the run. The reporters that record the batches join this run later. */
async function ensureRun(
  services: Services,
  request: StartRequest,
  { project, run, runId, buildTry }: RunOfBuild,
): Promise<Run> {
  const { organizationId, requestKey } = request;
  const runRequest = toRunRequest(request);
  if (run && !(await isSuiteMissing(services, run, runRequest))) return run;
  const build = { runId, ciBuildId: buildTry.ciBuildId, createdBy: requestKey, project, buildTry };
  const target = run ? { run } : { beginning: await prepareRunOfTry(services, build, runRequest) };
  await addSuite(services, target, runRequest, requestKey);
  if (target.beginning) await linkTry(services, target.beginning, buildTry);
  return (await services.table.get(runs, { organizationId, runId }, { consistent: true })) ?? refuse(runExpired());
}

/** The platform is unknown until the machine starts its first group. Only reporters that join the run name its jobs. */
function toRunRequest({ organizationId, framework, body }: StartRequest): RunRequest {
  const { projectId, ciBuildId, machineId, commit, suite } = body;
  const { github, pullRequest } = readSentCi(body);
  return {
    organizationId,
    projectId,
    ciBuildId,
    framework,
    machineId,
    commit,
    github,
    pullRequest,
    suite,
    tags: [],
    groupId: suite[0]?.name ?? '',
    facts: UNKNOWN_FACTS,
  };
}

async function ensurePlan(
  services: Services,
  { body, requestKey }: StartRequest,
  { run, session }: { readonly run: Run; readonly session: OrchestrationSession | undefined },
): Promise<OrchestrationSession> {
  const { organizationId, runId } = run;
  const digest = hashSuite(body.suite);
  if (session && hasPlan(session, digest)) return session;
  const evidence = {
    row: makeLookup(orchestrationSessions, run),
    isStored: (storedSession: OrchestrationSession) => hasPlan(storedSession, digest),
  };
  const lock = { organizationId, runId, suite: `plan ${digest}`, owner: requestKey };
  await storeOnce(services, lock, evidence, () =>
    planSuite(services, run, { suite: body.suite, sizeOf: makeBatchSizer(body) }),
  );
  return (await services.table.get(orchestrationSessions, run, { consistent: true })) ?? refuse(runExpired());
}

/**
 * Throws 400 if the session has too many machines. A machine is counted before its row is written: if a request is
 * killed in between, the session has room for one fewer machine, but it never exceeds its limit.
 */
async function joinSession(
  { table, now }: Services,
  key: Pick<SessionMachine, 'organizationId' | 'runId' | 'machineId' | 'expiresAt'>,
  startedBy: string,
): Promise<void> {
  const hasPlace = {
    any: [{ absent: 'machines' }, { path: 'machines', atMost: ORCHESTRATION_LIMITS.machinesPerSession - 1 }],
  } as const;
  const isPossible = { all: [PRESENT, hasPlace] };
  const outcome = await table.update(orchestrationSessions, key, { add: [['machines', 1]] }, isPossible);
  if (!outcome.done)
    throw invalidRequest(
      `An orchestration session has at most ${ORCHESTRATION_LIMITS.machinesPerSession} machines. Start fewer machines, or restart a machine with its earlier machine id`,
    );
  await table.put(sessionMachines, { ...key, startedBy, version: 0, at: now(), held: [] }, ABSENT);
}

/** Frees the batches of a machine that was restarted, because the tests that it was running are lost. */
async function restartMachine(
  services: Services,
  { machine, ...rest }: { run: Run; session: OrchestrationSession; machine: SessionMachine },
  startedBy: string,
): Promise<void> {
  await giveBack(services, { ...rest, machine, isDone: ({ completedAt }) => completedAt !== undefined });
  await services.table.update(sessionMachines, machine, { set: [['startedBy', startedBy]] });
}
