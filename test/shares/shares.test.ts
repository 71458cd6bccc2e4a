import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createSecret } from '#shared/access/token.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { deleteOrganization, restoreOrganization } from '#shared/organizations/delete-organization.ts';
import { changeRole, removeMember } from '#shared/organizations/members.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { changeSharing } from '#shared/organizations/sharing-settings.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import { attack } from '#test/harness/attacks.ts';
import { client } from '#test/harness/client.ts';
import { FAILING, failingRun, SPEC } from '#test/harness/failing-run.ts';
import { recordRun } from '#test/harness/recording.ts';
import { failed, passed, testIdOf } from '#test/harness/recording-messages.ts';
import { clock } from '#test/harness/service.ts';
import { cookieOf, signedIn, visitor } from '#test/harness/visitor.ts';

type Stage = Awaited<ReturnType<typeof shop>>;

const TITLE = ['cart', 'keeps its articles'];
const DAY = 24 * 60 * 60 * 1000;

async function shop() {
  const run = await failingRun();
  const sharer = await accessToken(run);
  const testId = testIdOf('retail', FAILING);
  const share = async (more: object = {}, api = sharer.api) =>
    (await api.post('/shares', { instanceId: run.instanceId, testId, ...more })).body.data;
  const open = (secret: string, query = '') => client(run.origin, secret).get(`/shared${query}`);
  return { ...run, testId, sharer, share, open };
}

const secretOf = ({ url }: { readonly url: string }): string => url.split('#')[1] ?? '';
const GONE = {
  status: 'FAILED',
  error: 'This link does not work. It may have expired or been revoked. Ask the sender for a new one',
};

let shared: ReturnType<typeof shop> | undefined;
const sharedShop = () => (shared ??= shop());

describe('A share', () => {
  test('stops working as soon as its project or its organization is deleted, works again when it is restored, and none is created meanwhile', async () => {
    const stage = await shop();
    const { api, services, organizationId, projectId, origin } = stage;
    const secret = secretOf(await stage.share());
    const cookie = cookieOf(await visitor(origin).post('/shared', { secret }));
    const answers = async () => [
      (await stage.open(secret)).status,
      (await visitor(origin, cookie).get('/shared/result')).status,
    ];
    expect(await answers()).toEqual([200, 200]);
    await api.send('DELETE', `/projects/${projectId}`);
    expect((await stage.open(secret)).body).toEqual(GONE);
    expect(await answers()).toEqual([404, 404]);
    const { instanceId, testId, sharer } = stage;
    expect((await sharer.api.post('/shares', { instanceId, testId })).status).toBe(404);
    await api.put(`/projects/${projectId}/restore`);
    expect(await answers()).toEqual([200, 200]);
    await deleteOrganization(services, { organizationId, actor: OPERATOR, atOnce: false });
    expect(await answers()).toEqual([404, 404]);
    await restoreOrganization(services, { organizationId, actor: OPERATOR });
    expect(await answers()).toEqual([200, 200]);
  });

  test('has its secret in the fragment of the link, and shows the failure to whoever sends the secret', async () => {
    const stage = await sharedShop();
    const created = await stage.share();
    expect(created).toMatchObject({ label: TITLE.join(' › '), opens: 0, lastOpenedAt: null, purpose: 'report' });
    expect(created.url).toMatch(new RegExp(`^${stage.origin}/shared#rdn_shr_[0-9A-Za-z]{42}$`));
    expect(created.markdown).toBe(`[\`${TITLE.join(' › ')}\`](<${created.url}>)`);
    const { status, body } = await stage.open(secretOf(created));
    expect({ status, level: body.data.level, title: body.data.test.title }).toEqual({
      status: 200,
      level: 'test',
      title: TITLE,
    });
    expect(body.data.error.message).toContain('expected 2, received 3');
  });

  test('A share also shows the failure as Markdown, without suggesting requests to /context, which need a credential', async () => {
    const stage = await sharedShop();
    const { body: text } = await stage.open(secretOf(await stage.share({ purpose: 'fix' })), '?format=md');
    expect(text).toContain('# Test Failure Context');
    expect(text).toContain('expected 2, received 3');
    expect(text).not.toContain('/context?');
  });

  test('counts how often it was opened, and remembers when it was last opened', async () => {
    const stage = await sharedShop();
    const created = await stage.share();
    await stage.open(secretOf(created));
    await stage.open(secretOf(created));
    const { data } = (await stage.sharer.api.get(`/shares?projectId=${stage.projectId}`)).body;
    const listed = data.find(({ shareId }: { readonly shareId: string }) => shareId === created.shareId);
    expect(listed).toMatchObject({ opens: 2, lastOpenedAt: expect.any(String) });
    expect(JSON.stringify(data)).not.toContain(secretOf(created));
  });

  test('lists the failed tests if it was created for a run or a spec file', async () => {
    const stage = await sharedShop();
    const ofRun = await stage.open(
      secretOf(await stage.share({ instanceId: undefined, testId: undefined, runId: stage.runId })),
    );
    expect(ofRun.body.data).toMatchObject({ level: 'run', runId: stage.runId, total: 1 });
    // Only the first sentence of the answer: the others tell of people, commits and other runs.
    expect(ofRun.body.data.answer).toMatch(/^1 failure: [^.]+\.$/);
    const ofSpec = await stage.open(secretOf(await stage.share({ testId: undefined })));
    expect(ofSpec.body.data).toMatchObject({ level: 'instance', spec: SPEC, total: 1 });
    expect(ofSpec.body.data.answer).toBe(ofRun.body.data.answer);
  });

  test('The page of a share of a test and of a spec file begins with the cause, and names no person, commit or other run in it', async () => {
    const stage = await sharedShop();
    for (const of of [{}, { testId: undefined }]) {
      const secret = secretOf(await stage.share(of));
      const cookie = cookieOf(await visitor(stage.origin).post('/shared', { secret }));
      const { html } = await visitor(stage.origin, cookie).get('/shared/result');
      const [, answer = ''] = /<p class="answer">(.*?)<\/p>/s.exec(html) ?? [];
      const text = answer.replaceAll(/<[^>]*>/g, '').trim();
      expect(text).toMatch(/^1 failure: [^.]+\.(?: (?:Both|All \d+) attempts failed\.)?$/);
      expect(answer).not.toContain('href');
    }
  });

  test('The page of a share says who sent it until when, and the project and the time of its run, and names a run by its commit', async () => {
    const stage = await sharedShop();
    for (const [of, title] of [
      [{}, ''],
      [{ runId: stage.runId, instanceId: undefined, testId: undefined }, 'Let traders see net prices'],
    ] as const) {
      const created = await stage.share(of);
      const cookie = cookieOf(await visitor(stage.origin).post('/shared', { secret: secretOf(created) }));
      const { text, html } = await visitor(stage.origin, cookie).get('/shared/result');
      expect(text).toMatch(/Shared by .+? until .+?Shop.*?Run of /);
      expect(html).toContain(`datetime="${created.expiresAt}"`);
      if (title !== '') expect(html).toContain(title);
    }
  });

  test('can also be created under /share, the path that published clients call', async () => {
    const stage = await sharedShop();
    const { status, body } = await stage.sharer.api.post('/share', {
      runId: stage.runId,
      purpose: 'fix',
      expiresInDays: 7,
    });
    expect({ status, purpose: body.data.purpose }).toEqual({ status: 201, purpose: 'fix' });
  });

  test('A share with a lifetime of 1 day expires at exactly the time that it states, and a lifetime of 2 days is refused', async () => {
    const stage = await sharedShop();
    const created = await stage.share({ expiresInDays: 1 });
    const ends = Date.parse(created.expiresAt);
    expect(ends - Date.parse(created.createdAt)).toBeLessThanOrEqual(DAY);
    expect((await stage.sharer.api.post('/shares', { runId: stage.runId, expiresInDays: 2 })).status).toBe(400);
    const now = Date.now();
    clock.set(ends - 1);
    expect((await stage.open(secretOf(created))).status).toBe(200);
    clock.set(ends);
    expect((await stage.open(secretOf(created))).body).toEqual(GONE);
    clock.set(now);
  });

  test('shows no email address, and does not say since when the test has been failing, because that would reveal other runs', async () => {
    const stage = await sharedShop();
    const { body } = await stage.open(secretOf(await stage.share()));
    expect(body.data.failingSince).toBeUndefined();
    expect(JSON.stringify(body)).not.toMatch(/@example\.com/);
  });

  test('is recorded in the audit log when it is created and when it is revoked, without its secret', async () => {
    const stage = await sharedShop();
    const created = await stage.share();
    await stage.sharer.api.send('DELETE', `/shares/${created.shareId}`);
    const { records } = await readAudit(stage.services, {
      organizationId: stage.organizationId,
      actor: OPERATOR,
      limit: 50,
    });
    const own = records
      .filter(({ subject }) => subject === created.shareId)
      .map(({ action, label }) => `${action} ${label}`);
    expect(new Set(own)).toEqual(new Set([`share created ${TITLE.join(' › ')}`, `share revoked ${TITLE.join(' › ')}`]));
    expect(JSON.stringify(records)).not.toContain(secretOf(created));
  });
});

describe('§7 A request that names its target by build, path or title', () => {
  test('A request to create a share can name a run by its CI build id, and a spec file by its path', async () => {
    const { sharer, runId, instanceId } = await sharedShop();
    const byBuild = await sharer.api.post('/shares', { ciBuildId: 'build-1' });
    expect(byBuild.body.data).toMatchObject({ runId, instanceId: null, label: 'build-1' });
    const bySpec = await sharer.api.post('/shares', { ciBuildId: 'build-1', spec: SPEC });
    expect(bySpec.body.data).toMatchObject({ runId, instanceId, label: SPEC });
  });

  test('A request to create a share can name a failed test by its title alone, but a passed test only by its title and spec file', async () => {
    const { sharer, runId, testId } = await sharedShop();
    const create = (more: object) => sharer.api.post('/shares', { runId, ...more });
    expect((await create({ title: TITLE })).body.data).toMatchObject({ testId, label: TITLE.join(' › ') });
    const other = await recordRun(
      await sharedShop(),
      { retail: { tests: { 'green.spec.ts > is green': passed() } } },
      { ciBuildId: 'green' },
    );
    const green = { runId: other.runId, title: ['is green'] };
    expect((await create(green)).status).toBe(404);
    expect((await create({ ...green, spec: 'green.spec.ts' })).body.data).toMatchObject({ label: 'is green' });
  });

  test('A request to create a share is refused with a list of candidates if several spec files or tests match, and succeeds with the instance id of a candidate', async () => {
    const stage = await shop();
    const groups = { retail: { tests: { [FAILING]: failed() } }, wholesale: { tests: { [FAILING]: failed() } } };
    const { runId } = await recordRun(stage, groups, { ciBuildId: 'two-groups' });
    const bySpec = await stage.sharer.api.post('/shares', { runId, spec: SPEC });
    expect({ status: bySpec.status, code: bySpec.body.code }).toEqual({ status: 400, code: 'ambiguous_target' });
    expect(bySpec.body.candidates.map(({ groupId }: { readonly groupId: string }) => groupId).sort()).toEqual([
      'retail',
      'wholesale',
    ]);
    const [{ instanceId }] = bySpec.body.candidates;
    expect((await stage.sharer.api.post('/shares', { instanceId })).status).toBe(201);
    const byTitle = await stage.sharer.api.post('/shares', { runId, title: TITLE });
    expect(byTitle.body.candidates[0]).toEqual({
      runId,
      ciBuildId: 'two-groups',
      instanceId: expect.any(String),
      groupId: expect.any(String),
      spec: SPEC,
      machineId: expect.any(String),
      testId: expect.any(String),
      title: TITLE,
    });
  });
});

describe('An object outside a share', () => {
  test('A request for a test or spec file outside a share gets the same answer as a request for an unknown share', async () => {
    const stage = await shop();
    const other = await recordRun(stage, { retail: { tests: { [FAILING]: failed() } } }, { ciBuildId: 'other' });
    const otherInstance = other.instances[`retail ${SPEC}`] ?? '';
    const ofTest = secretOf(await stage.share());
    const ofSpec = secretOf(await stage.share({ testId: undefined }));
    const ofRun = secretOf(await stage.share({ instanceId: undefined, testId: undefined, runId: stage.runId }));
    const outside: readonly (readonly [secret: string, query: string])[] = [
      [ofTest, '?test_id=other'],
      [ofTest, `?instance_id=${otherInstance}`],
      [ofSpec, `?instance_id=${otherInstance}`],
      [ofSpec, `?instance_id=${stage.instanceId.slice(0, 16)}${'0'.repeat(16)}`],
      [ofRun, `?instance_id=${otherInstance}`],
      [ofRun, `?instance_id=${otherInstance}&test_id=${encodeURIComponent(stage.testId)}`],
      [ofRun, '?test_id=other'],
    ];
    attack('shares', outside.length);
    for (const [secret, query] of outside) expect((await stage.open(secret, query)).body, query).toEqual(GONE);
    expect((await stage.open(ofRun, `?instance_id=${stage.instanceId}`)).status).toBe(200);
  });
});

/** Events that end a share, each with a function that causes it. */
const ENDINGS: Readonly<Record<string, (stage: Stage, shareId: string) => Promise<unknown>>> = {
  'its creator revokes it': ({ sharer }, shareId) => sharer.api.send('DELETE', `/shares/${shareId}`),
  'its run is deleted': ({ api, runId }) => api.send('DELETE', `/runs/${runId}`),
  'its creator leaves the organization': async (stage) => {
    // Adds a second Admin, because the last Admin of an organization cannot be removed.
    await accessToken(stage);
    const { services, organizationId, sharer } = stage;
    await removeMember(services, { organizationId, accountId: sharer.accountId, actor: OPERATOR });
  },
  'its creator becomes a Guest': async (stage) => {
    await accessToken(stage);
    const { services, organizationId, sharer } = stage;
    await changeRole(services, { organizationId, accountId: sharer.accountId, role: 'guest', actor: OPERATOR });
  },
  'the organization is deactivated': ({ services, organizationId }) =>
    deactivateOrganization(services, { organizationId, actor: OPERATOR }),
  'the organization forbids shares': ({ services, organizationId }) =>
    changeSharing(services, { organizationId, actor: OPERATOR, settings: { shareDays: 0, aiMayRead: true } }),
};

describe('The end of a share', () => {
  test.each(Object.entries(ENDINGS))('A share ends immediately when %s', async (_, end) => {
    const stage = await shop();
    const created = await stage.share();
    expect((await stage.open(secretOf(created))).status).toBe(200);
    await end(stage, created.shareId);
    attack('shares');
    const { status, body } = await stage.open(secretOf(created));
    expect({ status, body }).toEqual({ status: 404, body: GONE });
  });
});

describe('Secrets that were never created', () => {
  test('give no access, and get the same answer whether or not their checksum is correct', async () => {
    const { open } = await shop();
    const guesses = [
      ...Array.from({ length: 50 }, () => createSecret('rdn_shr')),
      `rdn_shr_${'0'.repeat(42)}`,
      'rdn_shr_',
      'x',
    ];
    const answers = await Promise.all(guesses.map((guess) => open(guess)));
    attack('shares', guesses.length);
    for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 404, body: GONE });
  });
});

describe('A setting of the organization', () => {
  test('limits the lifetime of shares, including those that already exist', async () => {
    const { services, organizationId, share, sharer, runId, open } = await shop();
    const created = await share({ expiresInDays: 7 });
    await changeSharing(services, { organizationId, actor: OPERATOR, settings: { shareDays: 1, aiMayRead: true } });
    const refused = await sharer.api.post('/shares', { runId, expiresInDays: 3 });
    expect([refused.status, refused.body.error]).toEqual([
      400,
      'Your organization allows shares to be valid for at most 1 day. Choose a shorter time',
    ]);
    expect((await open(secretOf(created))).status).toBe(200);
    const now = Date.now();
    clock.set(Date.parse(created.createdAt) + DAY);
    expect((await open(secretOf(created))).status).toBe(404);
    clock.set(now);
  });

  test('can withhold failures from AI tools: Markdown and shares for agents are refused, but JSON is not', async () => {
    const stage = await shop();
    const { services, organizationId, projectId, share, sharer, open, context, runId, reader } = stage;
    const created = await share();
    await changeSharing(services, { organizationId, actor: OPERATOR, settings: { shareDays: 7, aiMayRead: false } });
    const refusal = { status: 403, code: 'AI_CONSENT_REQUIRED' };
    const codeOf = ({ status, body }: { readonly status: number; readonly body: { readonly code?: string } }) => ({
      status,
      code: body.code,
    });
    expect(codeOf(await open(secretOf(created), '?format=md'))).toEqual(refusal);
    expect(codeOf(await context(`run_id=${runId}&format=md`))).toEqual(refusal);
    expect(codeOf(await sharer.api.post('/shares', { runId, purpose: 'fix' }))).toEqual(refusal);
    expect((await open(secretOf(created))).status).toBe(200);
    expect((await context(`run_id=${runId}`)).status).toBe(200);
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const mcp = await reader.post('@/mcp', call, { headers });
    expect([mcp.status, mcp.body.error.data]).toEqual([403, { code: 'AI_CONSENT_REQUIRED' }]);
    const admin = await signedIn(stage, 'admin');
    const page = `/${organizationId}/${projectId}/runs/${runId}`;
    expect((await admin.get(`${page}/context.md`)).status).toBe(403);
    expect((await admin.get(page)).text).not.toContain('Markdown');
    expect((await admin.get(`/${organizationId}/connect-agent`)).text).toContain(
      'does not let AI tools read its failures',
    );
  });
});

describe('Revoking', () => {
  test('An Admin can revoke a share that somebody else created, but a Member cannot, and the id of a revoked share or of a share of another organization returns 404', async () => {
    const stage = await shop();
    const { shareId } = await stage.share();
    const member = await accessToken(stage, { role: 'member' });
    expect((await member.api.send('DELETE', `/shares/${shareId}`)).status).toBe(403);
    const other = await shop();
    expect((await other.sharer.api.send('DELETE', `/shares/${shareId}`)).status).toBe(404);
    const admin = await accessToken(stage);
    expect((await admin.api.send('DELETE', `/shares/${shareId}`)).status).toBe(200);
    expect((await stage.sharer.api.send('DELETE', `/shares/${shareId}`)).status).toBe(404);
  });
});
