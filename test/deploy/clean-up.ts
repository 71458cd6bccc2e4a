/** A scheduled function, with the permissions that its role has. */
import assert from 'node:assert/strict';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/protocol-http';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod';
import { createPersonalToken } from '#shared/credentials/personal-tokens.ts';
import { tokensOf } from '#shared/credentials/tokens-of.ts';
import { OPERATOR, person } from '#shared/organizations/actor.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { addMember, leaveOrganization } from '#shared/organizations/members.ts';
import type { Services } from '#shared/services.ts';
import type { Emulator } from './emulator.ts';

const Report = z.object({ revoked: z.int(), finished: z.boolean() });

/** Somebody makes a token and leaves; the function that runs each night marks it dead. */
export async function cleanUp(emulator: Emulator, services: Services): Promise<void> {
  const { organizationId } = await createOrganization(services, { name: 'Left', actor: OPERATOR });
  const [owner] = [await join(services, organizationId), await join(services, organizationId)];
  const request = { organizationId, actor: person(owner), name: 'laptop', permissions: ['results:read'] };
  await createPersonalToken(services, request);
  await leaveOrganization(services, request);
  const report = await invoke(emulator, 'rundown-dev-cleanUpTokens', { scheduledTime: new Date().toISOString() });
  assert.deepEqual(Report.parse(JSON.parse(report)), { revoked: 1, finished: true });
  const [token] = await tokensOf(services, { organizationId });
  assert.ok(token?.revokedAt !== undefined, 'The token is still listed as live');
}

async function join(services: Services, organizationId: string) {
  const account = await createAccount(services, { email: `${crypto.randomUUID()}@example.com`, name: 'Alex Doe' });
  await addMember(services, { organizationId, accountId: account.accountId, role: 'admin', actor: OPERATOR });
  return account;
}

/** Waits for the function's answer, as no schedule does. */
async function invoke({ endpoint, environment }: Emulator, name: string, input: object): Promise<string> {
  const { AWS_REGION: region = '', AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY = '' } = environment;
  const credentials = { accessKeyId, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  const { hostname, host, protocol } = new URL(endpoint);
  const [method, path] = ['POST', `/2015-03-31/functions/${name}/invocations`];
  const body = JSON.stringify(input);
  const signer = new SignatureV4({ service: 'lambda', region, credentials, sha256: Sha256 });
  const request = new HttpRequest({ method, hostname, protocol, path, body, headers: { host } });
  const { headers } = await signer.sign(request);
  const response = await fetch(`${endpoint}${path}`, { method, headers, body });
  const answer = await response.text();
  assert.equal(response.headers.get('x-amz-function-error'), null, `${name}: ${answer}`);
  assert.equal(response.status, 200, `${name}: ${answer}`);
  return answer;
}
