/** Checks that a scheduled function works with the permissions of its own role. */
import assert from 'node:assert/strict';
import * as z from 'zod';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { readOrganizationTokens } from '#shared/organizations/list-personal-tokens.ts';
import { addMember, leaveOrganization } from '#shared/organizations/members.ts';
import { createPersonalToken } from '#shared/organizations/personal-tokens.ts';
import type { Services } from '#shared/services.ts';
import type { Emulator } from './emulator.ts';
import { invoke } from './functions.ts';

const Report = z.object({ revoked: z.int(), finished: z.boolean() });

/** Checks that the clean-up revokes the token of a member who left. */
export async function cleanUp(emulator: Emulator, services: Services): Promise<void> {
  const { organizationId } = await createOrganization(services, { name: 'Left', actor: OPERATOR });
  const [owner] = [await join(services, organizationId), await join(services, organizationId)];
  const request = { organizationId, actor: makePerson(owner), name: 'laptop', permissions: ['results:read'] };
  await createPersonalToken(services, request);
  await leaveOrganization(services, request);
  const report = await invoke(emulator, 'rundown-dev-cleanUpTokens', { scheduledTime: new Date().toISOString() });
  assert.deepEqual(Report.parse(JSON.parse(report)), { revoked: 1, finished: true });
  const [token] = await readOrganizationTokens(services, { organizationId });
  assert.ok(token?.revokedAt !== undefined, 'The clean-up did not revoke the token');
}

async function join(services: Services, organizationId: string) {
  const account = await createAccount(services, { email: `${crypto.randomUUID()}@example.com`, name: 'Alex Doe' });
  await addMember(services, { organizationId, accountId: account.accountId, role: 'admin', actor: OPERATOR });
  return account;
}
