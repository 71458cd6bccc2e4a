import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CheckFindings, DeploymentCheck } from '#infra/cli/verify/check.ts';
import { CHECKS, NOT_CHECKED } from '#infra/cli/verify/checks.ts';
import { CLEAN_UP_CHECKS } from '#infra/cli/verify/clean-up.ts';
import { runVerify } from '#infra/cli/verify/command.ts';
import { CONNECTION_CHECKS } from '#infra/cli/verify/connection.ts';
import { makeCheckedDeployment } from '#infra/cli/verify/deployment.ts';
import { COUNTED_RULES, FIREWALL_CHECKS } from '#infra/cli/verify/firewall.ts';
import { RECORDING_CHECKS } from '#infra/cli/verify/recording.ts';
import { type CheckResult, runChecks } from '#infra/cli/verify/run-checks.ts';
import { WEBHOOK_CHECKS } from '#infra/cli/verify/webhooks.ts';
import { bind, getPort } from '#infra/local/host/loopback.ts';
import { FIREWALL_CODE, FIREWALL_MESSAGE } from '#shared/engine/errors.ts';
import { clock, deliverEvents, issueOwnTokens, service } from '#test/harness/service.ts';
import { freePort, PROJECT, run } from '#test/infra/local/child.ts';
import { type Passed, proxyBefore } from './proxy.ts';

issueOwnTokens();
deliverEvents();

const NEVER = new AbortController().signal;

/** Runs the command in this process. */
async function command(words: readonly string[]) {
  const output = new PassThrough();
  const errors = new PassThrough();
  const texts = Promise.all([text(output), text(errors)]);
  const status = await runVerify(words, { terminal: { output, errors }, environment: {}, signal: NEVER });
  for (const stream of [output, errors]) stream.end();
  const [printed, complained] = await texts;
  return { status, output: printed, errors: complained };
}

async function resultsOf(
  checks: readonly DeploymentCheck[],
  deployment: {
    readonly origin: string;
    readonly key: string;
    readonly projectId?: string;
    readonly receiver?: string;
  },
  signal = NEVER,
): Promise<CheckResult[]> {
  const unnamed = { projectId: undefined, receiver: undefined };
  return runChecks({ checks, ...unnamed, ...deployment, signal, onStart: () => {}, onEnd: () => {} });
}

const failuresIn = (results: readonly CheckResult[]) => results.filter(({ result }) => result === 'failed');

/**
 * A service to runChecks. Its clock is real, because the object store checks the signatures of upload links against the
 * real time.
 */
async function started() {
  const stage = await service();
  vi.useRealTimers();
  const left = async () => {
    const [runs, webhooks] = await Promise.all([
      stage.api.get(`/projects/${stage.projectId}/runs`),
      stage.api.get(`/webhooks?projectId=${stage.projectId}`),
    ]);
    return [...runs.body.data, ...webhooks.body.data];
  };
  return { ...stage, key: stage.keys.readWrite, left };
}

describe('npm run verify', () => {
  test('finds no problem if the service works, and leaves no runs or webhooks behind', async () => {
    const { origin, key, left } = await started();
    const { status, output } = await command(['--url', `${origin}/v1`, '--key', key]);
    expect(status, output).toBe(0);
    expect(output).not.toMatch(/FAIL|fix:/);
    expect(output).toMatch(/\n27 passed, 0 failed, 2 skipped in \d/);
    expect(output).not.toContain(key);
    expect(await left()).toEqual([]);
  });

  test('names exactly the checks that fail because of a proxy in front of the service, and a fix for each', async () => {
    const { origin, key } = await started();
    // The documents of the service name its own address, not that of the proxy.
    const proxy = await proxyBefore(origin, spoil);
    const { status, output } = await command(['--url', proxy, '--key', key, '--json']);
    expect(status).toBe(1);
    const { checks }: { checks: CheckResult[] } = JSON.parse(output);
    const failed = failuresIn(checks);
    expect(Object.fromEntries(failed.map(({ name, problem }) => [name, problem]))).toEqual({
      'Missing and wrong credentials get the same 401 with a challenge':
        'GET /v1/projects returned 401: <h1>Unauthorized</h1> (text/html), expected JSON',
      'Unknown paths of the API get 404, and never redirect to the sign-in':
        'GET /v1/no-such-operation returned 303 to /sign-in, expected 404',
      'The discovery documents and the API description name this address': `/.well-known/oauth-protected-resource names ${origin}, not ${proxy}`,
      'Answers are compressed for clients that accept gzip, and only for them':
        '/v1/docs/openapi.json has no Content-Encoding with Accept-Encoding: gzip',
      'A body of 4.5 MB is accepted': 'POST /v1/signature/test returned 403: <html>Forbidden</html>, expected 200',
      'Larger bodies get 413: above 6 MB as base64, above 10 MB, and above 24 MB after decompression':
        'A body of 5.5 MB: POST /v1/signature/test returned 403: <html>Forbidden</html>, expected 413',
      'Pages have the security headers, including redirects and error pages':
        'The header content-security-policy of GET /sign-in is missing',
      'Style sheets and scripts load, and browsers cache them': expect.stringMatching(
        /^GET \S+\.css has no Cache-Control, expected Cache-Control: immutable$/,
      ),
      'npm can install the client from the service': 'GET /client/0.2.0/rundown-cli.tgz returned no gzip file',
      'The recorded run is deleted, and reading it returns 404 immediately': expect.stringMatching(
        /^DELETE \/v1\/runs\/\w+ returned 403/,
      ),
    });
    for (const { fix } of failed) expect(fix).toMatch(/^\w.{30}/);
  });

  test.each([
    [
      'AWS WAF with its managed rules',
      JSON.stringify({ status: 'FAILED', error: FIREWALL_MESSAGE, code: FIREWALL_CODE }),
    ],
    ['another firewall', '<html><h1>403 Forbidden</h1></html>'],
  ])('says which rules to change if %s refuses a body that contains markup or is larger than 8 KB', async (_, page) => {
    const { origin, key } = await started();
    const proxy = await proxyBefore(origin, (answer) => {
      if (answer.method !== 'POST' || answer.requestBytes <= 8192) return;
      answer.status = 403;
      answer.body = Buffer.from(page);
    });
    const checks = [...CONNECTION_CHECKS, ...FIREWALL_CHECKS];
    expect(failuresIn(await resultsOf(checks, { origin, key }))).toEqual([]);
    const [failure, ...others] = failuresIn(await resultsOf(checks, { origin: proxy, key }));
    expect(others).toEqual([]);
    expect(failure?.problem).toContain('returned 403');
    expect(failure?.fix).toContain('SizeRestrictions_BODY');
  });

  test('The guide for operators names each rule of AWS WAF that refuses bodies of test results', async () => {
    const guide = await readFile(join(PROJECT, 'infra/README.md'), 'utf8');
    for (const [group, rules] of Object.entries(COUNTED_RULES))
      expect(guide).toContain(`| \`${group}\` | ${rules.map((rule) => `\`${rule}\``).join(', ')} |`);
  });

  test('If npm run runChecks is interrupted, it still deletes the run and the webhook that it created', async () => {
    const { origin, key, left } = await started();
    const interrupt = new AbortController();
    const proxy = await proxyBefore(origin, ({ path }) => {
      if (path === '/test-record') interrupt.abort();
    });
    const checks = [...CONNECTION_CHECKS, ...WEBHOOK_CHECKS, ...RECORDING_CHECKS, ...CLEAN_UP_CHECKS];
    const results = await resultsOf(checks, { origin: proxy, key }, interrupt.signal);
    expect(results.slice(-4).map(({ result }) => result)).toEqual(['passed', 'skipped', 'passed', 'passed']);
    expect(await left()).toEqual([]);
  });

  test('reports a wrong key only once, and skips the checks that need a key', async () => {
    const { origin } = await started();
    const results = await resultsOf(CHECKS, { origin, key: 'wrong' });
    expect(failuresIn(results).map(({ name }) => name)).toEqual([
      'The key is accepted and may write, and its organization has a project',
    ]);
    expect(results.filter(({ result }) => result === 'skipped').length).toBeGreaterThan(10);
  });

  test('reports a Read Only key', async () => {
    const { origin, keys } = await started();
    expect(failuresIn(await resultsOf(CONNECTION_CHECKS, { origin, key: keys.readOnly }))).toMatchObject([
      { problem: expect.stringContaining('This API key is Read Only') },
    ]);
  });

  test('reports a missing project and an unreachable receiver', async () => {
    const { origin, key, left } = await started();
    const deployment = { origin, key };
    expect(failuresIn(await resultsOf(CONNECTION_CHECKS, { ...deployment, projectId: 'nothing' }))).toMatchObject([
      { problem: 'There is no project nothing' },
    ]);
    const receiver = `http://127.0.0.1:${await freePort()}/`;
    const checks = [...CONNECTION_CHECKS, ...WEBHOOK_CHECKS, ...CLEAN_UP_CHECKS];
    expect(failuresIn(await resultsOf(checks, { ...deployment, receiver }))).toMatchObject([
      { problem: expect.stringMatching(/^The delivery of the test event failed: /) },
    ]);
    expect(await left()).toEqual([]);
  });

  test('makes a remote service send webhook events to itself, and accepts the 404 responses of the service as proof that the events arrived', async () => {
    const { origin, key, projectId, left } = await started();
    const deployment = { ...makeCheckedDeployment({ origin, key, signal: NEVER }), isOnThisMachine: false };
    const found: CheckFindings = { project: { projectId, name: 'Shop' } };
    for (const { run: check } of [...WEBHOOK_CHECKS, ...CLEAN_UP_CHECKS.slice(0, 1)]) await check(deployment, found);
    expect(found.webhook).toBeDefined();
    expect(await left()).toEqual([]);
  });

  test('reports just one failure if the service does not respond', async () => {
    const { status, output } = await command(['--url', `http://localhost:${await freePort()}`, '--key', 'x']);
    expect(status).toBe(1);
    expect(output).toContain('ECONNREFUSED');
    expect(output).toMatch(/\n0 passed, 1 failed, 0 skipped in/);
  });

  test.each([
    [[], 'Missing --url'],
    [['--url', 'https://results.example.com'], 'Missing --key'],
    [['--url', 'results.example.com', '--key', 'x'], 'is not a URL that begins with https://'],
    [['--url', 'http://results.example.com', '--key', 'x'], 'does not use https'],
    [['--url', 'https://results.example.com', '--key', 'x', '--receiver', 'me'], '--receiver me is not a URL'],
    [['--colour'], "Unknown option '--colour'"],
  ])('refuses %j, and prints the problem and the usage', async (words, problem) => {
    const { status, output, errors } = await command(words);
    expect({ status, output }).toEqual({ status: 2, output: '' });
    expect(errors).toContain(problem);
    expect(errors).toContain('Usage: npm run verify');
  });

  test('exits with code 2 if required arguments are missing', async () => {
    expect(await run(['infra/cli/verify/main.ts'])).toMatchObject({ status: 2 });
  });

  test('The guide for operators lists what npm run runChecks does not check', async () => {
    const guide = await readFile(join(PROJECT, 'infra/README.md'), 'utf8');
    for (const { what, why } of NOT_CHECKED) expect(guide).toContain(`| ${what} | ${why} |`);
  });
});

/**
 * Changes responses so that nine checks fail. A tenth check fails because the address of the proxy differs from that
 * of the service.
 */
function spoil(answer: Passed): void {
  const { method, path, headers, status, isKnown, requestBytes } = answer;
  const say = (code: number, body: string, type = 'text/html') => {
    answer.status = code;
    answer.body = Buffer.from(body);
    headers['content-type'] = type;
  };
  if (status === 401) say(401, '<h1>Unauthorized</h1>');
  if (requestBytes > 1_000_000) say(403, '<html>Forbidden</html>');
  if (method === 'DELETE' && path.startsWith('/v1/runs/')) answer.status = 403;
  if (path === '/v1/no-such-operation' && method === 'GET' && !isKnown) {
    answer.status = 303;
    headers['location'] = '/sign-in';
  }
  if (headers['content-encoding'] === 'gzip') {
    delete headers['content-encoding'];
    answer.body = gunzipSync(answer.body);
  }
  if (path === '/sign-in') delete headers['content-security-policy'];
  // Without binary media types, API Gateway returns the base64 text of a response instead of its bytes.
  if (path.startsWith('/client/')) answer.body = Buffer.from(answer.body.toString('base64'));
  if (path.startsWith('/assets/')) delete headers['cache-control'];
}

describe('npm run runChecks for a service with https', () => {
  const TLS = join(PROJECT, 'test/samples/tls');

  /**
   * Runs the first two connection checks against an HTTPS server with a certificate for localhost, which answers every
   * request with status 200. Returns the problem that each check found, or its result.
   */
  async function secure(headers: Readonly<Record<string, string>>) {
    const [key, cert] = await Promise.all(
      ['key.pem', 'localhost.pem'].map((name) => readFile(join(TLS, name), 'utf8')),
    );
    const server = createServer({ key: key ?? '', cert: cert ?? '' }, (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end('{"status":"OK"}');
    });
    await bind(server, 0);
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, cert ?? '']);
    onTestFinished(() => {
      setDefaultCACertificates(trusted);
      server.closeAllConnections();
      server.close();
    });
    const results = await resultsOf(CONNECTION_CHECKS, { origin: `https://localhost:${getPort(server)}`, key: 'x' });
    return results.slice(0, 2).map(({ result, problem }) => problem ?? result);
  }

  test('npm run runChecks accepts a valid certificate and a long-lived HSTS header', async () => {
    expect(await secure({ 'strict-transport-security': 'max-age=31536000' })).toEqual(['passed', 'passed']);
  });

  test('npm run runChecks reports a certificate that expires soon, and a missing HSTS header', async () => {
    clock.set('2125-12-25T00:00:00Z');
    expect(await secure({})).toEqual([
      'The certificate expires in 7 days',
      'Strict-Transport-Security of /sign-in is null',
    ]);
  });
});
