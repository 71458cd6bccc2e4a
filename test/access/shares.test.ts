/**
 * Each organization has a share of the requests. The clock stands still, so that no bucket fills. Tests use different
 * methods, and send fewer requests than one method takes (400), so that only shares refuse.
 */
import { expect, test } from 'vitest';
import { ENVIRONMENTS } from '#infra/build/environments.ts';
import { gatewayKeyOf } from '#shared/access/gateway-key.ts';
import { type Client, client } from '#test/harness/client.ts';
import { clock, service, type Tenant, type TestService, throttleRequests } from '#test/harness/service.ts';

throttleRequests();

const { organizationThrottle } = ENVIRONMENTS.dev;
const SHARE = organizationThrottle.burstRequests;

/** The statuses of this many requests, with the number of each. */
async function flood(requests: number, send: () => ReturnType<Client['get']>): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  for (let left = requests; left > 0; left -= 25) {
    const answers = await Promise.all(Array.from({ length: Math.min(25, left) }, send));
    for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

/** An organization with another gateway key. One of 64 has the same. */
async function organizationWithOtherKey(stage: TestService & Tenant): Promise<Tenant> {
  for (;;) {
    const other = await stage.tenant('Other');
    if (gatewayKeyOf('dev', other.organizationId) !== gatewayKeyOf('dev', stage.organizationId)) return other;
  }
}

test('An organization above its share gets 429 with Retry-After, and no other organization does', async () => {
  const stage = await service();
  const other = await organizationWithOtherKey(stage);
  const flooding = () => stage.api.get('/projects');
  expect(await flood(SHARE + 50, flooding)).toEqual({ 200: SHARE, 429: 50 });
  expect(await flood(100, () => other.api.get('/projects'))).toEqual({ 200: 100 });
  const refused = await flooding();
  expect(refused.headers.get('retry-after')).toBe('2');
  expect(refused.body).toEqual({
    status: 'FAILED',
    error: 'Too many requests. Wait as long as Retry-After says, then try again',
  });
  clock.advance(2000);
  const refilled = 2 * organizationThrottle.requestsPerSecond;
  expect(await flood(refilled + 1, flooding)).toEqual({ 200: refilled, 429: 1 });
});

test('All credentials and all operations of an organization use the same share', async () => {
  const stage = await service();
  expect(await flood(SHARE - 10, () => stage.api.get(`/webhooks?projectId=${stage.projectId}`))).toEqual({
    200: SHARE - 10,
  });
  expect(await flood(20, () => stage.reader.get(`/projects/${stage.projectId}`))).toEqual({ 200: 10, 429: 10 });
});

test('Requests without a valid credential take nothing from the share of an organization', async () => {
  const stage = await service();
  const path = `/projects/${stage.projectId}/runs`;
  const named = { headers: { 'x-api-key': gatewayKeyOf('dev', stage.organizationId) } };
  const forged = client(stage.origin, `${stage.keys.readOnly.slice(0, -4)}0000`);
  for (const stranger of [stage.anonymous, forged, client(stage.origin, 'nonsense')]) {
    expect(await flood(50, () => stranger.get(path, named))).toEqual({ 401: 50 });
  }
  expect(await flood(SHARE + 1, () => stage.reader.get(path))).toEqual({ 200: SHARE, 429: 1 });
});
