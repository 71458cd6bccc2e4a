/**
 * The CI build and job of a client, and which try of the job it is, read from the variables of the CI system. This table
 * is the only place that knows them: the service reads the variables that the published reporter sends, and our own
 * clients read their environment with it. Without a number of the try, nothing is a try.
 */

import { findWebAddress } from '#shared/engine/web-address.ts';

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
  /** The address of the job at the CI system, or of its build. */
  readonly url?: string | undefined;
}

/** A higher number is no try: nobody repeats a job that often. */
export const LAST_TRY = 10_000;

function parseTryNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  return Number.isInteger(number) && number >= 0 && number <= LAST_TRY ? number : undefined;
}

const joinNameParts = (...parts: readonly (string | undefined)[]): string | undefined =>
  parts.filter(Boolean).join(' / ') || undefined;

const parseLatestTry = (...all: readonly (string | undefined)[]): number | undefined => {
  const numbers = all.map(parseTryNumber).filter((number) => number !== undefined);
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
    (ci) => ({ name: ci['githubJob'], attempt: parseTryNumber(ci['githubRunAttempt']), build: ci['githubRunId'] }),
  ],
  [
    // A retried job keeps its name and its pipeline, and gets a new id.
    'ciJobId',
    (ci) => ({ name: ci['ciJobName'], id: ci['ciJobName'] === undefined ? undefined : ci['ciJobId'] }),
  ],
  [
    'buildkiteStepId',
    (ci) => {
      const retries = parseTryNumber(ci['buildkiteRetryCount']);
      const attempt = retries === undefined ? undefined : retries + 1;
      return { name: joinNameParts(ci['buildkiteStepId'], ci['buildkiteParallelJob']), attempt };
    },
  ],
  [
    // A repeated workflow has a new id. All its tries share the workspace of the first one.
    'circleWorkflowId',
    (ci) => ({
      name: joinNameParts(ci['circleJob'], ci['circleNodeIndex']),
      id: ci['circleWorkflowWorkspaceId'] === undefined ? undefined : ci['circleWorkflowId'],
      build: ci['circleWorkflowWorkspaceId'],
    }),
  ],
  [
    'buildBuildid',
    (ci) => ({
      name: joinNameParts(ci['systemStagename'], ci['systemJobname']),
      attempt: parseLatestTry(ci['systemJobattempt'], ci['systemStageattempt']),
      build: ci['buildBuildid'],
    }),
  ],
  [
    'bitbucketPipelineUuid',
    (ci) => ({
      name: ci['bitbucketParallelStep'],
      attempt: parseTryNumber(ci['bitbucketStepRunNumber']),
      build: ci['bitbucketPipelineUuid'],
    }),
  ],
  [
    'goStageCounter',
    (ci) => ({
      name: joinNameParts(ci['goStageName'], ci['goJobName']),
      attempt: parseTryNumber(ci['goStageCounter']),
    }),
  ],
];

/** Returns `undefined` if no variable tells it. */
export function findCiJob(variables: CiVariables): CiJob | undefined {
  const system = SYSTEMS.find(([name]) => variables[name] !== undefined);
  const job = system?.[1](variables);
  const url = findWebAddress(findJobAddress(variables));
  return url === undefined ? job : { ...job, url };
}

/** The address of the job. GitHub has one page for all jobs of an attempt, because no variable has the number of a job. */
function findJobAddress(ci: CiVariables): string | undefined {
  const { githubRunId, githubRepository, githubServerUrl = 'https://github.com', githubRunAttempt = '1' } = ci;
  if (githubRunId !== undefined && githubRepository !== undefined)
    return `${githubServerUrl}/${githubRepository}/actions/runs/${githubRunId}/attempts/${githubRunAttempt}`;
  const { buildkiteBuildUrl, buildkiteJobId } = ci;
  if (buildkiteBuildUrl !== undefined)
    return buildkiteJobId === undefined ? buildkiteBuildUrl : `${buildkiteBuildUrl}#${buildkiteJobId}`;
  const { systemCollectionuri, systemTeamproject, buildBuildid, systemJobid } = ci;
  if (systemCollectionuri !== undefined && systemTeamproject !== undefined && buildBuildid !== undefined) {
    const page = `${systemCollectionuri}${encodeURIComponent(systemTeamproject)}/_build/results?buildId=${buildBuildid}`;
    return systemJobid === undefined ? page : `${page}&view=logs&j=${systemJobid}`;
  }
  const { bitbucketRepoFullName, bitbucketBuildNumber } = ci;
  if (bitbucketRepoFullName !== undefined && bitbucketBuildNumber !== undefined)
    return `https://bitbucket.org/${bitbucketRepoFullName}/pipelines/results/${bitbucketBuildNumber}`;
  // GitLab, CircleCI and Jenkins tell the whole address.
  return ci['ciJobUrl'] ?? ci['circleBuildUrl'] ?? ci['buildUrl'];
}

/** By a variable that only this system sets: those that identify a build, and its tries where they are numbered. */
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

/** The same for all machines. Our clients send it; the service uses it for clients that leave the choice to it. */
export function findBuildId(variables: CiVariables): string | undefined {
  const system = Object.entries(BUILD_IDS).find(([name]) => variables[name]);
  const parts = system?.[1].map((name) => variables[name]);
  return parts?.filter(Boolean).join('-');
}

/** The variables that `findCiJob` and `findBuildId` read. */
export const CI_JOB_VARIABLES = [
  'githubServerUrl',
  'ciJobUrl',
  'circleBuildUrl',
  'buildUrl',
  'buildkiteBuildUrl',
  'buildkiteJobId',
  'systemCollectionuri',
  'systemTeamproject',
  'systemJobid',
  'bitbucketRepoFullName',
  'bitbucketBuildNumber',
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

/** In an environment, `githubRunId` is `GITHUB_RUN_ID`. */
export const readCiVariables = (environment: Readonly<Record<string, string | undefined>>): CiVariables =>
  Object.fromEntries(
    CI_JOB_VARIABLES.flatMap((name) => {
      const value = environment[name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()];
      return value ? [[name, value]] : [];
    }),
  );
