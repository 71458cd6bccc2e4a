/** Collects refusals by API Gateway and by functions, to compare them before and after an update. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { RefusalBody } from '#infra/cli/verify/refusals.ts';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { BODY_LIMITS } from '#shared/engine/http/limits.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { addMember } from '#shared/organizations/members.ts';
import { createPersonalToken } from '#shared/organizations/personal-tokens.ts';
import type { Services } from '#shared/services.ts';
import type { Emulator } from './emulator.ts';
import { brokenFunction } from './functions.ts';
import type { Account } from './recording.ts';

interface Case {
  readonly name: string;
  readonly status: number;
  readonly path: string;
  readonly init?: RequestInit;
}

/** The uncompressed size of a body that is small when compressed, but exceeds the limit. */
const INFLATED_BYTES = 2 * BODY_LIMITS.bytes;

export type Refusals = Readonly<Record<string, unknown>>;

/** Creates a token with only the permission to read results. */
export async function readerToken(services: Services): Promise<string> {
  const { organizationId } = await createOrganization(services, { name: 'Refused', actor: OPERATOR });
  const account = await createAccount(services, { email: `${crypto.randomUUID()}@example.com`, name: 'Kim Doe' });
  await addMember(services, { organizationId, accountId: account.accountId, role: 'admin', actor: OPERATOR });
  const request = { organizationId, actor: makePerson(account), name: 'reader', permissions: ['results:read'] };
  const { value } = await createPersonalToken(services, request);
  return value;
}

/** Causes each refusal, and checks its status and its format (§7). */
export async function refusals(
  emulator: Emulator,
  origin: string,
  { token, recordKey }: Pick<Account, 'recordKey'> & { readonly token: string },
): Promise<Refusals> {
  const headers = { authorization: `Bearer ${token}` };
  const keyed = { 'x-currents-key': recordKey };
  const inflated = { ...keyed, 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const bomb = { method: 'POST', headers: inflated, body: gzipSync(Buffer.alloc(INFLATED_BYTES, ' ')) };
  const cases: Case[] = [
    { name: 'no credential', status: 401, path: '/v1/runs/none' },
    { name: 'too few permissions', status: 403, path: '/v1/runs/none/cancel', init: { method: 'PUT', headers } },
    { name: 'recording with a token', status: 403, path: '/runs/v1', init: { method: 'POST', headers, body: '{}' } },
    { name: 'no such route', status: 404, path: '/v1/no-such-route', init: { method: 'PUT', headers } },
    { name: 'no such route, which a page matches', status: 404, path: '/v1/no-such-route', init: { headers } },
    { name: 'no such run', status: 404, path: '/v1/runs/none', init: { headers } },
    { name: 'broken body', status: 400, path: '/v1/runs', init: { method: 'POST', headers: keyed, body: '{' } },
    { name: 'body too large', status: 413, path: '/runs/v1', init: bomb },
  ];
  const found = new Map<string, unknown>();
  for (const one of cases) found.set(one.name, await refusal(origin, one));
  const restore = await brokenFunction(emulator, 'rundown-dev-authorizer');
  try {
    const broken = { name: 'credential that cannot be checked', status: 503, path: '/v1/runs/none', init: { headers } };
    found.set(broken.name, await refusal(origin, broken));
  } finally {
    await restore();
  }
  return Object.fromEntries(found);
}

async function refusal(origin: string, { name, status, path, init = {} }: Case): Promise<unknown> {
  const response = await fetch(`${origin}${path}`, init);
  const text = await response.text();
  assert.equal(response.status, status, `${name}: ${text}`);
  const { error, ...body } = RefusalBody.parse(JSON.parse(text), { error: () => `${name}: ${text}` });
  const names = ['content-type', 'www-authenticate', 'retry-after'];
  const headers = names.map((header) => [header, response.headers.get(header)]);
  // Request ids are removed, because they differ each time.
  return { status, body, error: error.replaceAll(/[0-9a-f-]{36}/g, '<id>'), ...Object.fromEntries(headers) };
}
