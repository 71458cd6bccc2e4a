/**
 * Each organization has a share of the gateway's capacity. The clock stands still unless a test moves it, so that no
 * token bucket refills meanwhile. The tests flood different operations, and send each fewer requests than its own limit
 * (400), so that only shares can cause a refusal.
 */
import { expect, test } from 'vitest';
import { ENVIRONMENTS } from '#infra/build/environments.ts';
import { pickGatewayKey } from '#shared/access/gateway-key.ts';
import { type Client, client } from '#test/harness/client.ts';
import { clock, service, type Tenant, type TestService, throttleRequests } from '#test/harness/service.ts';

throttleRequests();

const { organizationThrottle } = ENVIRONMENTS.dev;
const SHARE = organizationThrottle.burstRequests;

/** Sends this many requests, and counts the answers by status. */
async function flood(requests: number, send: () => ReturnType<Client['get']>): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  for (let left = requests; left > 0; left -= 25) {
    const answers = await Promise.all(Array.from({ length: Math.min(25, left) }, send));
    for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

/** The gateway keys that organizations of this file already use. */
const taken = new Set<string>();

/**
 * Creates an organization whose gateway key no other organization of this file has. Without this check, two
 * organizations would have the same key in one of 64 cases.
 */
async function organizationWithOwnKey({ tenant }: Pick<TestService, 'tenant'>): Promise<Tenant> {
  for (;;) {
    const made = await tenant();
    const key = pickGatewayKey('dev', made.organizationId);
    if (taken.has(key)) continue;
    taken.add(key);
    return made;
  }
}

test('An organization that exceeds its share of the capacity gets 429 with Retry-After for each of its keys in several operations, but an organization with another API Gateway key does not', async () => {
  const here = await service();
  const flooder = await organizationWithOwnKey(here);
  const other = await organizationWithOwnKey(here);
  const flooding = () => flooder.api.get('/projects');
  expect(await flood(SHARE + 10, flooding)).toEqual({ 200: SHARE, 429: 10 });
  const { projectId } = flooder;
  for (const path of [`/projects/${projectId}`, `/webhooks?projectId=${projectId}`]) {
    for (const { get } of [flooder.api, flooder.reader]) expect((await get(path)).status).toBe(429);
    expect((await other.api.get(path.replace(projectId, other.projectId))).status).toBe(200);
  }
  expect(await flood(25, () => other.api.get('/projects'))).toEqual({ 200: 25 });
  const refused = await flooding();
  expect(refused.headers.get('retry-after')).toBe('2');
  expect(refused.body).toEqual({
    status: 'FAILED',
    error: 'Too many requests. Wait as long as Retry-After says, then try again',
  });
  clock.advance(200);
  const refilled = organizationThrottle.requestsPerSecond / 5;
  expect(await flood(refilled + 1, flooding)).toEqual({ 200: refilled, 429: 1 });
});

test('Requests without a valid credential do not count against the capacity share of an organization', async () => {
  const here = await service();
  const { organizationId, projectId, keys, reader } = await organizationWithOwnKey(here);
  const path = `/projects/${projectId}/runs`;
  const named = { headers: { 'x-api-key': pickGatewayKey('dev', organizationId) } };
  const forged = client(here.origin, `${keys.readOnly.slice(0, -4)}0000`);
  for (const stranger of [here.anonymous, forged, client(here.origin, 'nonsense')]) {
    expect(await flood(10, () => stranger.get(path, named))).toEqual({ 401: 10 });
  }
  expect(await flood(SHARE + 1, () => reader.get(path))).toEqual({ 200: SHARE, 429: 1 });
});
