/**
 * The leg of a build: one command of one job, the same in all tries of the build. A job that died before its report finds
 * the reports of others in the try before. If it took one of them for its own, its tests would run in no try.
 */
import { relative } from 'node:path';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { readGitFacts } from './git.ts';
import { isJobWithoutMatrix } from './workflow-file.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * By a variable that only this CI system sets: the variables that differ for any two jobs of a build, and are the same in
 * all tries of a job. GitHub Actions has none, because all jobs of a matrix have the same `GITHUB_JOB`. Neither has
 * CircleCI for a job with parameters, Buildkite for a step with a matrix, nor Bitbucket for a step outside of a group.
 */
const UNIQUE: readonly (readonly [system: string, names: readonly string[]])[] = [
  ['CI_JOB_ID', ['CI_PIPELINE_ID', 'CI_JOB_NAME']],
  // A step with a matrix cannot be parallel.
  ['BUILDKITE_STEP_ID', ['BUILDKITE_BUILD_ID', 'BUILDKITE_STEP_ID', 'BUILDKITE_PARALLEL_JOB']],
  ['BUILD_BUILDID', ['BUILD_BUILDID', 'SYSTEM_STAGENAME', 'SYSTEM_PHASENAME', 'SYSTEM_JOBNAME']],
  ['GO_STAGE_COUNTER', ['GO_PIPELINE_NAME', 'GO_PIPELINE_COUNTER', 'GO_STAGE_NAME', 'GO_JOB_NAME']],
];

/** Whatever tells jobs and steps apart. If one of them differs between the tries, everything runs. */
const TELLING = [
  ...UNIQUE.flatMap(([, names]) => names),
  'RUNDOWN_LEG',
  'GITHUB_RUN_ID',
  'GITHUB_JOB',
  // The step of a job: `__run_2` is its second command.
  'GITHUB_ACTION',
  'SYSTEM_JOBPOSITIONINPHASE',
  'GO_JOB_RUN_INDEX',
  'CIRCLE_WORKFLOW_WORKSPACE_ID',
  'CIRCLE_JOB',
  'CIRCLE_NODE_INDEX',
  'BITBUCKET_PIPELINE_UUID',
  'BITBUCKET_PARALLEL_STEP',
] as const;

const CHARACTERS = 16;

/** `command`: what tells the commands of a job apart. */
export const findLeg = (env: Variables, group: string | undefined, command: readonly string[]): string =>
  computeDigest(CHARACTERS, JSON.stringify([TELLING.map((name) => env[name] ?? null), group ?? null, command]));

/** Why nothing tells the job apart from the others of its build, and what to do. `undefined`: something does. */
export function findLegProblem(env: Variables): string | undefined {
  if (env['RUNDOWN_LEG']) return undefined;
  if (env['GITHUB_RUN_ID'])
    return isJobWithoutMatrix(env)
      ? undefined
      : `GitHub Actions does not tell apart the jobs of a matrix: set ${'RUNDOWN_LEG: $'}{{ toJSON(matrix) }} in the env of this job`;
  const names = UNIQUE.find(([system]) => env[system])?.[1];
  return names?.every((name) => env[name])
    ? undefined
    : 'Nothing tells this job apart from the others of its build: set RUNDOWN_LEG to a value that only this job has, in each try the same';
}

/** With these variables, commands tell what they start which command it belongs to. */
const COMMAND = 'RUNDOWN_COMMAND';

/** The command that started this process, if one of ours did. */
export const findCommand = (env: Variables): string | undefined => env[COMMAND] || undefined;

/** What a command starts gets these variables. A command in a command is another one. */
export function nameCommand(env: Variables, words: readonly string[], group: string | undefined) {
  const folder = relative(readGitFacts().root ?? process.cwd(), process.cwd());
  const name = computeDigest(CHARACTERS, JSON.stringify([findCommand(env) ?? null, folder, words]));
  return { name, variables: { [COMMAND]: name, ...(group === undefined ? {} : { RUNDOWN_GROUP: group }) } };
}
