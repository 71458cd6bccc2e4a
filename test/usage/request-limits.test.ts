/** Tests the request limits through the gateway and its authorizer. */
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { SCOPES } from '#shared/model/organizations/permissions.ts';
import { monthsOfRequests, requestsOfCredentials } from '#shared/model/usage/usage.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { deleteApiKey } from '#shared/organizations/delete-api-key.ts';
import { listApiKeys } from '#shared/organizations/list-api-keys.ts';
import { USAGE_LIMITS } from '#shared/usage/limits.ts';
import { computeWindowNumber, formatMonth } from '#shared/usage/periods.ts';
import { readUsage } from '#shared/usage/read-usage.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import { type Client, client } from '#test/harness/client.ts';
import { claimsOf, signed } from '#test/harness/issuer.ts';
import { recordRun } from '#test/harness/recording.ts';
import { passed, runBody, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, logLines, START, service, type Tenant, type TestService } from '#test/harness/service.ts';
import { storeLimits } from '#test/harness/usage-limits.ts';

const { sampleEvery, windowMilliseconds } = USAGE_LIMITS;

type Stage = TestService & Tenant;

/**
 * Sends up to `most + 1` requests one after another, until one is refused with 429. Returns the number of requests
 * before it, and the refusal.
 */
async function untilRefused(send: () => ReturnType<Client['get']>, most: number) {
  for (let sent = 0; sent <= most; sent += 1) {
    const answer = await send();
    if (answer.status === 429) return { sent, refusal: answer };
  }
  return { sent: most + 1, refusal: undefined };
}

/**
 * Stores the number of requests of this month, and advances the clock, so that functions read this number instead of
 * relying on one that they have cached.
 */
async function used({ services, organizationId }: Stage, requests: number) {
  const key = { organizationId, month: formatMonth(Date.now()) };
  await services.table.update(monthsOfRequests, key, { set: [['requests', requests]] });
  clock.advance(USAGE_LIMITS.freshMilliseconds);
}

const list = (api: Client) => () => api.get('/projects');

describe('The limit of requests per key and minute', () => {
  test('A key above its limit gets 429 with Retry-After until the next window, but other keys and organizations do not', async () => {
    const here = await service();
    const other = await here.tenant();
    await storeLimits(here, { keyRequestsPerMinute: 128 });
    clock.set(START.getTime() + windowMilliseconds - 7000);
    const { sent, refusal } = await untilRefused(list(here.reader), 200);
    expect(sent).toBeGreaterThan(64 - sampleEvery);
    expect(sent).toBeLessThanOrEqual(64 + sampleEvery);
    expect(refusal?.headers.get('retry-after')).toBe('7');
    expect(refusal?.body).toEqual({
      status: 'FAILED',
      error:
        'This credential has exceeded its limit of 128 requests per minute. Wait as long as Retry-After says, then try again',
      code: 'rate_limit',
    });
    expect((await here.api.get('/projects')).status).toBe(200);
    expect((await other.reader.get('/projects')).status).toBe(200);
    clock.advance(7000);
    expect((await here.reader.get('/projects')).status).toBe(200);
  });

  test('A request with the key in its body counts toward the limit like any other request', async () => {
    const here = await service();
    await storeLimits(here, { keyRequestsPerMinute: 128 });
    const cancel = () =>
      here.anonymous.post('/runs/cancel', { recordKey: here.keys.readWrite, projectId: 'none', runId: 'none' });
    for (let sent = 0; sent < 64 + sampleEvery; sent += 1) await cancel();
    // Each function has its own cached counts.
    clock.advance(USAGE_LIMITS.freshMilliseconds);
    const refusal = await here.api.get('/projects');
    expect([refusal.status, refusal.body.code]).toEqual([429, 'rate_limit']);
  });

  test('A limit that an operator sets for the keys of an organization refuses no results, because reporters drop what is refused', async () => {
    const here = await service();
    await storeLimits(here, { keyRequestsPerMinute: 64 });
    const { refusal } = await untilRefused(() => here.api.get('/projects'), 200);
    expect(refusal?.body).toMatchObject({ code: 'rate_limit' });
    const run = await recordRun(here, { retail: { tests: { 'cart.spec.ts > adds': passed() } } });
    const { body } = await here.reader.get(`/runs/${run.runId}`);
    expect(body.data.status).toBe('PASSED');
  });

  test('The count of 100 concurrent requests to one instance is wrong by less than 32', async () => {
    const here = await service();
    const { services, organizationId } = here;
    const answers = await Promise.all(Array.from({ length: 100 }, list(here.reader)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { requests } = await readUsage(services, { organizationId, actor: OPERATOR });
    expect(Math.abs(requests - 100)).toBeLessThan(sampleEvery);
  });

  test('A deleted key gets 401 even if it is above its limit, and its requests remain in the usage statistics', async () => {
    const here = await service();
    const { organizationId, services } = here;
    await storeLimits(here, { keyRequestsPerMinute: 64 });
    await untilRefused(list(here.reader), 100);
    const keys = await listApiKeys(services, { organizationId, actor: OPERATOR });
    const { keyId = '' } = keys.find(({ label }) => label === 'dashboard') ?? {};
    await deleteApiKey(services, { organizationId, actor: OPERATOR, keyId });
    expect((await here.reader.get('/projects')).status).toBe(401);
    const { credentials } = await readUsage(services, { organizationId, actor: OPERATOR });
    expect(credentials.map(({ label }) => label)).toEqual(['dashboard']);
  });

  test('Requests with different access tokens of one member count toward the same limit', async () => {
    const here = await service();
    await storeLimits(here, { keyRequestsPerMinute: 64 });
    const { value, accountId } = await accessToken(here);
    const claims = claimsOf(here.issuer, here, accountId, { scope: SCOPES.join(' ') });
    const tokens = [value, await signed(claims, here.issuer.key)];
    let count = 0;
    const { sent } = await untilRefused(() => client(here.origin, tokens[count++ % 2] ?? '').get('/projects'), 100);
    expect(sent).toBeLessThanOrEqual(64);
    const { credentials } = await readUsage(here.services, { organizationId: here.organizationId, actor: OPERATOR });
    expect(credentials).toMatchObject([{ kind: 'accessToken' }]);
  });

  test('If the clock is set back, a new window begins, and Retry-After is at most the length of a window', async () => {
    const here = await service();
    await storeLimits(here, { keyRequestsPerMinute: 64 });
    await untilRefused(list(here.reader), 100);
    clock.advance(-3600_000);
    expect((await here.reader.get('/projects')).status).toBe(200);
    const { refusal } = await untilRefused(list(here.reader), 100);
    expect(Number(refusal?.headers.get('retry-after'))).toBeLessThanOrEqual(windowMilliseconds / 1000);
  });
});

describe('The limit of requests per month', () => {
  test('An organization above its limit gets 429 until the month ends, but can record results up to 125 % of the limit', async () => {
    const here = await service();
    await storeLimits(here, { requestsPerMonth: 1000 });
    await used(here, 1000);
    const { status, body, headers } = await here.reader.get('/projects');
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'monthly_limit' });
    expect(Number(headers.get('retry-after'))).toBe((Date.UTC(2026, 11) - Date.now()) / 1000);
    expect(
      (await here.api.post('@/runs/v1', runBody(here.projectId, [suiteGroup('retail', ['cart.spec.ts > sums'])])))
        .status,
    ).toBe(200);
    await used(here, 1250);
    expect(
      (await here.api.post('@/runs/v1', runBody(here.projectId, [suiteGroup('retail', ['cart.spec.ts > sums'])])))
        .status,
    ).toBe(429);
    expect((await (await here.tenant()).reader.get('/projects')).status).toBe(200);
  });

  test('The monthly count of requests begins again when the next month begins', async () => {
    const here = await service();
    await storeLimits(here, { requestsPerMonth: 1000 });
    clock.set('2026-11-30T23:59:00Z');
    await used(here, 5000);
    expect((await here.reader.get('/projects')).headers.get('retry-after')).toBe('50');
    clock.advance(50_000);
    expect((await here.reader.get('/projects')).status).toBe(200);
    clock.advance(-1000);
    expect((await here.reader.get('/projects')).status).toBe(429);
  });

  test('A limit below the current use applies to the next request, and so does a raised limit', async () => {
    const here = await service();
    await used(here, 1000);
    expect((await here.reader.get('/projects')).status).toBe(200);
    await storeLimits(here, { requestsPerMonth: 900 });
    expect((await here.reader.get('/projects')).status).toBe(429);
    await storeLimits(here, {});
    expect((await here.reader.get('/projects')).status).toBe(200);
  });

  test('Refused requests are counted separately from accepted requests', async () => {
    const here = await service();
    const { services, organizationId } = here;
    await storeLimits(here, { requestsPerMonth: 1000 });
    await used(here, 1000);
    for (let sent = 0; sent < 2 * sampleEvery; sent += 1) await here.reader.get('/projects');
    const { requests, refused } = await readUsage(services, { organizationId, actor: OPERATOR });
    expect({ requests, refused }).toEqual({ requests: 1000, refused: 2 * sampleEvery });
  });

  test('Reaching 80 % and reaching 100 % of the limit are each logged once', async () => {
    const here = await service();
    await storeLimits(here, { requestsPerMonth: 1000 });
    await used(here, 780);
    for (let sent = 0; sent < 9 * sampleEvery; sent += 1) await here.reader.get('/projects');
    const lines = logLines.filter((line) => line.includes('limit of requests') && line.includes(here.organizationId));
    expect(lines.map((line) => line.match(/percent\W+(\d+)/)?.[1])).toEqual(['80', '100']);
  });
});

test('One of 32 requests with a key is sampled, and adds 32 to the monthly counts of the organization and the key, and to the current window of the key', async () => {
  const here = await service();
  const { services, organizationId } = here;
  const { value, keyId } = await createApiKey(services, {
    organizationId,
    label: 'few',
    level: 'readOnly',
    actor: OPERATOR,
  });
  const api = client(here.origin, value);
  for (let sent = 0; sent < sampleEvery; sent += 1) await api.get('/projects');
  const key = { organizationId, month: formatMonth(Date.now()) };
  expect(await services.table.get(monthsOfRequests, key)).toMatchObject({ requests: sampleEvery });
  expect(await services.table.get(requestsOfCredentials, { ...key, credentialId: keyId })).toMatchObject({
    requests: sampleEvery,
    window: computeWindowNumber(Date.now()),
    inWindow: sampleEvery,
  });
});
