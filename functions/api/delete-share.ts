import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { shares, sharesOfProject } from '#shared/model/organizations/share.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { revokeShare } from '#shared/shares/revoke-shares.ts';
import { OnlyShareId } from '#shared/shares/share-wire.ts';

/** §5.3 */
export const handler = endpoint({
  operationId: 'deleteShare',
  route: 'DELETE /shares/{shareId}',
  permission: 'shares:write',
  access: { table: 'readWrite', writes: [shares, sharesOfProject, auditRecords], artifacts: 'none' },
  summary: 'Revoke a share',
  description: 'People can revoke their own shares. Admins can revoke any share of the organization.',
  response: single(OnlyShareId),
  refuses: ['notFound', 'conflict'],
  tool: 'none',
  async handle({ caller, path: { shareId } }, services) {
    await revokeShare(services, { ...caller, shareId });
    return wrapData({ shareId });
  },
});
