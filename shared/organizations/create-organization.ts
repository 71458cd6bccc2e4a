/** §5 Creates an organization: with its creator as first Admin, or without members if the operator creates it. */
import type { Actor } from '#shared/access/actor.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { ABSENT, put, type Write } from '#shared/engine/table/writes.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import { allOrganizations, type Organization, organizations } from '#shared/model/organizations/organization.ts';
import type { CoreServices } from '#shared/services.ts';
import { change } from './change.ts';
import { makeAccountCheck, planMembershipRows } from './membership-rows.ts';
import { parseName } from './name-inputs.ts';
import { requireKnownHolder } from './unproven-account.ts';

const ORGANIZATION_ID_CHARACTERS = 16;
const CURSOR_SECRET_BYTES = 32;

export const makeCursorSecret = ({ randomId }: Pick<CoreServices, 'randomId'>): Uint8Array =>
  Buffer.from(randomId(CURSOR_SECRET_BYTES * 2), 'hex');

export async function createOrganization(
  services: CoreServices,
  { name, actor }: { readonly name: string; readonly actor: Actor },
): Promise<Organization> {
  const { table, now, randomId } = services;
  const founder = actor.kind === 'person' ? actor : undefined;
  const account =
    founder && ((await table.get(accounts, founder, { consistent: true })) ?? refuse(notFound('Account')));
  if (account) await requireKnownHolder(services, account, {});
  return change(services, { actor, action: 'organizations:create' }, () => {
    const organization = {
      organizationId: randomId(ORGANIZATION_ID_CHARACTERS),
      name: parseName('The name of an organization', name),
      createdAt: now(),
      admins: founder ? 1 : 0,
      cursorSecret: makeCursorSecret(services),
    };
    const { organizationId, createdAt: startedAt } = organization;
    const writes: Write[] = [put(organizations, organization, ABSENT), put(allOrganizations, organization)];
    if (account) {
      const membership = { organizationId, accountId: account.accountId, role: 'admin', startedAt } as const;
      writes.push(makeAccountCheck(account), ...planMembershipRows(account, membership));
    }
    return {
      result: organization,
      writes,
      record: {
        organizationId,
        action: 'organization created',
        subject: organizationId,
        label: organization.name,
        detail: organization.name,
      },
    };
  });
}
