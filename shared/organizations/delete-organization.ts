/**
 * §5 Deletes an organization after a waiting time, in which all its credentials are refused and the operator can
 * restore it. A scheduled job then removes the organization and its data.
 */
import { formatActorName } from '#shared/access/actor.ts';
import { expectValue, toAssignments } from '#shared/engine/table/update.ts';
import { put, remove, update } from '#shared/engine/table/writes.ts';
import { type DueOrganization, dueOrganizations } from '#shared/model/due.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeOrganization } from './change.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';
import type { OrganizationRequest } from './standing.ts';

interface Deletion extends OrganizationRequest {
  /** Whether to skip the waiting time, or the rest of it if the organization was deleted before. */
  readonly atOnce: boolean;
}

type DeletedOrganization = Organization & { readonly deletesAt: number };

/** Changes nothing if the organization was deleted before, unless the waiting time is to be skipped. */
export function deleteOrganization(services: CoreServices, request: Deletion): Promise<DeletedOrganization> {
  return changeOrganization(services, { ...request, action: 'organizations:delete' }, ({ organization }) => {
    const now = services.now();
    const { organizationId, name, deletesAt: before } = organization;
    if (before !== undefined && (!request.atOnce || before <= now))
      return { result: { ...organization, deletesAt: before } };
    const deletesAt = now + (request.atOnce ? 0 : ORGANIZATION_LIMITS.organizationDeletionMilliseconds);
    // An organization that was deactivated before stays so when it is restored.
    const changedFields =
      organization.deactivatedAt === undefined
        ? ({ deletesAt, deactivatedAt: now, reactivates: true } as const)
        : { deletesAt };
    const by = { deletedBy: formatActorName(request.actor), deletedAt: now };
    return {
      result: { ...organization, ...changedFields },
      writes: [
        update(organizations, organization, { set: toAssignments(changedFields) }, expectValue('deletesAt', before)),
        put(dueOrganizations, makeDueOrganization(organization, deletesAt, by)),
        ...(before === undefined ? [] : [remove(dueOrganizations, makeDueOrganization(organization, before, by))]),
      ],
      record: {
        action: 'organization deleted',
        subject: organizationId,
        label: name,
        detail: `it is removed on ${new Date(deletesAt).toISOString()}`,
      },
    };
  });
}

/** Reactivates it unless it was deactivated before its deletion. Changes nothing if it is not deleted. */
export function restoreOrganization(services: CoreServices, request: OrganizationRequest): Promise<Organization> {
  return changeOrganization(services, { ...request, action: 'organizations:delete' }, ({ organization }) => {
    const { deletesAt, reactivates, ...remainingFields } = organization;
    if (deletesAt === undefined) return { result: organization };
    const { organizationId, name } = organization;
    const by = { deletedBy: formatActorName(request.actor), deletedAt: services.now() };
    const deletionFields = ['deletesAt', 'reactivates'] as const;
    const fieldsToRemove = reactivates ? ([...deletionFields, 'deactivatedAt'] as const) : deletionFields;
    return {
      result: reactivates ? { ...remainingFields, deactivatedAt: undefined } : remainingFields,
      writes: [
        update(organizations, organization, { remove: fieldsToRemove }, { path: 'deletesAt', equals: deletesAt }),
        remove(dueOrganizations, makeDueOrganization(organization, deletesAt, by)),
      ],
      record: {
        action: 'organization restored',
        subject: organizationId,
        label: name,
        detail: `before ${new Date(deletesAt).toISOString()}`,
      },
    };
  });
}

/** `name` and `by` are not part of the key of the row, so they do not matter when the row is removed. */
const makeDueOrganization = (
  { organizationId, name }: Organization,
  dueAt: number,
  by: Pick<DueOrganization, 'deletedBy' | 'deletedAt'>,
): DueOrganization => ({ organizationId, dueAt, name, ...by });
