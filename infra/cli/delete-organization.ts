/** §5 The commands that delete a whole organization, and restore it. */
import { requirePermission } from '#shared/access/may.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import type { DueOrganization } from '#shared/model/due.ts';
import { deleteOrganization, restoreOrganization } from '#shared/organizations/delete-organization.ts';
import { type CommandContext, command } from './command.ts';
import { findOrganization, openDeploymentStores, STORE_OPTIONS } from './deployment-stores.ts';
import { flagOption, organization, textOption } from './options.ts';
import { toOrganizationRow } from './organizations.ts';
import { listDueRemovals, type RemovalCounts, removeNow } from './remove-organization-now.ts';
import { formatTimeCell } from './screen.ts';
import { makeProgressReporter } from './terminal/progress.ts';
import { Refused } from './terminal/usage-error.ts';

export const ORGANIZATION_DELETION = [
  command({
    name: 'organizations delete',
    does: 'delete an organization: it is deactivated at once, and removed with all its data after 30 days, or now with --now',
    options: {
      id: organization,
      confirm: textOption('<name>', 'name of the organization, to confirm'),
      now: flagOption('remove it now; it cannot be restored'),
      ...STORE_OPTIONS,
    },
    run: async (context, { id: organizationId, confirm, now: atOnce, ...storeOptions }) => {
      const { services, actor } = context;
      requirePermission(actor, 'organizations:delete');
      const existingOrganization = await findOrganization(context, organizationId);
      const due = existingOrganization
        ? undefined
        : await findUnfinishedRemoval(context, organizationId, atOnce && confirm === organizationId);
      const name = existingOrganization?.name ?? due?.name ?? '';
      if (confirm !== name) throw new Refused(`--confirm must be the name of the organization, which is "${name}"`);
      // The stores are opened before anything changes, because opening them may fail.
      const stores = atOnce ? await openDeploymentStores(context, storeOptions) : undefined;
      const deletedOrganization =
        existingOrganization && (await deleteOrganization(services, { organizationId, actor, atOnce }));
      if (stores) {
        const removal = (await listDueRemovals(services, { organizationId })).at(0) ?? due;
        return [await removeWithProgress(context, stores, removal ?? refuse(notFound('Organization')))];
      }
      if (deletedOrganization) return [toOrganizationRow(deletedOrganization)];
      return [{ organizationId, name, state: 'is being removed' }];
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
    does: 'restore a deleted organization within 30 days; its keys and tokens work again',
    options: { id: organization },
    run: async ({ services, actor }, { id: organizationId }) => [
      toOrganizationRow(await restoreOrganization(services, { organizationId, actor })),
    ],
  }),
];

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
 * Finds the removal of an organization that has no row any more. If there is none either, throws, unless the operator
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
