import { describe, expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import { buildToolActions } from '#infra/build/tools.ts';
import { findRequiredScope } from '#shared/access/actions.ts';
import { SCOPES_OF_TOOLS } from '#shared/access/protected-resource.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import { claimsOf, signed } from '#test/harness/issuer.ts';
import { member, token } from '#test/harness/people.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';
import { messagesIn, sendModern, sendRaw } from './agents.ts';

type Stage = TestService & Tenant;

const DAY_MILLISECONDS = 86_400_000;
const READS = 'projects:read results:read analytics:read actions:read';
const TOOL_ACTIONS = buildToolActions(await loadDeclarations());

/** An access token for the MCP server, of a new member who joined a day ago. */
async function accessToken(stage: Stage, scope: string, role: Role = 'admin'): Promise<string> {
  const { accountId } = await member(stage, role);
  clock.advance(DAY_MILLISECONDS);
  const claims = claimsOf(stage.issuer, { ...stage, origin: `${stage.origin}/mcp` }, accountId, { scope });
  return signed(claims, stage.issuer.key);
}

/** Calls a tool without arguments, in protocol version 2026-07-28. */
const call = ({ origin }: Stage, credential: string, name: string, headers: Readonly<Record<string, string>> = {}) =>
  sendModern(origin, credential, { method: 'tools/call', params: { name, arguments: {} } }, headers);

describe('A call of a tool whose permission the access token lacks', () => {
  test('is answered with 403 and a challenge that names the permission and the document of the MCP server, for each tool', async () => {
    const stage = await service();
    const reader = await accessToken(stage, READS);
    const granted = READS.split(' ');
    for (const [tool, action] of Object.entries(TOOL_ACTIONS)) {
      const { status, headers, body } = await call(stage, reader, tool);
      const scope = findRequiredScope(action);
      if (scope === undefined || granted.includes(scope)) {
        expect({ tool, status, isRefused: JSON.stringify(body).includes('insufficient_scope') }).toEqual({
          tool,
          status: 200,
          isRefused: false,
        });
        continue;
      }
      const metadata = `${stage.origin}/.well-known/oauth-protected-resource/mcp`;
      expect({ tool, status, challenge: headers.get('www-authenticate'), code: body.code }).toEqual({
        tool,
        status: 403,
        challenge: `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${metadata}"`,
        code: 'insufficient_scope',
      });
    }
  });

  test.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
    'is answered with an error of the tool in version %s of the protocol, whose clients do not ask for more',
    async (version) => {
      const stage = await service();
      const params = { name: 'create_issue', arguments: {} };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      const headers = { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': 'create_issue' };
      const answer = await sendRaw(stage.origin, await accessToken(stage, READS), body, headers);
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([200, null]);
      const [{ result }] = messagesIn(answer);
      expect(result.isError).toBe(true);
      expect(JSON.parse(result.content[0].text)).toMatchObject({ code: 'insufficient_scope' });
    },
  );

  test('gets no challenge if nobody can grant the permission: to an API key, to a personal token, and if the role does not allow it', async () => {
    const stage = await service();
    const personal = await token(stage, { permissions: ['results:read'] });
    const guest = await accessToken(stage, 'results:read', 'guest');
    for (const credential of [stage.keys.readOnly, personal.value, guest]) {
      const answer = await call(stage, credential, 'create_issue');
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([200, null]);
      expect(messagesIn(answer)[0].result.isError).toBe(true);
    }
  });

  test('is refused in each case if the header names another tool than the body', async () => {
    const stage = await service();
    const reader = await accessToken(stage, READS);
    const hidden = await call(stage, reader, 'delete_run', { 'mcp-name': 'list_projects' });
    expect(hidden.status).toBe(400);
    const shown = await call(stage, reader, 'list_projects', { 'mcp-name': 'delete_run' });
    expect(shown.status).toBe(403);
    for (const name of ['constructor', '__proto__', 'unknown'])
      expect((await call(stage, reader, name)).headers.get('www-authenticate')).toBeNull();
  });
});

test('The consent page can offer each permission that a tool needs, and no other', () => {
  const scopes = Object.values(TOOL_ACTIONS).flatMap((action) => findRequiredScope(action) ?? []);
  expect([...SCOPES_OF_TOOLS].sort()).toEqual([...new Set(scopes)].sort());
});
