/** §5.2 No credential of a deactivated organization is accepted any more. */
import { notFound } from '../errors.ts';
import { organizations } from '../resources/organization.ts';
import type { Administration } from '../services.ts';
import { PRESENT, update } from '../table/writes.ts';
import { auditOf } from './audit.ts';

export async function deactivateOrganization(
  services: Administration,
  { organizationId, actor }: { organizationId: string; actor: string },
): Promise<void> {
  const written = await services.table.transact([
    update(organizations, { organizationId }, { setIfAbsent: [['deactivatedAt', services.now()]] }, PRESENT),
    auditOf(services, {
      organizationId,
      actor,
      action: 'organization deactivated',
      subject: organizationId,
      detail: '',
    }),
  ]);
  if (!written) throw notFound('Organization');
}
