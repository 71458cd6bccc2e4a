import { describe, expect, test } from 'vitest';
import { saveIntegration } from '#shared/issues/integrations.ts';
import { FOREVER } from '#shared/model/runs/retention.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import { clock, service } from '#test/harness/service.ts';
import { TRACKERS } from '#test/harness/trackers/all-trackers.ts';
import { JiraStandIn } from '#test/harness/trackers/jira.ts';
import { done, type Stage, stage } from './stage.ts';

const [, startJira] = TRACKERS[0] ?? [];
const jira = (): Promise<Stage> => stage(startJira ?? (() => Promise.reject(new Error('There is no fake Jira'))));

const MINUTE = 60_000;

describe.each(TRACKERS)('%s', (_, start) => {
  test('An issue for a failure contains the error and a link to the test, and is shown with the failure', async () => {
    const at = await stage(start);
    const created = done(await at.create());
    const [issue, ...others] = at.tracker.issues();
    expect(others).toEqual([]);
    expect(issue).toMatchObject({ key: created['key'], state: 'open' });
    expect(issue?.title).toMatch(/^cart › keeps its articles: .*expected 2/);
    expect(issue?.text).toContain('expected 2, received 3');
    expect(issue?.text).toContain(`${at.origin}/${at.organizationId}/${at.projectId}/tests/`);
    expect(created).toMatchObject({
      kind: at.tracker.kind,
      state: 'open',
      createdByRundown: true,
      spec: 'cart.spec.ts',
    });
    expect(await at.shown()).toMatchObject([{ key: created['key'], url: created['url'], state: 'open' }]);
    expect(await at.listed()).toEqual([created]);
  });

  test('A failure gets only one issue, even if the response of the tracker is lost', async () => {
    const at = await stage(start);
    at.tracker.fail('lost');
    const lost = await at.create();
    expect(lost).toMatchObject({ status: 409, body: { code: 'tracker_unavailable' } });
    expect(at.tracker.issues()).toHaveLength(1);
    expect(await at.create()).toMatchObject({ status: 409, body: { code: 'tracker_unavailable' } });
    clock.advance(2 * MINUTE);
    const found = done(await at.create());
    expect(at.tracker.issues().map(({ key }) => key)).toEqual([found['key']]);
  });

  test('If issues are disabled in the project of the tracker, no issue is created, and the error names the tracker', async () => {
    const at = await stage(start);
    at.tracker.areIssuesDisabled = true;
    const { status, body } = await at.create();
    expect([400, 404, 409]).toContain(status);
    expect(body.error).toContain(at.tracker.name);
    expect(at.tracker.issues()).toEqual([]);
  });

  test('An existing issue can be linked by its key or its address, gets a comment about the failure, and can be unlinked', async () => {
    const at = await stage(start);
    const { key } = done(await at.create());
    const [{ issueId }] = await at.listed();
    done(await at.api.send('DELETE', `${at.path}/${issueId}`));
    expect(await at.shown()).toBeUndefined();
    for (const text of [String(key), ...at.tracker.pagesOf(String(key))])
      expect(done(await at.link(text))).toMatchObject({ key, createdByRundown: false });
    const [comment, ...more] = at.tracker.issue(String(key))?.comments ?? [];
    expect(comment).toContain('expected 2, received 3');
    expect(more, 'Linking again adds no comment').toEqual([]);
    done(await at.link(String(key), { comment: 'Please have a look', includeContextInComment: false }));
    expect(at.tracker.issue(String(key))?.comments.at(-1)).toContain('Please have a look');
    expect(await at.shown()).toHaveLength(1);
  });

  test('A Read Only key can list the projects and issue types of a tracker, but cannot create an issue', async () => {
    const at = await stage(start);
    const projects = await at.reader.get(`/integrations/${at.integrationId}/projects?search=shop`);
    expect(projects.body.data.map(({ id }: { readonly id: string }) => id)).toContain(at.tracker.project);
    const types = await at.reader.get(
      `/integrations/${at.integrationId}/issue-types?trackerProjectId=${encodeURIComponent(at.tracker.project)}`,
    );
    expect(types.body.data.map(({ id }: { readonly id: string }) => id)).toContain(at.tracker.typeId);
    expect((await at.create({}, at.reader)).status).toBe(403);
  });
});

describe('With Jira as an example', () => {
  test('A failure has at most one open issue, even after concurrent and repeated requests', async () => {
    const at = await jira();
    const { arrived, release } = at.tracker.hold();
    const first = at.create();
    await arrived;
    expect((await at.create()).status).toBe(409);
    release();
    const created = done(await first);
    expect(done(await at.create())).toEqual(created);
    expect(at.tracker.issues()).toHaveLength(1);
  });

  test('A failure gets a new issue after its issue was closed in the tracker', async () => {
    const at = await jira();
    const first = done(await at.create());
    at.tracker.setState(String(first['key']), 'done');
    clock.advance(2 * MINUTE);
    const second = done(await at.create());
    expect(second['key']).not.toBe(first['key']);
    expect((await at.shown())?.map(({ key, state }) => [key, state])).toEqual([
      [second['key'], 'open'],
      [first['key'], 'done'],
    ]);
  });

  test.each([
    ['unauthorized', 409, 'tracker_refused'],
    ['forbidden', 409, 'tracker_refused'],
    ['limited', 409, 'tracker_unavailable'],
    ['broken', 409, 'tracker_unavailable'],
  ] as const)(
    'If the tracker responds with the error "%s", no issue is created, the response has an error code, and a later request succeeds',
    async (how, status, code) => {
      const at = await jira();
      at.tracker.fail(how);
      const refused = await at.create();
      expect(refused).toMatchObject({ status, body: { code } });
      expect(refused.body.error).toContain(at.tracker.name);
      expect(refused.body.error).not.toContain(at.tracker.token);
      expect(at.tracker.issues()).toEqual([]);
      // A tracker that certainly stored nothing may be asked again immediately.
      clock.advance(how === 'broken' ? 2 * MINUTE : 0);
      done(await at.create());
      expect(at.tracker.issues()).toHaveLength(1);
    },
  );

  test('An issue that does not exist in the tracker cannot be linked', async () => {
    const at = await jira();
    expect(await at.link('SHOP-999')).toMatchObject({ status: 404 });
    expect(await at.listed()).toEqual([]);
  });

  test('Another organization can neither use a connection nor see, create or remove issues', async () => {
    const at = await jira();
    const { issueId } = done(await at.create());
    const stranger = await service();
    for (const path of [
      `/integrations/${at.integrationId}/projects`,
      `/integrations/${at.integrationId}/issue-types?trackerProjectId=SHOP`,
      at.path,
    ])
      expect((await stranger.api.get(path)).status, path).toBe(404);
    expect((await stranger.api.get('/integrations')).body.data).toEqual([]);
    expect((await stranger.api.post(at.path, at.wanted)).status).toBe(404);
    expect((await stranger.api.send('DELETE', `${at.path}/${String(issueId)}`)).status).toBe(404);
    expect(await at.listed()).toHaveLength(1);
  });

  test('A connection that is limited to some projects cannot be used by another project', async () => {
    const at = await jira();
    const other = await createProject(at.services, { ...at.request, name: 'Other', retention: FOREVER });
    await saveIntegration(at.services, {
      ...at.request,
      integrationId: at.integrationId,
      settings: { ...at.settings, token: undefined, projectIds: [other.projectId] },
    });
    expect(await at.create()).toMatchObject({ status: 404, body: { error: 'Integration not found' } });
  });

  test('An issue can be created for a test that is named by its title, and a request that names no test is refused', async () => {
    const at = await jira();
    const { instanceId: _, testId: __, ...rest } = at.wanted;
    const found = await at.api.post(at.path, { ...rest, runId: at.runId, title: ['cart', 'keeps its articles'] });
    expect(found.status).toBe(200);
    expect(await at.api.post(at.path, { ...rest, runId: at.runId })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('one test') },
    });
  });

  test('The audit log names who created, linked and unlinked an issue', async () => {
    const at = await jira();
    const { key, issueId } = done(await at.create());
    done(await at.api.send('DELETE', `${at.path}/${String(issueId)}`));
    done(await at.link(String(key)));
    const { records } = await readAudit(at.services, { ...at.request });
    const own = records.filter(({ action }) => action.startsWith('issue '));
    expect(own.map(({ action, label, actor }) => [action, label, actor]).toSorted()).toEqual([
      ['issue created', key, expect.stringMatching(/^api:/)],
      ['issue linked', key, expect.stringMatching(/^api:/)],
      ['issue unlinked', key, expect.stringMatching(/^api:/)],
    ]);
  });

  test('A field that Jira requires is named in the error, and the issue is created once a value is sent for the field', async () => {
    const at = await jira();
    if (at.tracker instanceof JiraStandIn)
      at.tracker.required.set('customfield_10010', { name: 'Team', type: 'string' });
    const refused = await at.create();
    expect(refused).toMatchObject({ status: 400, body: { code: 'tracker_refused' } });
    expect(refused.body.error).toContain('Team');
    expect(refused.body.error).toContain('customfield_10010');
    done(await at.create({ customFields: [{ fieldId: 'customfield_10010', value: 'Checkout' }] }));
    expect(at.tracker.issues()[0]?.fields).toMatchObject({ customfield_10010: 'Checkout' });
  });

  test('An application with the scope issues:write can create issues, and one without the scope gets the error insufficient_scope', async () => {
    const at = await jira();
    const allowed = await accessToken(at, { scopes: ['issues:write'] });
    done(await at.create({}, allowed.api));
    const { api } = await accessToken(at, { scopes: ['results:read'] });
    expect((await at.create({}, api)).body).toMatchObject({ code: 'insufficient_scope' });
  });
});

describe('Clients that support only Jira', () => {
  test('The four requests of published clients list projects and issue types, create an issue and link it', async () => {
    const at = await jira();
    const { runId, testId, integrationId: jiraInstallationId } = at;
    const query = `jira_installation_id=${jiraInstallationId}&search=shop&page=0&limit=100`;
    const projects = await at.reader.get(`/integrations/jira/projects?${query}`);
    const jiraProjectId = projects.body.data[0].id;
    const types = await at.reader.get(
      `/integrations/jira/projects/${jiraProjectId}/issue-types?jira_installation_id=${jiraInstallationId}`,
    );
    const jiraIssueType = types.body.data[0].id;
    const body = { runId, testId, jiraInstallationId, jiraProjectId, jiraIssueType };
    const { key } = done(await at.api.post(`/projects/${at.projectId}/jira/issues`, body));
    expect(at.tracker.issues().map((issue) => issue.key)).toEqual([key]);
    const linked = await at.api.post(`/projects/${at.projectId}/jira/issues/${String(key)}/link`, {
      ...body,
      comment: 'Seen again',
      includeContextInComment: false,
    });
    expect(done(linked)).toMatchObject({ key });
    expect(at.tracker.issue(String(key))?.comments.at(-1)).toContain('Seen again');
  });
});
