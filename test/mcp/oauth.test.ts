import { beforeEach, expect, test, vi } from 'vitest';
import { sampled } from '#test/harness/cases.ts';
import { describeInChromium } from '#test/harness/chromium.ts';
import { client } from '#test/harness/client.ts';
import { member } from '#test/harness/people.ts';
import { acceptLocalClients, issueOwnTokens, service } from '#test/harness/service.ts';
import { allow } from '#test/oauth/allow-in-chromium.ts';
import { clientHost } from '#test/oauth/client-host.ts';
import { Memory, OAUTH_AGENTS } from './oauth-agents.ts';

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
