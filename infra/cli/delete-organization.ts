/** §5 The commands that delete a whole organization, and restore it. */
import { requirePermission } from '#shared/access/may.ts';
import { DAY_MILLISECONDS } from '#shared/engine/durations.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import type { DueOrganization } from '#shared/model/due.ts';
import { deleteOrganization, restoreOrganization } from '#shared/organizations/delete-organization.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import { type CommandContext, command } from './command.ts';
import { findOrganization, openDeploymentStores, STORE_OPTIONS, type StoreOptions } from './deployment-stores.ts';
import { flagOption, organization, textOption } from './options.ts';
import { toOrganizationRow } from './organizations.ts';
import { listDueRemovals, type RemovalCounts, removeNow } from './remove-organization-now.ts';
import { formatTimeCell } from './screen.ts';
import { makeProgressReporter } from './terminal/progress.ts';
import { Refused } from './terminal/usage-error.ts';

const WAITING_DAYS = ORGANIZATION_LIMITS.organizationDeletionMilliseconds / DAY_MILLISECONDS;

export const ORGANIZATION_DELETION = [
  command({
    name: 'organizations delete',
    does: `delete an organization: it is deactivated at once, and removed with all its data after ${WAITING_DAYS} days, or now with --now`,
    options: {
      id: organization,
      confirm: textOption('<name>', 'name of the organization, to confirm'),
      now: flagOption('remove it now; it cannot be restored'),
      ...STORE_OPTIONS,
    },
    run: async (context, { id: organizationId, confirm, now: isAtOnce, ...storeOptions }) => {
      requirePermission(context.actor, 'organizations:delete');
      const request = { organizationId, confirm, storeOptions };
      const existingOrganization = await findOrganization(context, organizationId);
      if (!existingOrganization) return [await finishRemoval(context, { ...request, isAtOnce })];
      requireConfirmation(confirm, existingOrganization.name);
      return [isAtOnce ? await deleteAtOnce(context, request) : await scheduleDeletion(context, organizationId)];
    },
    advice: ([row]) => {
      if (row?.['state'] === 'removed')
        return 'Its audit records are gone, too. Keep this output as the record of the removal.';
      if (row?.['deletesAt'] === undefined) return undefined;
      return `To restore it before that time: npm run admin -- organizations restore --id ${row['organizationId']}`;
    },
  }),
  command({
    name: 'organizations restore',
    does: `restore a deleted organization within ${WAITING_DAYS} days; its keys and tokens work again`,
    options: { id: organization },
    run: async ({ services, actor }, { id: organizationId }) => [
      toOrganizationRow(await restoreOrganization(services, { organizationId, actor })),
    ],
  }),
];

function requireConfirmation(confirm: string, name: string): void {
  if (confirm !== name) throw new Refused(`--confirm must be the name of the organization, which is "${name}"`);
}

interface RemovalRequest {
  readonly organizationId: string;
  readonly confirm: string;
  readonly storeOptions: StoreOptions;
}

async function scheduleDeletion({ services, actor }: CommandContext, organizationId: string) {
  return toOrganizationRow(await deleteOrganization(services, { organizationId, actor, atOnce: false }));
}

async function deleteAtOnce(context: CommandContext, { organizationId, storeOptions }: RemovalRequest) {
  const { services, actor } = context;
  // Opened before anything changes, because opening them may fail.
  const stores = await openDeploymentStores(context, storeOptions);
  await deleteOrganization(services, { organizationId, actor, atOnce: true });
  const [removal] = await listDueRemovals(services, { organizationId });
  return removeWithProgress(context, stores, removal ?? refuse(notFound('Organization')));
}

/** For an organization that has no row any more, because its removal has begun. */
async function finishRemoval(
  context: CommandContext,
  { organizationId, confirm, storeOptions, isAtOnce }: RemovalRequest & { readonly isAtOnce: boolean },
) {
  const removal = await findUnfinishedRemoval(context, organizationId, isAtOnce && confirm === organizationId);
  requireConfirmation(confirm, removal.name);
  if (!isAtOnce) return { organizationId, name: removal.name, state: 'is being removed' };
  return removeWithProgress(context, await openDeploymentStores(context, storeOptions), removal);
}

async function removeWithProgress(
  { services, terminal }: CommandContext,
  { credentials, ...stores }: Awaited<ReturnType<typeof openDeploymentStores>>,
  removal: DueOrganization,
) {
  const targets = {
    ...stores,
    secrets: credentials.secrets(),
    trackers: credentials.trackers().secrets,
    providers: credentials.providers(),
  };
  const reportProgress = makeProgressReporter(
    terminal,
    (soFar: RemovalCounts) => `${soFar.rows} rows and ${soFar.objects} objects removed`,
  );
  const { rows, objects } = await removeNow(targets, removal, reportProgress);
  const { organizationId, name } = removal;
  return { organizationId, name, state: 'removed', removedAt: formatTimeCell(services.now()), rows, objects };
}

/**
 * Finds the removal that has begun. If there is none, throws, unless the operator
 * has confirmed the id (`isSure`): then every row and object that may be left is removed under the given id.
 */
async function findUnfinishedRemoval(
  { services, actor }: CommandContext,
  organizationId: string,
  isSure: boolean,
): Promise<DueOrganization> {
  const [due] = await listDueRemovals(services, { organizationId });
  if (due) return due;
  const now = services.now();
  if (isSure) return { organizationId, dueAt: now, name: organizationId, deletedBy: actor.kind, deletedAt: now };
  throw new Refused(
    `No organization has the id ${organizationId}. To remove what may be left of it, pass the id as --confirm and add --now`,
  );
}
