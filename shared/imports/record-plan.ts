/**
 * Records a planned import with the same code that records all other results. Idempotent: a repeated call rewrites the
 * same rows.
 */

import { notFound, refuse } from '#shared/engine/errors.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { findTargets } from '#shared/ingest/execution-of.ts';
import { makeImportSource, makeNamedSource, type Source } from '#shared/ingest/sources.ts';
import { settleRun } from '#shared/lifecycle/complete-run.ts';
import { holdRun, noteDuration, noteImport } from '#shared/lifecycle/hold-run.ts';
import { storeProblems } from '#shared/lifecycle/note-problems.ts';
import { recordInstances } from '#shared/lifecycle/record-instances.ts';
import type { Import, ImportedFile, ImportOptions } from '#shared/model/runs/import.ts';
import { PLAYWRIGHT, type Run, runs } from '#shared/model/runs/run.ts';
import { joinRun } from '#shared/recording/join-run.ts';
import { type SuiteGroup, UNKNOWN_FACTS } from '#shared/recording/run-request.ts';
import { DEFAULT_GROUP } from '#shared/reports/paths.ts';
import { noteRenamedTests } from '#shared/rules/renamed-tests.ts';
import type { Services } from '#shared/services.ts';
import { buildCommit } from './build-commit.ts';
import type { ImportPlan, PlannedInstance } from './import-plan.ts';
import type { Identity } from './import-row.ts';
import { addWarnings } from './imported-files.ts';
import { IMPORT_LIMITS } from './limits.ts';
import { storeAttachments } from './store-attachments.ts';

type IdentifiedImport = Pick<Import, 'organizationId' | 'projectId' | 'importId' | 'options'> &
  Pick<Identity, 'contentId'>;

interface Steps {
  /** The number of spec files that earlier calls recorded. */
  readonly recorded: number;
  readonly onStep: (recorded: number) => Promise<void>;
}

const AT_ONCE: Steps = { recorded: 0, onStep: async () => {} };

const REQUEST_CHARACTERS = 16;

/** Returns the report files, with warnings about attachments that were left out, and about renamed tests. */
export async function recordPlan(
  services: Services,
  identifiedImport: IdentifiedImport,
  plan: ImportPlan,
  steps = AT_ONCE,
): Promise<readonly ImportedFile[]> {
  const { importId, options } = identifiedImport;
  // The import joins its run and claims spec files with this key. A repeated import has the same key.
  const requestKey = computeDigest(REQUEST_CHARACTERS, 'import', identifiedImport.contentId);
  const run = await joinBuildRun(services, identifiedImport, plan, requestKey);
  if (options.complete === false) await holdRun(services, run);
  const { jobFailed, problems } = plan;
  await storeProblems(services, run, { source: importId, problems });
  await noteImport(services, run, { importId, jobFailed, hasProblems: problems.length > 0, job: options.job });
  await noteDuration(services, run, plan.milliseconds);
  let { recorded } = steps;
  for (const instances of splitSteps(plan.instances.slice(recorded))) {
    const { machineId } = instances[0];
    const targets = { ...(await findTargets(services, run, instances)), run };
    const source = chooseSource(options, requestKey, machineId);
    await recordInstances(services, { targets, source, claimKey: source.key, instances });
    recorded += instances.length;
    await steps.onStep(recorded);
  }
  const renameMessages = await noteRenamedTests(services, run, plan.renamed);
  const attachmentWarnings = await storeAttachments(services, run, plan.attachments, chooseSource(options, requestKey));
  // An import reopens a run that has ended only while it is recorded, or until the silence after the last one.
  if (options.complete !== false) await settleRun(services, run);
  const renameWarnings = renameMessages.map((message) => ({ line: null, message }));
  return addWarnings(plan.files, [...attachmentWarnings, ...renameWarnings]);
}

/** All results of the import have the same source, whatever machine a report shows. */
const chooseSource = ({ machineId }: ImportOptions, requestKey: string, reportedMachine = ''): Source =>
  machineId === undefined ? makeImportSource(requestKey, reportedMachine) : makeNamedSource(machineId);

/** Values in the query take precedence over values in the file. */
async function joinBuildRun(
  services: Services,
  identifiedImport: IdentifiedImport,
  plan: ImportPlan,
  requestKey: string,
): Promise<Run> {
  const { organizationId, projectId, options } = identifiedImport;
  const { ciBuildId } = plan;
  const { githubRunId, githubRunAttempt = '1', pullRequest, pullRequestTitle = null } = options;
  const { type = 'unknown', version = null } = plan.parsed[0]?.framework ?? {};
  const suite = buildSuite(plan, options);
  const joinedRun = await joinRun(services, {
    organizationId,
    projectId,
    ciBuildId,
    groupId: suite[0].name,
    machineId: options.machineId,
    facts: UNKNOWN_FACTS,
    commit: buildCommit(plan.parsed, options),
    github: githubRunId === undefined ? undefined : { runId: githubRunId, attempt: githubRunAttempt },
    pullRequest: pullRequest === undefined ? undefined : { id: pullRequest, title: pullRequestTitle },
    tags: options.tags ?? [],
    suite,
    framework: { type: type === 'playwright' ? PLAYWRIGHT : type, version, clientVersion: null },
    requestKeys: [requestKey],
    job: { name: options.job, url: options.jobUrl },
    leg: options.leg,
    buildTry: { ciBuildId, tryOf: options.tryOf, first: options.firstTry ?? ciBuildId },
    lingers: options.complete === false,
    origin: options.origin,
    imported: true,
  });
  const { runId } = joinedRun.run;
  const run = await services.table.get(runs, { organizationId, runId }, { consistent: true });
  return run ?? refuse(notFound('Run'));
}

type Step = [PlannedInstance, ...PlannedInstance[]];

/** Each step contains only spec files of one machine. */
function splitSteps(instances: readonly PlannedInstance[]): Step[] {
  const steps: Step[] = [];
  let tests = 0;
  for (const instance of instances) {
    const last = steps.at(-1);
    tests += instance.tests.length;
    const fits = tests <= IMPORT_LIMITS.testsPerStep && (last?.length ?? 0) < IMPORT_LIMITS.specsPerStep;
    if (last && fits && last[0].machineId === instance.machineId) last.push(instance);
    else {
      steps.push([instance]);
      tests = instance.tests.length;
    }
  }
  return steps;
}

/** If the report has no tests, the suite consists of the group that the query names. */
function buildSuite(
  { instances }: ImportPlan,
  { group = DEFAULT_GROUP, environment }: ImportOptions,
): [SuiteGroup, ...SuiteGroup[]] {
  const makeGroup = (name: string, tests: SuiteGroup['tests'] = []): SuiteGroup => ({
    name,
    tags: [],
    environment: environment ?? null,
    tests,
  });
  const groups = [...Map.groupBy(instances, ({ groupId }) => groupId)].map(([name, groupInstances]) => {
    const tests = groupInstances.flatMap((instance) =>
      instance.tests.map(({ testId }) => ({ testId, spec: instance.spec })),
    );
    return makeGroup(name, tests);
  });
  const [first = makeGroup(group), ...others] = groups;
  return [first, ...others];
}
