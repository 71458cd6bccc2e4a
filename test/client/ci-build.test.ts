import { expect, test } from 'vitest';
import { readCiBuild } from '#infra/client/settings/ci-build.ts';

test.each([
  [
    'GITHUB_ACTIONS',
    {
      GITHUB_REF_NAME: 'main',
      GITHUB_SHA: 's1',
      GITHUB_REF: 'refs/heads/main',
      GITHUB_REPOSITORY: 'a/b',
      GITHUB_RUN_ID: '1',
      GITHUB_RUN_ATTEMPT: '3',
    },
    { branch: 'main', sha: 's1', ciBuildId: 'a/b-1-3', githubRunId: '1', githubRunAttempt: '3' },
  ],
  [
    'GITLAB',
    {
      CI_COMMIT_REF_NAME: 'refs/merge-requests/7/head',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'cart',
      CI_COMMIT_SHA: 's1',
      CI_MERGE_REQUEST_IID: '7',
      CI_PIPELINE_ID: '9',
    },
    { branch: 'cart', sha: 's1', pullRequest: '7', ciBuildId: '9' },
  ],
  [
    'GITLAB',
    {
      CI_COMMIT_REF_NAME: 'cart',
      CI_COMMIT_SHA: 's1',
      CI_OPEN_MERGE_REQUESTS: 'acme/web/shop!7,acme/fork!8',
      CI_PIPELINE_ID: '9',
    },
    { branch: 'cart', sha: 's1', pullRequest: '7', ciBuildId: '9' },
  ],
  [
    'CIRCLE',
    {
      CIRCLE_BRANCH: 'cart',
      CIRCLE_SHA1: 's1',
      CIRCLE_PULL_REQUEST: 'https://github.com/a/b/pull/7',
      CIRCLE_WORKFLOW_ID: 'w',
    },
    { branch: 'cart', sha: 's1', pullRequest: '7', ciBuildId: 'w' },
  ],
  [
    'JENKINS',
    { GIT_BRANCH: 'origin/cart', GIT_COMMIT: 's1', BUILD_TAG: 't' },
    { branch: 'cart', sha: 's1', ciBuildId: 't' },
  ],
  [
    'BUILDKITE',
    { BUILDKITE_BRANCH: 'cart', BUILDKITE_COMMIT: 's1', BUILDKITE_PULL_REQUEST: 'false', BUILDKITE_BUILD_ID: 'b' },
    { branch: 'cart', sha: 's1', ciBuildId: 'b' },
  ],
  [
    'AZURE_PIPELINES',
    { BUILD_SOURCEBRANCH: 'refs/heads/cart', BUILD_SOURCEVERSION: 's1', BUILD_BUILDID: '5', SYSTEM_JOBATTEMPT: '1' },
    { branch: 'cart', sha: 's1', ciBuildId: '5-1' },
  ],
  [
    'BITBUCKET',
    { BITBUCKET_BRANCH: 'cart', BITBUCKET_COMMIT: 's1', BITBUCKET_PR_ID: '7', BITBUCKET_PIPELINE_UUID: 'u' },
    { branch: 'cart', sha: 's1', pullRequest: '7', ciBuildId: 'u' },
  ],
  [
    'TRAVIS',
    {
      TRAVIS_BRANCH: 'main',
      TRAVIS_PULL_REQUEST_BRANCH: 'cart',
      TRAVIS_COMMIT: 'merge',
      TRAVIS_PULL_REQUEST_SHA: 's1',
      TRAVIS_PULL_REQUEST: '7',
      TRAVIS_BUILD_ID: 'b',
    },
    { branch: 'cart', sha: 's1', pullRequest: '7', ciBuildId: 'b' },
  ],
])(
  '`rundown` reads the branch, commit, pull request and build from the variables of the CI system %s',
  (system, variables, expected) => {
    expect(JSON.parse(JSON.stringify(readCiBuild(variables, system)))).toEqual(expected);
  },
);

test('`rundown` ignores variables such as GITHUB_RUN_ID if it detects no CI system', () => {
  expect(JSON.parse(JSON.stringify(readCiBuild({ GITHUB_RUN_ID: '1' }, null)))).toEqual({});
});
