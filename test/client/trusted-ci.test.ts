/** Clients in CI jobs that have no key: they get one for the identity token of the job. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { gitlabClaims } from '#test/harness/ci-claims.ts';
import type { CiIssuer } from '#test/harness/ci-issuer.ts';
import { junit } from '#test/imports/reports.ts';
import { shop } from '#test/trusted-ci/stage.ts';
import { trust } from '#test/trusted-ci/trust.ts';
import { execute, type Installed, installClient } from './installed.ts';

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
