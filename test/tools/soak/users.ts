/** The simulated users of the soak test. Each function sends a few requests of one user, with the expected statuses. */
import { AGENT_HEADERS, type Sender } from './sender.ts';

export interface Place {
  readonly projectId: string;
  readonly organizationId: string;
  readonly readWrite: string;
  readonly readOnly: string;
}

export type User = (send: Sender, place: Place, turn: number) => Promise<void>;

const TESTS = ['adds', 'removes', 'sums'] as const;
const SPEC = 'soak.spec.ts';
const GROUP = 'soak';

/** The outcome of a test. Every fifth run has a failed test. */
const outcomeOf = (turn: number, test: (typeof TESTS)[number]) =>
  test === 'sums' && turn % 5 === 0 ? 'failed' : 'passed';

/** A reporter that starts a run, claims its spec file and reports each test. */
const reporter: User = async (send, { projectId, readWrite }, turn) => {
  const headers = { 'x-currents-key': readWrite };
  const tests = TESTS.map((test) => ({ testId: test, title: [test], spec: SPEC, tags: [] }));
  const suite = [{ name: GROUP, tags: [], tests }];
  const ciBuildId = `soak ${crypto.randomUUID()}`;
  const commit = { branch: turn % 3 === 0 ? 'soak' : 'main', sha: null };
  const body = { projectId, ciBuildId, group: GROUP, tests, fullTestSuite: suite, commit, platform: {}, tags: [] };
  const started = await send({ status: 200, method: 'POST', path: '/runs/v1', headers, body });
  const common = { runId: started['runId'], groupId: GROUP, machineId: started['machineId'], spec: SPEC };
  const claimed = await send({
    status: 200,
    method: 'POST',
    path: `/runs/${common.runId}/pw/instances/v1`,
    headers,
    body: { ...common, worker: { workerIndex: 0, parallelIndex: 0 } },
  });
  for (const test of TESTS) {
    const state = outcomeOf(turn, test);
    const errors = state === 'failed' ? [{ message: 'expected 3 to be 4' }] : [];
    const attempts = [{ attempt: 0, status: state, _s: state, duration: 5, steps: [], stdout: [], stderr: [], errors }];
    const message = {
      ...common,
      instanceId: claimed['instanceId'],
      testId: test,
      title: [test],
      projectId,
      retries: 0,
    };
    await send({
      status: 200,
      method: 'POST',
      path: '/test-record',
      headers,
      body: { ...message, _t: 0, _v: 1, _s: state, _d: true, _f: false, expectedStatus: 'passed', attempts },
    });
  }
};

/** A script that reads runs, their failures and the analytics of a project. */
const reader: User = async (send, { projectId, readOnly }) => {
  const headers = { authorization: `Bearer ${readOnly}` };
  const get = (path: string) => send({ status: 200, method: 'GET', path: `/v1${path}`, headers });
  const day = 86_400_000;
  const iso = (time: number) => new Date(time).toISOString();
  const range = `date_start=${iso(Date.now() - 30 * day)}&date_end=${iso(Date.now() + day)}`;
  await get('/projects');
  const runs = await get(`/projects/${projectId}/runs?limit=5`);
  const [{ runId }] = rowsIn(runs);
  await get(`/runs/${runId}`);
  await get(`/runs/${runId}/comparison`);
  await get(`/context?run_id=${runId}&include_flaky=true`);
  for (const list of ['tests', 'spec-files', 'errors']) await get(`/${list}/${projectId}?${range}`);
  await get(`/projects/${projectId}/insights?${range}`);
  await get(`/projects/${projectId}/terms/branch`);
};

/** An agent that lists its tools and calls two of them. */
const agent: User = async (send, { projectId, readOnly }) => {
  const headers = { ...AGENT_HEADERS, authorization: `Bearer ${readOnly}` };
  const ask = (method: string, params: object) =>
    send({ status: 200, method: 'POST', path: '/mcp', headers, body: { jsonrpc: '2.0', id: 1, method, params } });
  await ask('tools/list', {});
  await ask('tools/call', { name: 'list_runs', arguments: { projectId, limit: 2 } });
  await ask('tools/call', { name: 'list_errors', arguments: { projectId } });
};

export const person =
  (cookie: string): User =>
  async (send, { organizationId, projectId }) => {
    const show = (path: string) => send({ status: 200, method: 'GET', path, headers: { cookie, accept: 'text/html' } });
    const project = `/${organizationId}/${projectId}`;
    for (const path of [
      `/${organizationId}`,
      `/${organizationId}/settings/audit`,
      `${project}/runs`,
      `${project}/tests`,
      `${project}/flaky`,
    ])
      await show(path);
  };

/** A stranger, whose requests are refused or redirected to the sign-in, and invalid requests with a valid key. */
const stranger: User = async (send, { projectId, readWrite }) => {
  const key = `rdn_key_${'0'.repeat(42)}`;
  const wrong = { authorization: `Bearer ${key}` };
  await send({ status: 401, method: 'GET', path: '/v1/projects', headers: wrong });
  await send({ status: 401, method: 'POST', path: '/mcp', headers: AGENT_HEADERS, body: {} });
  await send({
    status: 401,
    method: 'POST',
    path: '/runs/v1',
    headers: { 'x-currents-key': key },
    body: { projectId },
  });
  await send({ status: 303, method: 'GET', path: `/account`, headers: { accept: 'text/html' } });
  const own = { authorization: `Bearer ${readWrite}` };
  await send({ status: 404, method: 'GET', path: '/v1/projects/nowhere', headers: own });
  await send({ status: 400, method: 'GET', path: `/v1/projects/${projectId}/runs?limit=0`, headers: own });
};

function rowsIn({ data }: Readonly<Record<string, unknown>>): readonly [{ readonly runId: unknown }] {
  const [first]: readonly unknown[] = Array.isArray(data) ? data : [];
  if (typeof first !== 'object' || first === null || !('runId' in first)) throw new Error('The project has no runs');
  return [{ runId: first.runId }];
}

export const USERS = { reporter, reader, agent, stranger } as const;
