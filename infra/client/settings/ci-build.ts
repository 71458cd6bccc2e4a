/** Reads the branch, commit, pull request and ids of a CI build from the environment variables of the CI system. */

import { readFileSync } from 'node:fs';
import ci from 'ci-info';
import { findBuildId, readCiVariables } from '#shared/model/runs/ci-job.ts';
import { findText } from './json.ts';

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export interface BuildFacts {
  readonly branch?: string | undefined;
  readonly sha?: string | undefined;
  readonly pullRequest?: string | undefined;
  readonly ciBuildId?: string | undefined;
  readonly githubRunId?: string | undefined;
  readonly githubRunAttempt?: string | undefined;
}

const dropFalse = (value: string | undefined) => (value === 'false' ? undefined : value);

/** A build of a pull request runs on a temporary merge commit, so its head commit is read from the event file. */
function readGithubFacts(env: EnvironmentVariables): Omit<BuildFacts, 'ciBuildId'> {
  const { GITHUB_RUN_ID: id, GITHUB_RUN_ATTEMPT: attempt } = env;
  return {
    branch: env['GITHUB_HEAD_REF'] || env['GITHUB_REF_NAME'],
    sha: readEventHead(env['GITHUB_EVENT_PATH']) ?? env['GITHUB_SHA'],
    pullRequest: /^refs\/pull\/(\d+)\//.exec(env['GITHUB_REF'] ?? '')?.[1],
    githubRunId: id,
    githubRunAttempt: attempt,
  };
}

function readEventHead(path: string | undefined): string | undefined {
  try {
    return path ? findText(JSON.parse(readFileSync(path, 'utf8')).pull_request?.head, 'sha') : undefined;
  } catch {
    return undefined;
  }
}

const SYSTEMS: Readonly<Record<string, (environment: EnvironmentVariables) => Omit<BuildFacts, 'ciBuildId'>>> = {
  GITHUB_ACTIONS: readGithubFacts,
  GITLAB: (env) => ({
    branch: env['CI_MERGE_REQUEST_SOURCE_BRANCH_NAME'] || env['CI_COMMIT_REF_NAME'],
    sha: env['CI_MERGE_REQUEST_SOURCE_BRANCH_SHA'] || env['CI_COMMIT_SHA'],
    // In the pipeline of a branch, GitLab sets only the list of the open merge requests of the branch, such as
    // `acme/shop!7,acme/fork!8`.
    pullRequest: env['CI_MERGE_REQUEST_IID'] || /^[^!,]*!(\d+)/.exec(env['CI_OPEN_MERGE_REQUESTS'] ?? '')?.[1],
  }),
  CIRCLE: (env) => ({
    branch: env['CIRCLE_BRANCH'],
    sha: env['CIRCLE_SHA1'],
    pullRequest: env['CIRCLE_PULL_REQUEST']?.split('/').at(-1),
  }),
  JENKINS: (env) => ({
    branch: env['CHANGE_BRANCH'] || env['BRANCH_NAME'] || env['GIT_BRANCH']?.replace(/^origin\//, ''),
    sha: env['GIT_COMMIT'],
    pullRequest: env['CHANGE_ID'],
  }),
  BUILDKITE: (env) => ({
    branch: env['BUILDKITE_BRANCH'],
    sha: env['BUILDKITE_COMMIT'],
    pullRequest: dropFalse(env['BUILDKITE_PULL_REQUEST']),
  }),
  AZURE_PIPELINES: (env) => ({
    branch: (env['SYSTEM_PULLREQUEST_SOURCEBRANCH'] || env['BUILD_SOURCEBRANCH'])?.replace(/^refs\/heads\//, ''),
    sha: env['SYSTEM_PULLREQUEST_SOURCECOMMITID'] || env['BUILD_SOURCEVERSION'],
    pullRequest: env['SYSTEM_PULLREQUEST_PULLREQUESTNUMBER'] || env['SYSTEM_PULLREQUEST_PULLREQUESTID'],
  }),
  BITBUCKET: (env) => ({
    branch: env['BITBUCKET_BRANCH'],
    sha: env['BITBUCKET_COMMIT'],
    pullRequest: env['BITBUCKET_PR_ID'],
  }),
  TRAVIS: (env) => ({
    branch: env['TRAVIS_PULL_REQUEST_BRANCH'] || env['TRAVIS_BRANCH'],
    sha: env['TRAVIS_PULL_REQUEST_SHA'] || env['TRAVIS_COMMIT'],
    pullRequest: dropFalse(env['TRAVIS_PULL_REQUEST']),
  }),
};

/** `system`: the name of the CI system in `ci-info`, such as `GITLAB`. `ci-info` reads the environment of this process. */
export function readCiBuild(environment: EnvironmentVariables, system: string | null = ci.id): BuildFacts {
  const facts = SYSTEMS[system ?? '']?.(environment);
  return facts ? { ...facts, ciBuildId: findBuildId(readCiVariables(environment)) } : {};
}
