/** §5.2 No credential of a deactivated organization is accepted any more, from the change on; its tokens are revoked as well. */
import { revokeDeadTokens } from '../credentials/dead-tokens.ts';
import { organizations } from '../resources/organization.ts';
import type { Administration } from '../services.ts';
import { update } from '../table/writes.ts';
import { change } from './change.ts';
import type { Question } from './rights.ts';

/** Once and for all. Repeated by the operator it only revokes what the first time did not reach. */
export async function deactivateOrganization(services: Administration, question: Question): Promise<void> {
  await change(services, { ...question, right: 'deactivate the organization' }, ({ organization }) => {
    if (organization.deactivatedAt !== undefined) return { result: undefined };
    const { organizationId, name } = organization;
    return {
      result: undefined,
      writes: [
        update(organizations, organization, { set: [['deactivatedAt', services.now()]] }, { absent: 'deactivatedAt' }),
      ],
      record: { action: 'organization deactivated', subject: organizationId, detail: name },
    };
  });
  await revokeDeadTokens(services, question);
}
