/** Reads the branch, commit, pull request and ids of a CI build from the environment variables of the CI system. */

import { readFileSync } from 'node:fs';
import ci from 'ci-info';
import { textIn } from './json.ts';

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export interface BuildFacts {
  readonly branch?: string | undefined;
  readonly sha?: string | undefined;
  readonly pullRequest?: string | undefined;
  readonly ciBuildId?: string | undefined;
  readonly githubRunId?: string | undefined;
  readonly githubRunAttempt?: string | undefined;
}

const build = (...parts: readonly (string | undefined)[]): string | undefined =>
  parts[0] ? parts.filter(Boolean).join('-') : undefined;
const unlessFalse = (value: string | undefined) => (value === 'false' ? undefined : value);

/**
 * Reads the facts of a GitHub Actions build. A build of a pull request runs on a temporary merge commit, so the head
 * commit of the pull request is read from the event file.
 */
function github(env: EnvironmentVariables): BuildFacts {
  const { GITHUB_RUN_ID: id, GITHUB_RUN_ATTEMPT: attempt } = env;
  return {
    branch: env['GITHUB_HEAD_REF'] || env['GITHUB_REF_NAME'],
    sha: headOfEvent(env['GITHUB_EVENT_PATH']) ?? env['GITHUB_SHA'],
    pullRequest: /^refs\/pull\/(\d+)\//.exec(env['GITHUB_REF'] ?? '')?.[1],
    ciBuildId: build(id && `${env['GITHUB_REPOSITORY']}-${id}`, attempt),
    githubRunId: id,
    githubRunAttempt: attempt,
  };
}

function headOfEvent(path: string | undefined): string | undefined {
  try {
    return path ? textIn(JSON.parse(readFileSync(path, 'utf8')).pull_request?.head, 'sha') : undefined;
  } catch {
    return undefined;
  }
}

/** For each CI system, by its name in `ci-info`: the function that reads the facts of a build. */
const SYSTEMS: Readonly<Record<string, (environment: EnvironmentVariables) => BuildFacts>> = {
  GITHUB_ACTIONS: github,
  GITLAB: (env) => ({
    branch: env['CI_MERGE_REQUEST_SOURCE_BRANCH_NAME'] || env['CI_COMMIT_REF_NAME'],
    sha: env['CI_MERGE_REQUEST_SOURCE_BRANCH_SHA'] || env['CI_COMMIT_SHA'],
    // In the pipeline of a branch, GitLab sets only the list of the open merge requests of the branch, such as
    // `acme/shop!7,acme/fork!8`.
    pullRequest: env['CI_MERGE_REQUEST_IID'] || /^[^!,]*!(\d+)/.exec(env['CI_OPEN_MERGE_REQUESTS'] ?? '')?.[1],
    ciBuildId: build(env['CI_PIPELINE_ID']),
  }),
  CIRCLE: (env) => ({
    branch: env['CIRCLE_BRANCH'],
    sha: env['CIRCLE_SHA1'],
    pullRequest: env['CIRCLE_PULL_REQUEST']?.split('/').at(-1),
    ciBuildId: build(env['CIRCLE_WORKFLOW_ID']),
  }),
  JENKINS: (env) => ({
    branch: env['CHANGE_BRANCH'] || env['BRANCH_NAME'] || env['GIT_BRANCH']?.replace(/^origin\//, ''),
    sha: env['GIT_COMMIT'],
    pullRequest: env['CHANGE_ID'],
    ciBuildId: build(env['BUILD_TAG']),
  }),
  BUILDKITE: (env) => ({
    branch: env['BUILDKITE_BRANCH'],
    sha: env['BUILDKITE_COMMIT'],
    pullRequest: unlessFalse(env['BUILDKITE_PULL_REQUEST']),
    ciBuildId: build(env['BUILDKITE_BUILD_ID']),
  }),
  AZURE_PIPELINES: (env) => ({
    branch: (env['SYSTEM_PULLREQUEST_SOURCEBRANCH'] || env['BUILD_SOURCEBRANCH'])?.replace(/^refs\/heads\//, ''),
    sha: env['SYSTEM_PULLREQUEST_SOURCECOMMITID'] || env['BUILD_SOURCEVERSION'],
    pullRequest: env['SYSTEM_PULLREQUEST_PULLREQUESTNUMBER'] || env['SYSTEM_PULLREQUEST_PULLREQUESTID'],
    ciBuildId: build(env['BUILD_BUILDID'], env['SYSTEM_JOBATTEMPT']),
  }),
  BITBUCKET: (env) => ({
    branch: env['BITBUCKET_BRANCH'],
    sha: env['BITBUCKET_COMMIT'],
    pullRequest: env['BITBUCKET_PR_ID'],
    ciBuildId: build(env['BITBUCKET_PIPELINE_UUID'], env['BITBUCKET_STEP_RUN_NUMBER']),
  }),
  TRAVIS: (env) => ({
    branch: env['TRAVIS_PULL_REQUEST_BRANCH'] || env['TRAVIS_BRANCH'],
    sha: env['TRAVIS_PULL_REQUEST_SHA'] || env['TRAVIS_COMMIT'],
    pullRequest: unlessFalse(env['TRAVIS_PULL_REQUEST']),
    ciBuildId: build(env['TRAVIS_BUILD_ID']),
  }),
};

/** `system`: the name of the CI system in `ci-info`, such as `GITLAB`. `ci-info` reads the environment of this process. */
export function ciBuild(environment: EnvironmentVariables, system: string | null = ci.id): BuildFacts {
  return SYSTEMS[system ?? '']?.(environment) ?? {};
}
