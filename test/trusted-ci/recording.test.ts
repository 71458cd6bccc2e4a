/** What a job records with its credential: its own build, with what its token proves. */
import { describe, expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import { deriveInstanceId } from '#shared/model/ids.ts';
import { authorized, goodRequest, sharedWorld } from '#test/engine/http/sample-requests.ts';
import { send } from '#test/engine/http/wire.ts';
import { attack } from '#test/harness/attacks.ts';
import { githubClaims, gitlabClaims } from '#test/harness/ci-claims.ts';
import { ciIssuer } from '#test/harness/ci-issuer.ts';
import { type Client, client } from '#test/harness/client.ts';
import {
  dataOf,
  liveGroup,
  liveInstances,
  sendBatch,
  sendEnd,
  sendStart,
  startBody,
} from '#test/harness/live-recording.ts';
import { firstMessage, idempotencyKey } from '#test/harness/recording.ts';
import { COMMIT, failed, passed } from '#test/harness/recording-messages.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { junit } from '#test/imports/reports.ts';
import { exchange, shop, signingKey } from './stage.ts';
import { trust } from './trust.ts';

const TEST = 'cart.spec.ts > cart > is open';
const LIES = {
  commit: { ...COMMIT, branch: 'lie', sha: 'f'.repeat(40), remoteOrigin: 'https://github.com/mallory/shop' },
  job: { name: 'unit', attempt: 3, build: '1' },
  github: { runId: '1', attempt: '3' },
};
const SHA = 'd9b1a1c2e3f4051627384950a1b2c3d4e5f60718';

const start = (api: Client, projectId: string, more: object = {}) =>
  sendStart({ api, projectId }, startBody([liveGroup('web', [TEST])], { ciBuildId: null, ...LIES, ...more }));

async function record(api: Client, projectId: string, more: object = {}): Promise<string> {
  const { runId } = await dataOf(start(api, projectId, more));
  const of = { machineId: 'm1', ...more };
  await dataOf(
    sendBatch({ api }, runId, { ...of, sequence: 0, instances: liveInstances('web', { [TEST]: passed() }) }),
  );
  await dataOf(sendEnd({ api }, runId, { ...of, batches: 1 }));
  return runId;
}

const codeOf = async (answer: Promise<{ readonly status: number }>) => (await answer).status;

describe('A build that a trusted job records', () => {
  test('has the branch, commit, repository and try of the token, whatever the client says, and shows its origin', async () => {
    const { api, projectId, ...here } = await shop();
    const job = await here.job({ run_attempt: '2' });
    const run = (await api.get(`/runs/${await record(job, projectId)}`)).body.data;
    expect(run.meta).toMatchObject({
      ciBuildId: 'acme/shop-9001-2',
      commit: { branch: 'main', sha: SHA, remoteOrigin: 'https://github.com/acme/shop' },
    });
    expect(run.origin).toMatchObject({
      repository: 'acme/shop',
      repositoryId: '4711',
      event: 'push',
      ref: 'refs/heads/main',
      sha: SHA,
      person: 'kim',
      workflow: 'acme/shop/.github/workflows/ci.yml@refs/heads/main',
    });
    expect(run.origin).not.toHaveProperty('trustId');
    const admin = await signedIn({ ...here, api, projectId }, 'admin');
    const { text } = await admin.get(`/${here.organizationId}/${projectId}/runs/${run.runId}`);
    expect(text).toContain('Origin proven: acme/shop, push by kim');
    const found = await api.get(`/runs/find?projectId=${projectId}&ciBuildId=acme/shop-9001-2`);
    expect(found.body.data.runId).toBe(run.runId);
  });

  test('A build of a pull request has the number in the token, and the head that the client names, because the token names a temporary merge commit', async () => {
    const { api, projectId, ...here } = await shop();
    const pull = { event_name: 'pull_request', ref: 'refs/pull/5/merge', head_ref: 'feature', base_ref: 'main' };
    const runId = await record(await here.job(pull), projectId, { pullRequest: { id: '9', title: 'A title' } });
    const { meta, origin } = (await api.get(`/runs/${runId}`)).body.data;
    expect(meta).toMatchObject({
      pr: { id: '5', title: 'A title' },
      commit: { branch: 'feature', sha: 'f'.repeat(40) },
    });
    expect(origin).toMatchObject({ sha: SHA, provesCommit: false });
  });

  test('A build that another workflow started proves the repository only, because its token names the default branch', async () => {
    const { api, projectId, ...here } = await shop();
    const runId = await record(await here.job({ event_name: 'workflow_run' }), projectId);
    const { meta, origin } = (await api.get(`/runs/${runId}`)).body.data;
    expect(meta.commit).toMatchObject({ branch: 'lie', remoteOrigin: 'https://github.com/acme/shop' });
    expect(origin).toMatchObject({ event: 'workflow_run', provesCommit: false });
  });

  test('in GitLab CI is that of the pipeline', async () => {
    const { api, projectId, ...here } = await shop({ provider: 'gitlab', repository: 'acme/web/shop' });
    const names = { issuer: here.ci.issuer, audience: here.origin };
    const merge = { ref: 'feature', ref_path: 'refs/merge-requests/7/head', pipeline_source: 'merge_request_event' };
    const { body } = await exchange({ ...here, projectId }, await here.ci.sign(gitlabClaims(names, merge)));
    const runId = await record(client(here.origin, body.data.credential), projectId);
    expect((await api.get(`/runs/${runId}`)).body.data.meta).toMatchObject({
      ciBuildId: '555',
      pr: { id: '7' },
      commit: { branch: 'feature', sha: SHA, remoteOrigin: `${here.ci.issuer}/acme/web/shop` },
    });
  });

  test('can be imported from a report, and its import can be read', async () => {
    const { api, projectId, ...here } = await shop();
    const job = await here.job();
    const file = new TextEncoder().encode(junit({ 'a.test.ts': { sums: 'passed' } }));
    const lies = 'branch=lie&sha=1234567&repository=x&jobAttempt=4&jobBuild=1';
    const received = await dataOf(job.send('POST', `/projects/${projectId}/imports?${lies}`, file));
    expect(await codeOf(job.get(`/imports/${received.importId}`))).toBe(200);
    const { meta, origin } = (await api.get(`/runs/${received.runId}`)).body.data;
    expect(meta).toMatchObject({ ciBuildId: 'acme/shop-9001-1', commit: { branch: 'main', sha: SHA } });
    expect(origin.repository).toBe('acme/shop');
    const context = await dataOf(job.get(`/context?run_id=${received.runId}`));
    expect(context.git).toMatchObject({ sha: SHA, proof: 'commit' });
    expect(await codeOf(job.get(`/runs/${received.runId}/comparison`))).toBe(200);
  });
});

const instanceOf = (runId: string): string => deriveInstanceId({ runId, groupId: 'web', spec: 'cart.spec.ts' });

const ofMachine = (runId: string) => ({
  ...firstMessage({ runId, groupId: 'web', spec: 'cart.spec.ts', instanceId: instanceOf(runId) }, TEST, failed()),
  machineId: 'm1',
});

describe('A build with results from somewhere else', () => {
  test.each<readonly [string, (api: Client, runId: string, projectId: string) => Promise<unknown>]>([
    [
      'another machine joins with an API key',
      (api, _, projectId) => record(api, projectId, { ciBuildId: BUILD, machineId: 'm2', job: null, github: null }),
    ],
    [
      'a batch of the same machine comes with an API key',
      (api, runId) =>
        sendBatch({ api }, runId, {
          machineId: 'm1',
          sequence: 1,
          instances: liveInstances('web', { [TEST]: passed() }),
        }),
    ],
    [
      'a report is imported with an API key',
      (api, _, projectId) =>
        api.send(
          'POST',
          `/projects/${projectId}/imports?ciBuildId=${BUILD}`,
          new TextEncoder().encode(junit({ 'b.test.ts': { sums: 'passed' } })),
        ),
    ],
    [
      'the published reporter claims a spec file',
      (api, runId) =>
        api.post(`@/runs/${runId}/pw/instances/v1`, { runId, groupId: 'web', spec: 'cart.spec.ts', machineId: 'm3' }),
    ],
    [
      'the published reporter reports a test of a spec file that the job recorded, as its machine',
      (api, runId) => api.post('@/test-record', ofMachine(runId), idempotencyKey()),
    ],
    [
      'the published reporter replaces the result of a test',
      async (api, runId) => {
        const { body } = await api.post('@/test-record', ofMachine(runId), idempotencyKey());
        return api.put(`@/test-record/${body.recordId}`, { _t: 1, ...failed() }, idempotencyKey());
      },
    ],
    [
      'the published reporter adds a file to a spec file',
      (api, runId) =>
        api.post(`@/artifacts/instance/${instanceOf(runId)}`, {
          instanceId: instanceOf(runId),
          type: 'stdout',
          name: 'stdout',
          contentType: 'text/plain',
        }),
    ],
  ])('shows no origin: %s', async (_, act) => {
    const { api, projectId, ...here } = await shop();
    const runId = await record(await here.job(), projectId);
    attack('identity tokens');
    await act(api, runId, projectId);
    expect((await api.get(`/runs/${runId}`)).body.data).not.toHaveProperty('origin');
  });

  test('keeps its origin if further jobs of the same repository record it', async () => {
    const { api, projectId, ...here } = await shop();
    const runId = await record(await here.job(), projectId);
    await trust({ ...here, projectId }, here.ci, { environment: 'ci' });
    expect(await record(await here.job({ environment: 'ci' }), projectId, { machineId: 'm2' })).toBe(runId);
    expect((await api.get(`/runs/${runId}`)).body.data).toHaveProperty('origin');
  });
});

const BUILD = 'acme/shop-9001-1';

describe('The credential of a build', () => {
  test('records no other build, run or project, not even those of other jobs of its repository', async () => {
    const { api, projectId, ...here } = await shop();
    const [job, other] = [await here.job(), await here.job({ run_id: '9002' })];
    const runId = await record(other, projectId);
    const { body: second } = await api.post('/projects', { name: 'Second' });
    const file = new TextEncoder().encode(junit({ 'a.test.ts': { sums: 'passed' } }));
    const of = { machineId: 'm1' };
    const plan = { lane: '', suite: 'a'.repeat(16), total: 1, files: [{ groupId: 'web', spec: 'a', units: [1] }] };
    const attempts = [
      start(job, projectId, { ciBuildId: 'acme/shop-9002-1' }),
      start(job, projectId, { ciBuildId: 'acme/shop-9001-1-x' }),
      start(job, second.data.projectId),
      sendBatch({ api: job }, runId, { ...of, sequence: 1, instances: [] }),
      sendEnd({ api: job }, runId, { ...of, batches: 1 }),
      job.post(`/recordings/${runId}/files`, { ...of, files: [FILE] }),
      job.post(`/recordings/${'0'.repeat(16)}/end`, { ...of, batches: 1 }),
      job.get(`/rules/project/${second.data.projectId}`),
      job.get(`/runs/${runId}/comparison`),
      job.get(`/context?run_id=${runId}`),
      job.post(`/projects/${projectId}/last-failed`, { ciBuildId: 'acme/shop-9002-1' }),
      job.post(`/projects/${projectId}/shard-plans`, { ...plan, ciBuildId: 'acme/shop-9002-1' }),
      job.send('POST', `/projects/${projectId}/imports?ciBuildId=acme/shop-9002-1`, file),
      job.send('POST', `/projects/${projectId}/imports/links?ciBuildId=acme/shop-9002-1`),
    ];
    attack('identity tokens', attempts.length);
    expect(await Promise.all(attempts.map(codeOf))).toEqual(attempts.map(() => 403));
    // Two instances of GitLab may number their pipelines alike.
    const instance = await ciIssuer(signingKey());
    await trust({ ...here, projectId }, instance);
    const token = await instance.sign(here.claims({ iss: instance.issuer, run_id: '9002' }));
    const { body } = await exchange({ ...here, projectId }, token);
    attack('identity tokens', 2);
    const stranger = client(here.origin, body.data.credential);
    expect(await codeOf(start(stranger, projectId, { machineId: 'm9' }))).toBe(403);
    expect(await codeOf(sendEnd({ api: stranger }, runId, { ...of, batches: 1 }))).toBe(403);
  });

  test('does nothing else: every other operation answers 403 and says why, also those of published clients, of orchestration and of the cache', async () => {
    const { tenant, world } = await sharedWorld();
    const issuer = await ciIssuer(signingKey());
    await trust(tenant, issuer);
    const token = await issuer.sign(githubClaims({ issuer: issuer.issuer, audience: tenant.origin }));
    const { body } = await exchange(tenant, token);
    const declarations = (await loadDeclarations())
      .map(({ declaration }) => declaration)
      .filter(({ credential }) => credential !== 'none');
    const served: string[] = [];
    for (const declaration of declarations) {
      attack('identity tokens');
      const request = authorized(declaration, goodRequest(declaration, world), body.data.credential);
      const { status, body: answer } = await send(tenant.origin, request);
      if (status !== 403) served.push(`${declaration.operationId} ${status}`);
      else expect(answer.toString()).toMatch(/CI build/);
    }
    // The rules of its own project, and an import without a build id, which is one of its own build.
    expect(served).toEqual(['createImportLink 201', 'getRules 200']);
  });
});

const FILE = {
  groupId: 'web',
  spec: 'cart.spec.ts',
  type: 'attachment',
  name: 'a.txt',
  contentType: 'text/plain',
  bytes: 1,
  sha256: 'a'.repeat(64),
};
