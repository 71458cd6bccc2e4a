import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import type { Answer } from '#test/harness/client.ts';
import { liveGroup, sendStart, startBody } from '#test/harness/live-recording.ts';
import { sessionBody } from '#test/harness/orchestration.ts';
import { token } from '#test/harness/people.ts';
import { recordRun } from '#test/harness/recording.ts';
import { batchInstance, uploadBody } from '#test/harness/recording-batch.ts';
import { passed, runBody, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { fillIn } from '#test/pages/form-of.ts';

type Stage = TestService & Tenant;

const projectsOf = async ({ reader }: Tenant) =>
  (await reader.get('/projects')).body.data.map(({ name }: { name: string }) => name).sort();
const auditOf = async ({ services, organizationId }: Stage) =>
  (await readAudit(services, { organizationId, actor: OPERATOR })).records;

const SETTINGS = {
  name: 'Warehouse',
  defaultBranchName: 'trunk',
  inactivityTimeoutSeconds: 600,
  failFast: true,
  retention: { resultsDays: 90, evidenceDays: 30, filesDays: 7 },
  tags: ['team: logistics', 'critical'],
  gateNewFailures: true,
  gateMissingTests: false,
};

/** Settings that are refused both for a new project and for a change, each with a part of the error message. */
const WRONG: readonly (readonly [object, string])[] = [
  [{ name: '' }, 'The name of a project must be one line of 1 to 128 characters'],
  [{ name: 'x'.repeat(129) }, 'The name of a project must be one line of 1 to 128 characters'],
  [{ name: 'a\nb' }, 'The name of a project must be one line of 1 to 128 characters'],
  [{ name: 7 }, '`name` must be a string'],
  [{ defaultBranchName: ' ' }, 'The name of a branch must be one line of 1 to 250 characters'],
  [{ inactivityTimeoutSeconds: 179 }, 'The inactivity timeout must be 180 to 43200 whole seconds'],
  [{ inactivityTimeoutSeconds: '600' }, '`inactivityTimeoutSeconds` must be a number'],
  [{ failFast: 'yes' }, '`failFast` must be `true` or `false`'],
  [{ retention: 30 }, '`retention` must be an object'],
  [{ retention: { resultsDays: 0 } }, 'The retention of results must be 1 to 3650 whole days'],
  [{ retention: { filesDays: 'forever' } }, '`retention.filesDays` must be a number of days, null or `default`'],
  [
    { retention: { resultsDays: 7, evidenceDays: 7, filesDays: 30 } },
    'The retention of files must not be longer than that of results',
  ],
  [{ tags: 'critical' }, '`tags` must be an array'],
  [{ tags: [''] }, 'A tag of a project must be one line of 1 to 64 characters'],
  [{ tags: ['x'.repeat(65)] }, 'A tag of a project must be one line of 1 to 64 characters'],
  [{ tags: ['a,b'] }, 'The tag "a,b" has a comma'],
  [{ tags: Array.from({ length: 21 }, (_, number) => `tag ${number}`) }, 'at most 20 tags'],
];

describe('POST /projects', () => {
  test('creates a project with the requested settings, adds it to the list of projects, and leaves one audit record', async () => {
    const stage = await service();
    const { status, body } = await stage.api.post('/projects', SETTINGS);
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        status: 'OK',
        data: {
          ...SETTINGS,
          projectId: expect.stringMatching(/^[0-9a-z]{6}$/),
          createdAt: '2026-11-02T10:00:00.000Z',
        },
      },
    });
    const { projectId } = body.data;
    expect((await stage.reader.get(`/projects/${projectId}`)).body).toEqual(body);
    expect(await projectsOf(stage)).toEqual(['Shop', 'Warehouse']);
    expect((await auditOf(stage)).filter(({ subject }) => subject === projectId)).toMatchObject([
      { action: 'project created', actor: 'api:CI', label: 'Warehouse' },
    ]);
  });

  test('needs only a name, and uses the defaults of the service for the other settings', async () => {
    const { api } = await service();
    expect((await api.post('/projects', { name: ' Web ' })).body.data).toMatchObject({
      name: 'Web',
      defaultBranchName: 'main',
      inactivityTimeoutSeconds: 1800,
      failFast: false,
      retention: { resultsDays: 30, evidenceDays: 14, filesDays: 14 },
      tags: [],
    });
  });

  test.each([[{ name: undefined }, '`name` is required'] as const, ...WRONG])(
    'refuses %j, says what to send, and creates nothing',
    async (wrong, advice) => {
      const stage = await service();
      const answer = await stage.api.post('/projects', { ...SETTINGS, ...wrong });
      expect(answer).toMatchObject({ status: 400, body: { status: 'FAILED', error: expect.stringContaining(advice) } });
      expect(await projectsOf(stage)).toEqual(['Shop']);
    },
  );

  test('creates a separate project for each of several concurrent requests', async () => {
    const stage = await service();
    const names = ['Ann', 'Ben', 'Cem', 'Dan', 'Eve'];
    const made = await Promise.all(names.map((name) => stage.api.post('/projects', { name })));
    expect(new Set(made.map(({ body }) => body.data.projectId)).size).toBe(names.length);
    expect(await projectsOf(stage)).toEqual([...names, 'Shop']);
  });

  test('refuses a member who is not an Admin, even if their access token has the scope `projects:write`', async () => {
    const stage = await service();
    const { api } = await accessToken(stage, { role: 'member', scopes: ['projects:write'] });
    expect(await api.post('/projects', { name: 'Web' })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_role' },
    });
    expect(await projectsOf(stage)).toEqual(['Shop']);
  });
});

describe('PUT /projects/{projectId}', () => {
  test('changes all settings at once, and leaves one audit record with the former and new values', async () => {
    const stage = await service();
    const path = `/projects/${stage.projectId}`;
    const { status, body } = await stage.api.put(path, SETTINGS);
    expect({ status, data: body.data }).toMatchObject({ status: 200, data: SETTINGS });
    expect((await stage.reader.get(path)).body).toEqual(body);
    expect((await auditOf(stage)).filter(({ action }) => action === 'project changed')).toMatchObject([
      {
        actor: 'api:CI',
        detail:
          'name: Shop to Warehouse; inactivityTimeoutSeconds: 1800 to 600; failFast: false to true; ' +
          'defaultBranchName: main to trunk; resultsDays: forever to 90; evidenceDays: forever to 30; ' +
          'filesDays: forever to 7; gateNewFailures: false to true; tags: none to team: logistics, critical',
      },
    ]);
  });

  test.each([
    [{ name: 'Store' }],
    [{ defaultBranchName: 'trunk' }],
    [{ inactivityTimeoutSeconds: 180 }],
    [{ failFast: true }],
    [{ tags: ['critical'] }],
  ])('changes only the setting that was sent, as in %j', async (change) => {
    const { api, reader, projectId } = await service();
    const before = (await reader.get(`/projects/${projectId}`)).body.data;
    await api.put(`/projects/${projectId}`, change);
    expect((await reader.get(`/projects/${projectId}`)).body.data).toEqual({ ...before, ...change });
  });

  test('changes only the retention period that was sent, and resets it to the default of the service for `default`', async () => {
    const { api } = await service();
    const { projectId } = (await api.post('/projects', SETTINGS)).body.data;
    const change = async (retention: object) =>
      (await api.put(`/projects/${projectId}`, { retention })).body.data.retention;
    expect(await change({ filesDays: 3 })).toEqual({ ...SETTINGS.retention, filesDays: 3 });
    expect(await change({ evidenceDays: 'default' })).toEqual({ resultsDays: 90, evidenceDays: 14, filesDays: 3 });
    expect(await change({ resultsDays: null })).toEqual({ resultsDays: null, evidenceDays: 14, filesDays: 3 });
  });

  test('replaces all tags, ignores duplicates, and removes all tags for an empty list', async () => {
    const { api, projectId } = await service();
    const change = async (tags: string[]) => (await api.put(`/projects/${projectId}`, { tags })).body.data.tags;
    expect(await change([' web ', 'critical', 'web'])).toEqual(['web', 'critical']);
    expect(await change(['mobile'])).toEqual(['mobile']);
    expect(await change([])).toEqual([]);
  });

  test('changes nothing and leaves no audit record if the request is repeated, or if it sends what is already set', async () => {
    const stage = await service();
    const path = `/projects/${stage.projectId}`;
    const current = (await stage.reader.get(path)).body.data;
    await stage.api.put(path, { name: current.name, tags: [], retention: { filesDays: null } });
    const first = await stage.api.put(path, SETTINGS);
    expect(await stage.api.put(path, SETTINGS)).toMatchObject({ status: 200, body: first.body });
    expect((await auditOf(stage)).filter(({ action }) => action === 'project changed')).toHaveLength(1);
  });

  test('loses none of several concurrent changes to different settings', async () => {
    const { api, reader, projectId } = await service();
    const { retention, ...settings } = SETTINGS;
    const changes = [...Object.entries(settings).map(([name, value]) => ({ [name]: value })), { retention }];
    const answers = await Promise.all(changes.map((change) => api.put(`/projects/${projectId}`, change)));
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    expect((await reader.get(`/projects/${projectId}`)).body.data).toMatchObject(SETTINGS);
  });

  test.each([
    [{}, 'changes nothing. Send at least one of `name`, `defaultBranchName`'] as const,
    [{ colour: 'red' }, 'changes nothing. Send at least one of `name`'] as const,
    ...WRONG,
  ])('refuses %j, says what to send, and changes nothing', async (wrong, advice) => {
    const { api, reader, projectId } = await service();
    const before = await reader.get(`/projects/${projectId}`);
    const good = Object.keys(wrong).some((name) => name in SETTINGS) ? { failFast: true } : {};
    const answer = await api.put(`/projects/${projectId}`, { ...good, ...wrong });
    expect(answer).toMatchObject({ status: 400, body: { status: 'FAILED', error: expect.stringContaining(advice) } });
    expect((await reader.get(`/projects/${projectId}`)).body).toEqual(before.body);
  });

  test('returns 404 for the project of another organization, and leaves it unchanged', async () => {
    const stage = await service();
    const other = await stage.tenant('Neighbour');
    expect(await stage.api.put(`/projects/${other.projectId}`, SETTINGS)).toMatchObject({
      status: 404,
      body: { error: 'Project not found' },
    });
    expect(await projectsOf(other)).toEqual(['Shop']);
  });

  test('refuses a personal token that may only read projects, and names the missing permission', async () => {
    const stage = await service();
    const { api } = await token(stage, { permissions: ['projects:read'] });
    const { status, headers } = await api.put(`/projects/${stage.projectId}`, SETTINGS);
    expect({ status, challenge: headers.get('www-authenticate') }).toEqual({
      status: 403,
      challenge: 'Bearer error="insufficient_scope", scope="projects:write"',
    });
  });
});

describe('DELETE /projects/{projectId}', () => {
  const remove = ({ api, projectId }: Tenant) => api.send('DELETE', `/projects/${projectId}`);
  const restore = ({ api, projectId }: Tenant) => api.put(`/projects/${projectId}/restore`);
  const record = ({ api, projectId }: Tenant, ciBuildId: string) =>
    api.post('@/runs/v1', runBody(projectId, [suiteGroup('retail', ['cart.spec.ts > sums'])], { ciBuildId }));

  test('returns the time at which the data will be removed, keeps the project readable, and leaves one audit record', async () => {
    const stage = await service();
    const run = (await record(stage, 'before')).body.runId;
    const before = (await stage.reader.get(`/projects/${stage.projectId}`)).body.data;
    const { status, body } = await remove(stage);
    const deletesAt = '2026-12-02T10:00:00.000Z';
    expect({ status, data: body.data }).toEqual({ status: 200, data: { ...before, deletesAt } });
    expect((await stage.reader.get(`/projects/${stage.projectId}`)).body).toEqual(body);
    expect((await stage.reader.get('/projects')).body.data).toMatchObject([{ name: 'Shop', deletesAt }]);
    expect((await stage.reader.get(`/runs/${run}`)).status).toBe(200);
    expect((await auditOf(stage)).filter(({ action }) => action === 'project deleted')).toMatchObject([
      { subject: stage.projectId, actor: 'api:CI', label: 'Shop', detail: `its data is removed on ${deletesAt}` },
    ]);
  });

  test('stops new runs of the project with an error that names the time of the removal, and lets a run in progress continue', async () => {
    const stage = await service();
    const { runId } = (await record(stage, 'before')).body;
    await remove(stage);
    expect(await record(stage, 'after')).toMatchObject({
      status: 422,
      body: { code: 'PROJECT_DELETED', error: expect.stringContaining('2026-12-02T10:00:00.000Z') },
    });
    expect((await record(stage, 'before')).body).toMatchObject({ runId });
    await restore(stage);
    expect((await record(stage, 'after')).status).toBe(200);
  });

  test('lets no new machine reopen a run that has ended', async () => {
    const stage = await service();
    await recordRun(stage, { retail: { tests: { 'cart.spec.ts > sums': passed() } } }, { ciBuildId: 'before' });
    const late = runBody(stage.projectId, [suiteGroup('retail', ['cart.spec.ts > nets'])], {
      ciBuildId: 'before',
      machineId: 'late',
    });
    await remove(stage);
    expect(await stage.api.post('@/runs/v1', late)).toMatchObject({ status: 422, body: { code: 'PROJECT_DELETED' } });
    await restore(stage);
    expect((await stage.api.post('@/runs/v1', late)).status).toBe(200);
  });

  test('ends the use of its id in the form of a new API key, which then creates no key', async () => {
    const stage = await service();
    const admin = await signedIn(stage, 'admin');
    const keys = `/${stage.organizationId}/settings/api-keys`;
    await remove(stage);
    const fields = { label: 'For a deleted project', level: 'readWrite', projectId: stage.projectId };
    expect((await fillIn(admin, `${keys}/new`, fields)).status).toBe(404);
    expect((await admin.get(keys)).text).not.toContain(fields.label);
    await restore(stage);
    expect((await fillIn(admin, `${keys}/new`, fields)).status).toBe(200);
  });

  const TEST = 'cart.spec.ts > sums';
  const SUITE = [suiteGroup('retail', [TEST])];
  test.each<[string, (tenant: Tenant) => Promise<Answer>]>([
    ['the Currents reporter', (tenant) => record(tenant, 'new')],
    [
      'an upload',
      (tenant) =>
        tenant.api.post(
          '/runs',
          uploadBody(tenant, SUITE, [batchInstance('retail', 'cart.spec.ts', { [TEST]: passed() })]),
        ),
    ],
    ['a Rundown reporter', (tenant) => sendStart(tenant, startBody([liveGroup('retail', [TEST])]))],
    [
      'an orchestration session',
      ({ api, projectId }) => api.post('@/orchestration-v1', sessionBody(projectId, SUITE, { ciBuildId: 'new' })),
    ],
    [
      'an import',
      ({ api, projectId }) =>
        api.send(
          'POST',
          `/projects/${projectId}/imports`,
          '<testsuite><testcase name="sums" file="a.ts"/></testsuite>',
        ),
    ],
  ])('refuses a new run from %s until the project is restored', async (_, send) => {
    const stage = await service();
    await remove(stage);
    expect(await send(stage)).toMatchObject({ status: 422, body: { code: 'PROJECT_DELETED' } });
    expect((await stage.reader.get(`/projects/${stage.projectId}/runs`)).body.data).toEqual([]);
    await restore(stage);
    expect((await send(stage)).status).toBeLessThan(300);
  });

  test('keeps the time of the removal if the request is repeated, even concurrently, and leaves only one audit record', async () => {
    const stage = await service();
    const answers = await Promise.all([1, 2, 3].map(() => remove(stage)));
    clock.advance(3_600_000);
    answers.push(await remove(stage));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.data.deletesAt}`)).size).toBe(1);
    expect((await auditOf(stage)).filter(({ action }) => action === 'project deleted')).toHaveLength(1);
  });

  test('is undone by PUT /projects/{projectId}/restore, which can be repeated and leaves only one audit record', async () => {
    const stage = await service();
    const before = (await stage.reader.get(`/projects/${stage.projectId}`)).body;
    await remove(stage);
    const answers = await Promise.all([restore(stage), restore(stage)]);
    for (const { status, body } of [...answers, await restore(stage)]) {
      expect({ status, body }).toEqual({ status: 200, body: before });
    }
    expect((await auditOf(stage)).filter(({ action }) => action === 'project restored')).toHaveLength(1);
    clock.advance(40 * 24 * 3_600_000);
    expect(await stage.runSchedule('removeProjects')).toMatchObject({ failed: 0 });
    expect((await stage.reader.get(`/projects/${stage.projectId}`)).body).toEqual(before);
  });

  test('returns 404 for the project of another organization, and deletes nothing', async () => {
    const stage = await service();
    const { projectId, reader } = await stage.tenant('Neighbour');
    const foreign = { ...stage, projectId };
    for (const answer of [await remove(foreign), await restore(foreign)])
      expect(answer).toMatchObject({ status: 404, body: { error: 'Project not found' } });
    expect((await reader.get(`/projects/${projectId}`)).body.data).not.toHaveProperty('deletesAt');
  });
});
