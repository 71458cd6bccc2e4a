/** §5 A new organization. */
import { allOrganizations, type Organization, organizations } from '../resources/organization.ts';
import type { Administration } from '../services.ts';
import { ABSENT, put } from '../table/writes.ts';

const ORGANIZATION_ID_CHARACTERS = 16;
const CURSOR_SECRET_BYTES = 32;

export async function createOrganization(
  { table, now, randomId }: Administration,
  { name }: { name: string },
): Promise<Organization> {
  const organization = {
    organizationId: randomId(ORGANIZATION_ID_CHARACTERS),
    name,
    createdAt: now(),
    admins: 0,
    cursorSecret: Buffer.from(randomId(CURSOR_SECRET_BYTES * 2), 'hex'),
  };
  const written = await table.transact([put(organizations, organization, ABSENT), put(allOrganizations, organization)]);
  if (!written) throw new Error('The new organization met one with its id. Try again');
  return organization;
}
