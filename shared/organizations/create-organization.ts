/** §5 A new organization. */
import { type Organization, organizations } from '../resources/organization.ts';
import type { Services } from '../services.ts';

const ORGANIZATION_ID_CHARACTERS = 16;
const CURSOR_SECRET_BYTES = 32;

export async function createOrganization(
  { table, now, randomId }: Pick<Services, 'table' | 'now' | 'randomId'>,
  { name }: { name: string },
): Promise<Organization> {
  const organization = {
    organizationId: randomId(ORGANIZATION_ID_CHARACTERS),
    name,
    createdAt: now(),
    cursorSecret: Buffer.from(randomId(CURSOR_SECRET_BYTES * 2), 'hex'),
  };
  await table.put(organizations, organization);
  return organization;
}
