/** §5 Revocation with eventually consistent reads that show the state of a second ago, so that all credentials still exist there. */
import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { deleteApiKey } from '#shared/organizations/delete-api-key.ts';
import { listApiKeys } from '#shared/organizations/list-api-keys.ts';
import { removeMember } from '#shared/organizations/members.ts';
import { revokePersonalToken } from '#shared/organizations/personal-tokens.ts';
import { cases } from '#test/harness/cases.ts';
import type { Answer, Client } from '#test/harness/client.ts';
import { liveInstances, sendBatch } from '#test/harness/live-recording.ts';
import { member, type Token, token } from '#test/harness/people.ts';
import { claim, firstMessage, startRun } from '#test/harness/recording.ts';
import { passed, runBody, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, readStale, serveStaleReads, service, type Tenant, type TestService } from '#test/harness/service.ts';

serveStaleReads();

type Stage = TestService & Tenant;

const REQUESTS = Math.min(cases(10_000, 60), 10_000);
const SUITE = [suiteGroup('retail', ['cart.spec.ts > sums', 'cart.spec.ts > nets'])];

/** A client whose credential the stale state knows, and its requests, of which each has succeeded. */
async function prepareRequests(stage: Stage, api: Client): Promise<readonly (() => Promise<Answer>)[]> {
  const run = await startRun(stage, SUITE);
  const claimed = await claim(stage, { ...run, machineId: 'm1' }, 'cart.spec.ts');
  const message = { ...firstMessage(claimed, 'cart.spec.ts > sums', passed()), machineId: 'm1' };
  const batch = {
    machineId: 'm1',
    sequence: 0,
    instances: liveInstances('retail', { 'cart.spec.ts > nets': passed() }),
  };
  const requests = [
    () => api.post('@/test-record', message),
    () => api.post('@/runs/v1', runBody(stage.projectId, SUITE)),
    () => sendBatch({ api }, run.runId, batch),
    () => api.get('/projects'),
    () => api.get(`/runs/${run.runId}`),
  ];
  clock.advance(2000);
  return requests;
}

async function countSuccesses(requests: readonly (() => Promise<Answer>)[]): Promise<Record<number, number>> {
  const rounds = Array.from({ length: REQUESTS }, (_, index) => requests[index % requests.length]);
  const answers = await mapConcurrently(rounds, async (send) => (await send?.())?.status ?? 0);
  return Object.fromEntries([...Map.groupBy(answers, (status) => status)].map(([status, all]) => [status, all.length]));
}

const events: readonly (readonly [string, (stage: Stage, one: Token) => Promise<unknown>])[] = [
  [
    'it was revoked',
    ({ services, organizationId }, { tokenId, owner }) =>
      revokePersonalToken(services, { organizationId, tokenId, actor: makePerson(owner) }),
  ],
  [
    'its owner was removed',
    ({ services, organizationId }, { owner: { accountId } }) =>
      removeMember(services, { organizationId, accountId, actor: OPERATOR }),
  ],
];

describe.each(['second', 'write'] as const)('§5 If eventually consistent reads are old (%s)', (staleness) => {
  test('no request with an API key succeeds after the key was deleted', async () => {
    const stage = await service();
    const { services, organizationId, keys, api } = stage;
    const requests = await prepareRequests(stage, api);
    const scope = { organizationId, actor: OPERATOR };
    readStale('none');
    expect((await api.get('/projects')).status).toBe(200);
    const keyId = (await listApiKeys(services, scope)).find(({ lastFour }) => keys.readWrite.endsWith(lastFour))?.keyId;
    readStale(staleness);
    await deleteApiKey(services, { ...scope, keyId: keyId ?? '' });
    expect(await countSuccesses(requests)).toEqual({ 401: REQUESTS });
  });

  test('no request with an API key succeeds after its organization was deactivated', async () => {
    const stage = await service();
    const requests = await prepareRequests(stage, stage.api);
    readStale(staleness);
    await deactivateOrganization(stage.services, { organizationId: stage.organizationId, actor: OPERATOR });
    expect(await countSuccesses(requests)).toEqual({ 401: REQUESTS });
  });

  test.each(events)('no request with a personal token succeeds after %s', async (_, happens) => {
    const stage = await service();
    readStale('none');
    await member(stage, 'admin');
    const created = await token(stage);
    clock.advance(2000);
    expect((await created.api.get('/projects')).status).toBe(200);
    readStale(staleness);
    await happens(stage, created);
    expect(await countSuccesses([() => created.api.get('/projects')])).toEqual({ 401: REQUESTS });
  });
});
