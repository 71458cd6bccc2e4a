/** §5.3 Revokes shares. People may revoke their own shares, and Admins may revoke any share. */
import { makePerson } from '#shared/access/actor.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { PRESENT, remove, removeWhen } from '#shared/engine/table/writes.ts';
import { extractProjectId } from '#shared/model/ids.ts';
import { type Share, shares, sharesOfProject } from '#shared/model/organizations/share.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import type { OrganizationRequest } from '#shared/organizations/standing.ts';
import type { CoreServices } from '#shared/services.ts';
import { listShares } from './list-shares.ts';

export async function revokeShare(
  services: CoreServices,
  { organizationId, shareId, actor }: OrganizationRequest & { readonly shareId: string },
): Promise<void> {
  const projectId = extractProjectId(shareId) ?? refuse(notFound('Share'));
  const key = { organizationId, projectId, shareId };
  const listedShare = await services.table.get(sharesOfProject, key, { consistent: true });
  const share = listedShare && (await services.table.get(shares, listedShare, { consistent: true }));
  if (!share) throw notFound('Share');
  await revoke(services, { organizationId, actor }, share);
}

/** Idempotent: a repeated call revokes the shares that an interrupted call did not reach. */
export async function revokeShares(
  services: CoreServices,
  { projectId, ...request }: OrganizationRequest & { readonly projectId: string },
): Promise<void> {
  for (const share of await listShares(services, { ...request, projectId })) await revoke(services, request, share);
}

async function revoke(services: CoreServices, request: OrganizationRequest, share: Share): Promise<void> {
  // The scope of the access token was already checked. From here on, the role of its owner decides.
  const actor = request.actor.kind === 'accessToken' ? makePerson(request.actor) : request.actor;
  const isOwn = 'accountId' in actor && actor.accountId === share.accountId;
  await changeOrganization(
    services,
    { ...request, actor, action: isOwn ? 'shares:write' : 'shares:revokeAny' },
    async () => {
      const currentShare = await services.table.get(shares, share, { consistent: true });
      if (!currentShare) return { result: undefined };
      return {
        result: undefined,
        writes: [removeWhen(shares, share, PRESENT), remove(sharesOfProject, share)],
        record: { action: 'share revoked', subject: share.shareId, label: share.label, detail: share.label },
      };
    },
  );
}
