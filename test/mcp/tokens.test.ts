import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { changeRole } from '#shared/organizations/members.ts';
import { FORGERIES } from '#test/access/forgeries.ts';
import { sampled } from '#test/harness/cases.ts';
import { client } from '#test/harness/client.ts';
import { claimsOf, signed } from '#test/harness/issuer.ts';
import { member, token } from '#test/harness/people.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';
import { ask, callTool, toolsOf } from './agents.ts';

type Stage = TestService & Tenant;

const DAY_MILLISECONDS = 86_400_000;

/** The same stage, but with tokens for the MCP resource. */
const forMcp = (stage: Stage): Stage => ({ ...stage, origin: `${stage.origin}/mcp` });

const asksMcp = async ({ origin }: Stage, value: string) => (await ask(origin, value, 'tools/list')).status;
const asksApi = async ({ origin }: Stage, value: string) => (await client(origin, value).get('/projects')).status;

/** Creates an Admin and, a day later, a valid access token of this Admin for the resource `audience`. */
async function accessToken(stage: Stage, audience: string, scope = 'projects:read results:read runs:write') {
  const { accountId } = await member(stage, 'admin');
  clock.advance(DAY_MILLISECONDS);
  const claims = claimsOf(stage.issuer, { ...stage, origin: audience }, accountId, { scope });
  return { accountId, value: await signed(claims, stage.issuer.key) };
}

describe('§5.3 An access token', () => {
  test('An access token for the MCP resource works at the MCP resource, and gets 401 at the REST API', async () => {
    const stage = await service();
    const { value } = await accessToken(stage, `${stage.origin}/mcp`);
    expect([await asksMcp(stage, value), await asksApi(stage, value)]).toEqual([200, 401]);
  });

  test('An access token for the REST API works at the REST API, and gets 401 at the MCP resource', async () => {
    const stage = await service();
    const { value } = await accessToken(stage, stage.origin);
    expect([await asksMcp(stage, value), await asksApi(stage, value)]).toEqual([401, 200]);
  });

  test('An access token is limited by the current role of its holder, in the list of tools and in calls', async () => {
    const stage = await service();
    await member(stage, 'admin');
    const { accountId, value } = await accessToken(stage, `${stage.origin}/mcp`);
    expect(await toolsOf(stage.origin, value)).toContain('cancel_run');
    const { organizationId, services } = stage;
    await changeRole(services, { organizationId, accountId, role: 'guest', actor: OPERATOR });
    expect(await toolsOf(stage.origin, value)).not.toContain('cancel_run');
    const { text, isError } = await callTool(stage.origin, value, 'cancel_run', { runId: 'r' });
    expect({ isError, code: JSON.parse(text).code }).toEqual({ isError: true, code: 'insufficient_role' });
  });
});

test('API keys and personal tokens are accepted by the REST API and the MCP resource', async () => {
  const stage = await service();
  const { value } = await token(stage);
  for (const credential of [stage.keys.readOnly, value]) {
    expect([await asksMcp(stage, credential), await asksApi(stage, credential)]).toEqual([200, 200]);
  }
});

test('§5.3 The REST API and the MCP resource refuse each of at least 20 kinds of forged access tokens', async () => {
  expect(FORGERIES.length).toBeGreaterThanOrEqual(20);
  const stage = await service();
  const accepted: string[] = [];
  const resources = [
    { resource: 'the REST API', asks: asksApi, of: stage },
    { resource: 'the MCP resource', asks: asksMcp, of: forMcp(stage) },
  ];
  // `npm test` tries each forged token at only one of the two resources, and alternates between the resources.
  for (const [row, { name, make }] of FORGERIES.entries())
    for (const { resource, asks, of } of sampled(resources, 2, row))
      if ((await asks(stage, await make(of))) !== 401) accepted.push(`${name} at ${resource}`);
  expect(accepted).toEqual([]);
});
