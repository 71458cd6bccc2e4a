/** §5.2 Deactivates an organization permanently. */
import { update } from '#shared/engine/table/writes.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeOrganization } from './change.ts';
import { revokeDeadTokens } from './dead-tokens.ts';
import { endGrantsOfMembers } from './end-grants.ts';
import type { OrganizationRequest } from './standing.ts';

/** All its credentials are refused. Idempotent: handles tokens and grants that an interrupted call did not reach. */
export async function deactivateOrganization(services: CoreServices, request: OrganizationRequest): Promise<void> {
  await changeOrganization(services, { ...request, action: 'organizations:deactivate' }, ({ organization }) => {
    const { organizationId, name, deactivatedAt } = organization;
    if (deactivatedAt !== undefined) return { result: undefined };
    return {
      result: undefined,
      writes: [
        update(organizations, organization, { set: [['deactivatedAt', services.now()]] }, { absent: 'deactivatedAt' }),
      ],
      record: { action: 'organization deactivated', subject: organizationId, label: name, detail: name },
    };
  });
  await endGrantsOfMembers(services, request, 'its organization was deactivated');
  await revokeDeadTokens(services, request);
}
