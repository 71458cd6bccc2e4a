import { describe, expect, test } from 'vitest';
import { startRun } from '#test/harness/recording.ts';
import { runBody } from '#test/harness/recording-messages.ts';
import { service, type Tenant } from '#test/harness/service.ts';
import { SUITE } from '#test/recording/operations.ts';

const RULE = {
  name: 'Skip',
  action: [{ op: 'skip' }],
  matcher: { op: 'AND', cond: [{ type: 'tag', op: 'eq', value: 'slow' }] },
};

const inProject = (path: string) => (tenant: Tenant) => `${path}?projectId=${tenant.projectId}`;
const TARGET = { runId: 'r', testId: 't', jiraInstallationId: 'i', jiraProjectId: '1', jiraIssueType: '2' };

/** The unknown members of a body, where they stand, and what is known there. */
const MISSPELLED: readonly [string, (tenant: Tenant) => string, object, string][] = [
  [
    'an unknown member beside known ones',
    inProject('/webhooks'),
    { url: 'https://receiver.invalid', events: ['RUN_FINISH'] },
    'The request body has the unknown member `events`. Known members: `url`, `headers`, `hookEvents`, `label`, `signed`',
  ],
  [
    'several unknown members',
    () => '/projects',
    { name: 'Shop', failfast: true, Tags: [] },
    'The request body has the unknown members `failfast`, `Tags`. Known members: `name`, ',
  ],
  [
    'a member of a nested object',
    () => '/projects',
    { name: 'Shop', retention: { resultDays: 7 } },
    '`retention` has the unknown member `resultDays`. Known members: `resultsDays`, `evidenceDays`, `filesDays`',
  ],
  [
    'a member of an element of a list',
    inProject('/actions'),
    { ...RULE, action: [{ op: 'quarantine' }, { op: 'skip', details: { tags: ['a'] } }] },
    '`action[1]` has the unknown member `details`. Known members: `op`',
  ],
  [
    'a member of one of several alternatives',
    inProject('/actions'),
    {
      ...RULE,
      matcher: {
        op: 'AND',
        cond: [{ type: 'title', op: 'eq', value: [{ type: 'RegexPattern', pattern: 'a', flags: 'i' }] }],
      },
    },
    '`matcher.cond[0].value[0]` has the unknown member `flags`. Known members: `type`, `pattern`',
  ],
  [
    'a long name, half of a character at its cut and all',
    () => '/projects',
    { name: 'Shop', [`${'x'.repeat(63)}😀`]: 1 },
    `unknown member \`${'x'.repeat(63)}\ufffd\``,
  ],
];

describe('Unknown members of a body', () => {
  test.each(MISSPELLED)('A body with %s is refused, and the error lists the known ones', async (_, at, body, text) => {
    const tenant = await service();
    const { status, body: answer } = await tenant.api.post(at(tenant), body);
    expect({ status, answer }).toEqual({
      status: 400,
      answer: { status: 'FAILED', error: expect.stringContaining(text) },
    });
    expect((await tenant.api.get(inProject('/webhooks')(tenant))).body.data).toEqual([]);
    expect((await tenant.api.get('/projects')).body.data).toHaveLength(1);
  });

  test('A body of a reporter may have members that the service does not know, so that newer reporters record', async () => {
    const { api, projectId } = await service();
    const { status } = await api.post('@/runs/v1', { ...runBody(projectId, SUITE), newIn2030: true });
    expect(status).toBe(200);
  });

  /** As `@currents/mcp` 2.1.1 to 2.4.2, `@currents/cmd` 1.10.0 and the action that cancels runs send them. */
  const SENT: readonly [string, 'post' | 'put', (tenant: Tenant & { readonly runId: string }) => string, object][] = [
    ['create-action', 'post', inProject('/actions'), { ...RULE, description: null, expiresAfter: null }],
    [
      'create-action with tags',
      'post',
      inProject('/actions'),
      {
        ...RULE,
        action: [{ op: 'tag', details: { tags: ['a'] } }, { op: 'quarantine' }],
        matcher: {
          op: 'OR',
          cond: [
            { type: 'file', op: 'any', value: null },
            { type: 'testId', op: 'empty' },
          ],
        },
      },
    ],
    ['update-action', 'put', () => '/actions/a', { ...RULE, description: 'why', expiresAfter: '2030-01-01T00:00:00Z' }],
    [
      'create-webhook',
      'post',
      inProject('/webhooks'),
      { url: 'https://receiver.invalid', headers: '{"X-A":"b"}', hookEvents: ['RUN_FINISH'], label: 'Chat' },
    ],
    [
      'update-webhook',
      'put',
      () => '/webhooks/h',
      { url: 'https://receiver.invalid', headers: null, hookEvents: ['RUN_START', 'RUN_TIMEOUT'], label: null },
    ],
    [
      'cancel-run-github-ci',
      'put',
      () => '/runs/cancel-ci/github',
      { githubRunId: '7', githubRunAttempt: 1, projectId: 'p', ciBuildId: 'b' },
    ],
    ['the cancel action', 'put', () => '/runs/cancel-ci/github', { githubRunId: '7', githubRunAttempt: '1' }],
    ['reset-run', 'put', ({ runId }) => `/runs/${runId}/reset`, { machineId: ['m'], isBatchedOr8n: false }],
    [
      'get-tests-signature',
      'post',
      () => '/signature/test',
      { projectId: 'p', specFilePath: 'cart.spec.ts', testTitle: 'cart > sums' },
    ],
    [
      'create-jira-issue',
      'post',
      ({ projectId }) => `/projects/${projectId}/jira/issues`,
      { ...TARGET, customFields: [{ fieldId: 'customfield_1', value: 'x' }] },
    ],
    [
      'link-jira-issue',
      'post',
      ({ projectId }) => `/projects/${projectId}/jira/issues/SHOP-1/link`,
      { ...TARGET, comment: 'seen again', includeContextInComment: false },
    ],
    [
      'currents cancel',
      'post',
      () => '/runs/cancel',
      { projectId: 'p', ciBuildId: 'b', recordKey: 'ignored beside the header' },
    ],
  ];

  test.each(SENT)('The body that published clients send for %s is understood', async (_, method, at, body) => {
    const tenant = await service();
    const { runId } = await startRun(tenant, SUITE);
    const answer = await tenant.api[method](at({ ...tenant, runId }), body);
    // What the body names does not exist, but nothing in it is unknown.
    expect([200, 201, 404], JSON.stringify(answer.body)).toContain(answer.status);
  });
});
