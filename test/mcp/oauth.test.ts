import { beforeEach, expect, test, vi } from 'vitest';
import type { Scope } from '#shared/model/organizations/permissions.ts';
import { sampled } from '#test/harness/cases.ts';
import { describeInChromium } from '#test/harness/chromium.ts';
import { client } from '#test/harness/client.ts';
import { member } from '#test/harness/people.ts';
import { acceptLocalClients, issueOwnTokens, service } from '#test/harness/service.ts';
import { GithubIssues } from '#test/harness/trackers/github.ts';
import { stage as trackerStage } from '#test/issues/stage.ts';
import { allow } from '#test/oauth/allow-in-chromium.ts';
import { clientHost } from '#test/oauth/client-host.ts';
import { Memory, OAUTH_AGENTS, type OauthAgent } from './oauth-agents.ts';

issueOwnTokens();
acceptLocalClients();

/** Uses the real clock, because the browser and the clients use it. */
beforeEach(() => void vi.useRealTimers());

const WAYS = {
  'a registration': async () => undefined,
  'a metadata document': async () => (await clientHost()).clientId,
};

/**
 * `npm test` tries each agent with only one of the two ways to identify a client. Each way is tried with at least one
 * agent.
 */
const CASES = Object.entries(OAUTH_AGENTS).flatMap(([agent, calls], index) =>
  sampled(Object.entries(WAYS), 2, index).map(([way, clientIdOf]) => ({ agent, calls, way, clientIdOf })),
);

describeInChromium('An agent with OAuth', () => {
  test.each(CASES)(
    '$agent, identified by $way, finds the authorization server, gets tools after consent, and renews its access token if it got a refresh token',
    async ({ calls, clientIdOf }) => {
      const stage = await service();
      vi.useRealTimers();
      const endpoint = new URL('/mcp', stage.origin);
      const memory = new Memory(await clientIdOf());
      await expect(calls.tools(endpoint, memory)).rejects.toThrow();
      const asked = memory.asked ?? expect.unreachable('The client did not open the authorization page');
      expect(asked.searchParams.get('resource')).toBe(endpoint.href);
      const redirect = await allow(stage, await member(stage, 'member'), asked);
      await calls.finish(endpoint, memory, redirect);
      const tools = await calls.tools(endpoint, memory);
      expect(tools).toEqual(expect.arrayContaining(['list_runs', 'get_context']));
      expect(tools).not.toContain('delete_run');
      const { access_token: token = '', refresh_token: renewal } = memory.held ?? {};
      expect((await client(stage.origin, token).get('/projects')).status).toBe(401);
      memory.asked = undefined;
      expect(await calls.renew(endpoint, memory)).toBe(renewal !== undefined);
      if (renewal !== undefined) expect(await calls.tools(endpoint, memory)).toEqual(tools);
    },
  );
});

describeInChromium('An agent with OAuth that may create issues', () => {
  test.each(Object.entries(OAUTH_AGENTS))(
    '%s creates an issue if the person ticked that permission, which the client does not ask for',
    async (_, calls) => {
      const { endpoint, memory, consent, create, tracker } = await issueStage();
      await expect(calls.tools(endpoint, memory)).rejects.toThrow();
      expect(memory.asked?.searchParams.get('scope')).not.toContain('issues:write');
      await calls.finish(endpoint, memory, await consent(['issues:write']));
      expect(memory.held?.scope?.split(' ')).toContain('issues:write');
      expect(await calls.tools(endpoint, memory)).toContain('create_issue');
      expect(await create(calls)).not.toHaveProperty('isError', true);
      expect(tracker.issues().length).toBe(1);
    },
  );

  test('A client of protocol version 2026-07-28 asks the person for the permission when it is missing, and then creates the issue', async () => {
    const calls = OAUTH_AGENTS['version 2 of the official client'] ?? expect.unreachable();
    const { endpoint, memory, consent, create, tracker } = await issueStage();
    await expect(calls.tools(endpoint, memory)).rejects.toThrow();
    await calls.finish(endpoint, memory, await consent());
    const { scope: firstScope = '' } = memory.held ?? {};
    await expect(create(calls)).rejects.toThrow();
    const askedScopes = memory.asked?.searchParams.get('scope')?.split(' ');
    expect(askedScopes).toEqual(expect.arrayContaining([...firstScope.split(' '), 'issues:write']));
    await calls.finish(endpoint, memory, await consent());
    expect(await create(calls)).not.toHaveProperty('isError', true);
    expect(tracker.issues().length).toBe(1);
  });
});

/** A member with a failing run and an issue tracker, whose agent registers itself. */
async function issueStage() {
  const here = await trackerStage(() => new GithubIssues().start());
  vi.useRealTimers();
  const account = await member(here, 'member');
  const endpoint = new URL('/mcp', here.origin);
  const memory = new Memory();
  const args = { projectId: here.projectId, ...here.wanted };
  return {
    endpoint,
    memory,
    tracker: here.tracker,
    consent: (furtherScopes: readonly Scope[] = []) => {
      const asked = memory.asked ?? expect.unreachable('The client did not open the authorization page');
      return allow(here, account, asked, furtherScopes);
    },
    create: (calls: OauthAgent) => calls.call(endpoint, memory, 'create_issue', args),
  };
}
