import { describe, expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import { toSnakeCase } from '#infra/build/tools.ts';
import { ACCESS_TOKEN_STATES } from '#test/access/access-token-states.ts';
import { expectedOf } from '#test/access/oracle.ts';
import { STATES as STORED } from '#test/access/states.ts';
import { attack } from '#test/harness/attacks.ts';
import { sampled } from '#test/harness/cases.ts';
import { service } from '#test/harness/service.ts';
import { ask, messagesIn, sendRaw } from './agents.ts';

const STATES = [...STORED, ...ACCESS_TOKEN_STATES];
const operations = (await loadDeclarations())
  .filter(({ declaration: { tool } }) => tool !== undefined && tool !== 'none')
  .map(({ declaration }) => declaration.operationId);

/** An argument that no tool has. An allowed call is refused only because of this argument, so it changes nothing. */
const NONSENSE = { nonsense: true };
const BATCH = 10;

/** Calls each tool. Returns `allowed` or the error code of the refusal, by operation. */
async function answers(origin: string, credential: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (let from = 0; from < operations.length; from += BATCH) {
    const some = operations.slice(from, from + BATCH);
    const calls = some.map((operationId, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: toSnakeCase(operationId), arguments: NONSENSE },
    }));
    for (const { id, result } of messagesIn(await sendRaw(origin, credential, JSON.stringify(calls)))) {
      const { error, code = '403' } = JSON.parse(result.content[0].text);
      found[some[id] ?? ''] = String(error).startsWith('Unknown argument') ? 'allowed' : code;
    }
  }
  return found;
}

describe('§5 The list of tools', () => {
  test('The permission tests of MCP cover at least 100 states of credentials and 39 tools', () => {
    expect(STATES.length).toBeGreaterThanOrEqual(100);
    expect(operations).toHaveLength(39);
  });

  test.each(
    sampled(
      STATES.map((state) => [state.name, state] as const),
      3,
    ),
  )('The list of tools contains exactly the tools that may be called with %s', async (_, { rights, make }) => {
    const stage = await service();
    // An access token works for these calls only if it was issued for the MCP resource.
    const credential = await make({ ...stage, origin: `${stage.origin}/mcp` });
    const { status, result } = await ask(stage.origin, credential, 'tools/list');
    if (rights.is === 'nobody') {
      attack('unusable credentials');
      return void expect(status).toBe(401);
    }
    const expected = operations.map((operationId) => {
      const answer = expectedOf(rights, operationId);
      return [operationId, answer.status < 300 ? 'allowed' : ('code' in answer && answer.code) || '403'] as const;
    });
    const allowed = expected
      .filter(([, answer]) => answer === 'allowed')
      .map(([operationId]) => toSnakeCase(operationId));
    attack('permissions', expected.length - allowed.length);
    expect(result.tools.map(({ name }: { name: string }) => name).sort()).toEqual(allowed.sort());
    expect(await answers(stage.origin, credential)).toEqual(Object.fromEntries(expected));
  });
});
