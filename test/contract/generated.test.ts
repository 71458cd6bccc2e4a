import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import type { Declaration } from '#shared/platform/declaration.ts';
import { sampleWorld } from '#test/engine/http/sample-requests.ts';
import { send, type WireAnswer, type WireRequest } from '#test/engine/http/wire.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import { cases, IS_DEEP } from '#test/harness/cases.ts';
import { service } from '#test/harness/service.ts';
import { readOpenApi } from '#test/harness/stage.ts';
import { allowed, hostile, nearlyAllowed } from './any-request.ts';
import type { Known } from './any-value.ts';
import { contractOf } from './contract.ts';
import { type DescribedOperation, readDocument } from './document.ts';
import { explanationOf } from './explanations.ts';

const document = await readOpenApi();
const contract = contractOf(document);
const { operations } = readDocument(document);
const declarations = new Map(
  (await loadDeclarations()).map(({ declaration }) => [declaration.operationId, declaration]),
);

const stages: Record<string, ReturnType<typeof prepared>> = {};
/**
 * Each operation that changes data gets its own test data, because requests may change any of it. In `npm test`, the
 * POST operations share their test data to save time.
 */
async function stage({ operationId }: DescribedOperation) {
  const declaration = declarations.get(operationId) ?? expect.fail(`${operationId} is not declared`);
  const { method } = declaration;
  const isShared = method === 'GET' || (method === 'POST' && !IS_DEEP);
  const name = isShared ? method : operationId;
  const alike = [...declarations.values()].filter((one) => one.method === method);
  stages[name] ??= prepared(isShared ? alike : [declaration]);
  return asking(declaration, await stages[name]);
}

/** Creates an organization with the sample data that `operations` need. */
async function prepared(operations: readonly Declaration[]) {
  const tenant = await service();
  return { tenant, world: await sampleWorld(tenant, operations) };
}

/**
 * Returns a client that sends generated requests with a valid credential and checks the responses against the OpenAPI
 * document.
 */
async function asking(
  { credentialKinds, credential }: Declaration,
  { tenant, world }: Awaited<ReturnType<typeof prepared>>,
) {
  const key = credentialKinds.includes('apiKey') ? tenant.keys.readWrite : (await accessToken(tenant)).value;
  const headers = credential === 'none' ? [] : [['authorization', `Bearer ${key}`] as const];
  const ids = Object.entries(world).filter(([name, id]) => name !== 'keys' && id !== '');
  const known: Known = {
    ...Object.fromEntries(ids.map(([name, id]) => [name, fc.constant(id)])),
    run_id: fc.constantFrom(world.runId, world.doomedRunId || world.runId),
    instance_id: fc.constant(world.instanceId),
    recordKey: fc.constant(tenant.keys.readWrite),
    url: fc.constantFrom('http://127.0.0.1:8080/hook', 'https://a.example/hook'),
  };
  const ask = async (request: WireRequest) => {
    const answer = await send(tenant.origin, { ...request, headers: [...(request.headers ?? []), ...headers] });
    const breach = contract({ ...request, target: request.path, ...answer, headers: Object.entries(answer.headers) });
    expect({ breach, status: answer.status }).toEqual({
      breach: undefined,
      status: expect.toSatisfy((status) => status < 500),
    });
    return answer;
  };
  return { document, known, ask };
}

const errorOf = ({ body }: WireAnswer): string => JSON.parse(body.toString()).error;

describe.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
  '%s',
  (_, operation) => {
    test('An operation accepts requests that the OpenAPI document allows, or refuses them for a documented reason', async () => {
      const { ask, ...known } = await stage(operation);
      const property = fc.asyncProperty(allowed(operation, known), async (request) => {
        const answer = await ask(request);
        if (answer.status !== 400) return;
        const error = errorOf(answer);
        expect({ error, explained: explanationOf(document, operation, error) }).toEqual({
          error,
          explained: expect.any(String),
        });
      });
      await fc.assert(property, { numRuns: cases(10, 1) });
    });

    test('An operation responds to nearly valid requests as documented, and never with an internal error', async () => {
      const { ask, ...known } = await stage(operation);
      const property = fc.asyncProperty(nearlyAllowed(operation, known), async (request) => void (await ask(request)));
      await fc.assert(property, { numRuns: cases(10, 1) });
    });

    test('An operation responds to arbitrary bytes as documented, and never with an internal error', async () => {
      const { ask } = await stage(operation);
      const property = fc.asyncProperty(hostile(operation), async (request) => void (await ask(request)));
      await fc.assert(property, { numRuns: cases(5, 1) });
    });
  },
);
