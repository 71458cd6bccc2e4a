/**
 * Random table items for property tests: organizations, API keys, checkpoints, projects, runs, groups and live
 * counters.
 */
import fc from 'fast-check';
import type { Checkpoint } from '#shared/model/checkpoint.ts';
import type { ApiKey } from '#shared/model/organizations/api-key.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { Run } from '#shared/model/runs/run.ts';
import {
  count,
  expiring,
  expiry,
  hex,
  nullable,
  owner,
  text,
  textOrNull,
  texts,
  time,
  timesByKey,
  withSome,
} from './any-value.ts';

export const organization: fc.Arbitrary<Organization> = fc.record({
  ...owner,
  name: text,
  createdAt: time,
  cursorSecret: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  admins: count,
});

export const apiKey: fc.Arbitrary<ApiKey> = fc.record({
  ...owner,
  hash: hex(64),
  keyId: hex(16),
  label: text,
  level: fc.constantFrom('readOnly', 'readWrite'),
  lastFour: text,
  createdAt: time,
});

export const checkpoint: fc.Arbitrary<Checkpoint> = fc.record({ work: text, position: text, savedAt: time });

const ofProject = { ...owner, projectId: text };
export const listedProject = fc.record({ ...ofProject, createdAt: time });
export const project: fc.Arbitrary<ProjectRecord> = withSome(
  fc.record({
    ...ofProject,
    createdAt: time,
    name: text,
    inactivityTimeoutSeconds: count,
    failFast: fc.boolean(),
    defaultBranchName: text,
  }),
  { webhookCount: count },
);

export const commit = fc
  .tuple(
    nullable('sha', 'branch', 'authorName', 'authorEmail', 'message', 'remoteOrigin', 'defaultBranch'),
    fc.option(
      nullable(
        'headRef',
        'headSha',
        'baseRef',
        'baseSha',
        'issueUrl',
        'htmlUrl',
        'prTitle',
        'senderAvatarUrl',
        'senderHtmlUrl',
      ),
    ),
  )
  .map(([texts, ghaEventData]) => ({ ...texts, ghaEventData }));
export const platform = nullable('osName', 'osVersion', 'browserName', 'browserVersion');
export const framework = fc.record({ type: text, version: textOrNull, clientVersion: textOrNull });

const counters = { overall: count, passes: count, failures: count };
const summary = fc.record({
  groupId: text,
  platform,
  tags: texts,
  environment: textOrNull,
  coverageEnabled: fc.boolean(),
  specCount: count,
  durationMs: fc.option(count),
  instances: fc.record({ ...counters, claimed: count, complete: count }),
  tests: fc.record({ ...counters, tests: count, pending: count, skipped: count, flaky: count, retries: count }),
});

export const ofRun = { ...owner, runId: hex(16) };
export const listedRun = fc.record({ ...ofProject, ...ofRun, ...expiring, createdAt: time });

const aliveRun = fc.record({
  ...ofProject,
  ...ofRun,
  createdAt: time,
  expiry,
  ciBuildId: text,
  tags: texts,
  groupTags: texts,
  environments: texts,
  commit,
  framework,
  status: fc.constantFrom('RUNNING', 'FAILING', 'FAILED', 'PASSED'),
  completionState: fc.constantFrom('IN_PROGRESS', 'COMPLETE', 'CANCELED', 'TIMEOUT'),
  createdBy: hex(16),
  suites: timesByKey,
  groupsStarted: count,
  inactivityTimeoutSeconds: count,
  dueAt: time,
  instancesExpected: count,
  testsExpected: count,
  resets: count,
  version: count,
});
export const run: fc.Arbitrary<Run> = withSome(aliveRun, {
  endedAt: time,
  cancellation: fc.record({ actor: text, canceledAt: time, reason: text }),
  resetAt: time,
  cancelAfterFailures: count,
  github: fc.record({ runId: text, attempt: text }),
  pullRequest: fc.record({ id: text, title: textOrNull }),
  groups: fc.array(summary, { maxLength: 2 }),
});

export const group: fc.Arbitrary<Group> = fc.record({
  ...ofRun,
  groupId: text,
  platform,
  tags: texts,
  environment: textOrNull,
  coverageEnabled: fc.boolean(),
  ...expiring,
});

/** Random rows of live counters, which count the results of spec files while the spec files run. */
export const progress = fc.record({
  organizationId: hex(16),
  runId: hex(16),
  row: hex(2),
  ...expiring,
  files: fc.dictionary(hex(8), hex(14), { maxKeys: 4, noNullPrototype: true }),
});
