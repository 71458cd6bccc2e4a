/** Clients in CI jobs that have no key: they get one for the identity token of the job. */
import type { ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { gitlabClaims } from '#test/harness/ci-claims.ts';
import type { CiIssuer } from '#test/harness/ci-issuer.ts';
import { clock } from '#test/harness/service.ts';
import { junit } from '#test/imports/reports.ts';
import { endOf, startIn } from '#test/infra/local/child.ts';
import { shop } from '#test/trusted-ci/stage.ts';
import { trust } from '#test/trusted-ci/trust.ts';
import { type Call, FaultyProxy } from './faulty-proxy.ts';
import { execute, type Installed, installClient } from './installed.ts';
import { CONTROLLED_CLOCK } from './service-faults.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await installClient();
  await mkdir(join(installed.folder, 'tests'));
  await writeFile(
    join(installed.folder, 'tests/sum.test.mjs'),
    "import { test } from 'node:test';\ntest('adds', () => {});\n",
  );
  await writeFile(join(installed.folder, 'report.xml'), junit({ 'a.test.ts': { sums: 'passed' } }));
});
afterAll(() => installed.remove());

/** The object store checks the expiry of links against the real time. */
beforeEach(() => {
  vi.useRealTimers();
});

const BUILD = {
  GITHUB_ACTIONS: 'true',
  GITHUB_REPOSITORY: 'acme/shop',
  GITHUB_RUN_ID: '9001',
  GITHUB_RUN_ATTEMPT: '1',
};
const SECRET = /rdn_bld_\w|eyJ[\w-]{8}/;

/** Answers the requests of jobs for an identity token, as GitHub Actions does. */
function serveTokens(issuer: CiIssuer, sign: (audience: string) => Promise<string>) {
  const audiences: (string | null)[] = [];
  issuer.answer = (path, response) => {
    if (!path.startsWith('/token')) return false;
    const audience = new URL(path, issuer.issuer).searchParams.get('audience') ?? '';
    audiences.push(audience);
    void sign(audience).then((value) => response.end(JSON.stringify({ count: 1, value })));
    return true;
  };
  return {
    audiences,
    variables: {
      ...BUILD,
      ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.issuer}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'a-token-of-the-runner',
    },
  };
}

async function stage(claims: object = {}) {
  const here = await shop();
  vi.useRealTimers();
  const { organizationId, projectId, origin, ci: issuer } = here;
  const tokens = serveTokens(issuer, (aud) => issuer.sign(here.claims({ ...claims, aud })));
  const dsn = { RUNDOWN_DSN: `${origin}/${organizationId}/${projectId}` };
  const newest = async () => (await here.api.get(`/projects/${projectId}/runs?limit=1`)).body.data[0];
  const runTests = (variables: Readonly<Record<string, string>>) =>
    execute(process.execPath, ['--test', '--test-reporter=rundown-cli/node-test', 'tests/sum.test.mjs'], {
      cwd: installed.folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...dsn, ...variables },
    });
  return { ...here, tokens, dsn, newest, runTests };
}

const HOUR = 3_600_000;

const COMMAND = 'node_modules/rundown-cli/rundown.js';
/** Clients that record one test, and fail if they cannot. */
const LONG_JOBS: Readonly<Record<string, readonly string[]>> = {
  'a reporter': ['--test', '--test-isolation=none', '--test-reporter=rundown-cli/node-test', 'tests/sum.test.mjs'],
  '`rundown upload`': [COMMAND, 'upload', '--strict', 'report.xml'],
  '`rundown run`': [COMMAND, 'run', '--strict', '--report', 'copy.xml', '--', 'cp', 'report.xml', 'copy.xml'],
};

/** Starts a client in a job. `decide` answers its requests that carry results. */
async function startClient(
  { origin, organizationId, projectId, ci, claims }: Awaited<ReturnType<typeof stage>>,
  { args, build }: { readonly args: readonly string[]; readonly build: string },
  decide: (call: Call, moveClock: () => void) => unknown,
): Promise<ChildProcess> {
  let child: ChildProcess | undefined;
  const proxy = await FaultyProxy.start(origin, (call) =>
    /\/(batches|imports)$/.test(call.path) ? decide(call, () => void child?.kill('SIGUSR2')) : call.pass(),
  );
  const { variables } = serveTokens(ci, () => ci.sign(claims({ run_id: build })));
  child = startIn(installed.folder, [...CONTROLLED_CLOCK, ...args], {
    ...variables,
    GITHUB_RUN_ID: build,
    GITHUB_STEP_SUMMARY: '',
    GITHUB_OUTPUT: '',
    RUNDOWN_DSN: `${proxy.origin}/${organizationId}/${projectId}`,
    RUNDOWN_STRICT: '1',
    CLOCK_STEP: String(HOUR),
  });
  return child;
}

describe('A CI job without a key', () => {
  test('A job of GitHub Actions uploads reports and records tests with its identity token, and prints no secret', async () => {
    const { origin, tokens, dsn, newest, runTests, api } = await stage();
    const upload = await installed.rundown(['upload', 'report.xml'], { ...dsn, ...tokens.variables });
    expect(upload).toMatchObject({ status: 0 });
    const tests = await runTests(tokens.variables);
    expect(tests).toMatchObject({ status: 0 });
    expect(new Set(tokens.audiences)).toEqual(new Set([origin]));
    const { runId } = await newest();
    const { origin: provenOrigin, groups } = (await api.get(`/runs/${runId}`)).body.data;
    expect(provenOrigin).toMatchObject({ repository: 'acme/shop' });
    expect(groups.reduce((sum: number, group: { tests: { overall: number } }) => sum + group.tests.overall, 0)).toBe(2);
    for (const { output, errors } of [upload, tests]) expect(output + errors).not.toMatch(SECRET);
  });

  test('A job of GitLab CI sends the token that its configuration asks for', async () => {
    const here = await stage();
    await trust(here, here.ci, { provider: 'gitlab', repository: 'acme/web/shop' });
    const token = await here.ci.sign(gitlabClaims({ issuer: here.ci.issuer, audience: here.origin }));
    const variables = { GITLAB_CI: 'true', CI_PIPELINE_ID: '555', CI_JOB_ID: '70', CI_JOB_NAME: 'unit' };
    const { status } = await installed.rundown(['upload', 'report.xml'], {
      ...here.dsn,
      ...variables,
      RUNDOWN_ID_TOKEN: token,
    });
    expect(status).toBe(0);
    expect((await here.newest()).meta.ciBuildId).toBe('555');
  });

  describe.each(Object.entries(LONG_JOBS))('whose key ends before it does: %s', (_, args) => {
    test.each([
      ['the service refuses it', '1'],
      ['its own clock says so', '2'],
    ])('records all results with a new key, and says nothing, when %s', async (_reason, build) => {
      const here = await stage();
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
      const keysOfResults: (string | undefined)[] = [];
      const child = await startClient(here, { args, build }, (call, moveClock) => {
        keysOfResults.push(call.authorization);
        if (keysOfResults.length > 1) return call.pass();
        // Without an answer, the client sends the request again once its clock has moved.
        if (build === '2') return moveClock();
        clock.advance(HOUR + 1000);
        return call.pass();
      });
      const { status, output } = await endOf(child);
      expect({ status, output }).toEqual({ status: 0, output: expect.not.stringMatching(/key|401/i) });
      expect(new Set(keysOfResults).size).toBe(2);
      const { meta, groups } = await here.newest();
      expect(meta.ciBuildId).toBe(`acme/shop-${build}-1`);
      expect(groups[0].tests).toMatchObject({ overall: 1, passes: 1 });
    });

    test('stops with the reason if the new key is refused, too', async () => {
      const here = await stage();
      const refusal = '{"status":"FAILED","error":"Unauthorized"}';
      const child = await startClient(here, { args, build: '3' }, (call) => call.answer(401, {}, refusal));
      expect(await endOf(child)).toEqual({ status: 1, output: expect.stringContaining('Unauthorized') });
    });
  });

  test('A job that gets no key says why, does not fail its tests, and keeps their results', async () => {
    const here = await stage({ repository: 'mallory/shop' });
    const refused = await here.runTests(here.tokens.variables);
    expect(refused.status).toBe(0);
    expect(refused.output + refused.errors).toContain('repository mallory/shop');
    expect(refused.output + refused.errors).toContain('Trusted CI');
    expect(refused.output + refused.errors).not.toMatch(SECRET);
    const bare = await installed.rundown(['upload', 'report.xml', '--strict'], { ...here.dsn, ...BUILD });
    expect(bare.status).not.toBe(0);
    expect(bare.output + bare.errors).toContain('id-token: write');
    expect(await here.newest()).toBeUndefined();
  });
});
