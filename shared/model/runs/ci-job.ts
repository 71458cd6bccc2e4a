/**
 * The CI build and job of a client, and which try of the job it is, read from the variables of the CI system. This table is the only place that
 * knows them: the service reads the variables that the published reporter sends, and our own clients read their
 * environment with it. Without a number of the try, nothing is a try.
 */

/** Variables of the CI system, with their names in camelCase: `GITHUB_RUN_ID` is `githubRunId`. */
type CiVariables = Readonly<Record<string, string | undefined>>;

export interface CiJob {
  /** The job within its build. Jobs of a matrix may share it. */
  readonly name?: string | undefined;
  /** The number of the try, counted from 1. */
  readonly attempt?: number | undefined;
  /** The id of this try of the job. Where CI systems number no tries, a new id is a new try. */
  readonly id?: string | undefined;
  /** What all tries of the build have in common, if the build id differs for each try. */
  readonly build?: string | undefined;
}

const numberIn = (text: string | undefined): number | undefined => {
  const number = Number(text);
  return text !== undefined && Number.isInteger(number) && number >= 0 && number <= LAST_TRY ? number : undefined;
};

/** A higher number is no try: nobody repeats a job that often. */
export const LAST_TRY = 10_000;

const joined = (...parts: readonly (string | undefined)[]): string | undefined =>
  parts.filter(Boolean).join(' / ') || undefined;

const later = (...all: readonly (string | undefined)[]): number | undefined => {
  const numbers = all.map(numberIn).filter((number) => number !== undefined);
  return numbers.length === 0 ? undefined : Math.max(...numbers);
};

/**
 * For each CI system, by a variable that only this system sets: the job and its try. Jenkins, Travis CI and others start
 * a new build for each repetition, or keep every variable, so they are missing here.
 */
const SYSTEMS: readonly (readonly [string, (ci: CiVariables) => CiJob])[] = [
  [
    // Re-running failed jobs or all jobs raises the attempt. Jobs of a matrix have the same `GITHUB_JOB`.
    'githubRunId',
    (ci) => ({ name: ci['githubJob'], attempt: numberIn(ci['githubRunAttempt']), build: ci['githubRunId'] }),
  ],
  [
    // A retried job keeps its name and its pipeline, and gets a new id.
    'ciJobId',
    (ci) => ({ name: ci['ciJobName'], id: ci['ciJobName'] === undefined ? undefined : ci['ciJobId'] }),
  ],
  [
    'buildkiteStepId',
    (ci) => {
      const retries = numberIn(ci['buildkiteRetryCount']);
      const attempt = retries === undefined ? undefined : retries + 1;
      return { name: joined(ci['buildkiteStepId'], ci['buildkiteParallelJob']), attempt };
    },
  ],
  [
    // A repeated workflow has a new id. All its tries share the workspace of the first one.
    'circleWorkflowId',
    (ci) => ({
      name: joined(ci['circleJob'], ci['circleNodeIndex']),
      id: ci['circleWorkflowWorkspaceId'] === undefined ? undefined : ci['circleWorkflowId'],
      build: ci['circleWorkflowWorkspaceId'],
    }),
  ],
  [
    'buildBuildid',
    (ci) => ({
      name: joined(ci['systemStagename'], ci['systemJobname']),
      attempt: later(ci['systemJobattempt'], ci['systemStageattempt']),
      build: ci['buildBuildid'],
    }),
  ],
  [
    'bitbucketPipelineUuid',
    (ci) => ({
      name: ci['bitbucketParallelStep'],
      attempt: numberIn(ci['bitbucketStepRunNumber']),
      build: ci['bitbucketPipelineUuid'],
    }),
  ],
  [
    'goStageCounter',
    (ci) => ({ name: joined(ci['goStageName'], ci['goJobName']), attempt: numberIn(ci['goStageCounter']) }),
  ],
];

/** Returns the job of the client, or `undefined` if no variable tells it. */
export function ciJobIn(variables: CiVariables): CiJob | undefined {
  const system = SYSTEMS.find(([name]) => variables[name] !== undefined);
  return system?.[1](variables);
}

/**
 * For each CI system, by a variable that only this system sets: the variables that identify a build, and, where they are
 * numbered, its tries.
 */
const BUILD_IDS = {
  githubRunId: ['githubRepository', 'githubRunId', 'githubRunAttempt'],
  ciPipelineId: ['ciPipelineId'],
  circleWorkflowId: ['circleWorkflowId'],
  buildkiteBuildId: ['buildkiteBuildId'],
  buildBuildid: ['buildBuildid', 'systemJobattempt'],
  bitbucketPipelineUuid: ['bitbucketPipelineUuid', 'bitbucketStepRunNumber'],
  travisBuildId: ['travisBuildId'],
  buildTag: ['buildTag'],
} as const;

/**
 * Returns the id of the CI build, which is the same for all its machines, or `undefined` if no variable tells it. Our
 * clients send it; the service uses it for clients that leave the choice to the service.
 */
export function buildIdIn(variables: CiVariables): string | undefined {
  const system = Object.entries(BUILD_IDS).find(([name]) => variables[name]);
  const parts = system?.[1].map((name) => variables[name]);
  return parts?.filter(Boolean).join('-');
}

/** The variables that `ciJobIn` and `buildIdIn` read. */
export const CI_JOB_VARIABLES = [
  'githubRepository',
  'ciPipelineId',
  'buildkiteBuildId',
  'travisBuildId',
  'buildTag',
  'githubRunId',
  'githubRunAttempt',
  'githubJob',
  'ciJobId',
  'ciJobName',
  'buildkiteStepId',
  'buildkiteParallelJob',
  'buildkiteRetryCount',
  'circleJob',
  'circleNodeIndex',
  'circleWorkflowId',
  'circleWorkflowWorkspaceId',
  'buildBuildid',
  'systemJobattempt',
  'systemJobname',
  'systemStageattempt',
  'systemStagename',
  'bitbucketParallelStep',
  'bitbucketPipelineUuid',
  'bitbucketStepRunNumber',
  'goJobName',
  'goStageCounter',
  'goStageName',
] as const;

/** Reads these variables from an environment, where `githubRunId` is `GITHUB_RUN_ID`. */
export const ciVariablesIn = (environment: Readonly<Record<string, string | undefined>>): CiVariables =>
  Object.fromEntries(
    CI_JOB_VARIABLES.flatMap((name) => {
      const value = environment[name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()];
      return value ? [[name, value]] : [];
    }),
  );
