/** §5 A new organization. Whoever creates it is its first Admin; the operator's is empty. */
import { notFound } from '../errors.ts';
import { accounts } from '../resources/account.ts';
import { type Membership, memberships } from '../resources/membership.ts';
import { allOrganizations, type Organization, organizations } from '../resources/organization.ts';
import type { Administration } from '../services.ts';
import { ABSENT, put } from '../table/writes.ts';
import { type Actor, nameOf, type Person } from './actor.ts';
import { auditOf } from './audit.ts';
import { untilWritten } from './change.ts';
import { nameFrom } from './names.ts';

const ORGANIZATION_ID_CHARACTERS = 16;
const CURSOR_SECRET_BYTES = 32;

export async function createOrganization(
  services: Administration,
  { name, actor }: { name: string; actor: Actor },
): Promise<Organization> {
  const { table, now, randomId } = services;
  if (actor.kind === 'person' && !(await table.get(accounts, actor, { consistent: true }))) throw notFound('Account');
  return untilWritten(services, async () => {
    const organization = {
      organizationId: randomId(ORGANIZATION_ID_CHARACTERS),
      name: nameFrom('The name of an organization', name),
      createdAt: now(),
      admins: actor.kind === 'person' ? 1 : 0,
      cursorSecret: Buffer.from(randomId(CURSOR_SECRET_BYTES * 2), 'hex'),
    };
    const { organizationId, createdAt: startedAt } = organization;
    const asAdmin = ({ accountId }: Person): Membership => ({ organizationId, accountId, role: 'admin', startedAt });
    const record = { action: 'organization created', subject: organizationId, detail: organization.name };
    const writes = [
      put(organizations, organization, ABSENT),
      put(allOrganizations, organization),
      ...(actor.kind === 'person' ? [put(memberships, asAdmin(actor), ABSENT)] : []),
      auditOf(services, { ...record, organizationId, actor: nameOf(actor) }),
    ];
    return { result: organization, writes };
  });
}
