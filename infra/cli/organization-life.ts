/** §5 The commands that move, delete and restore a whole organization. */

import { formatProvidersPrefix, formatSecretsPrefix, formatTrackersPrefix } from '#infra/build/environments.ts';
import { requirePermission } from '#shared/access/may.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import type { DueOrganization } from '#shared/model/due.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import type { UsageLimitsSetting } from '#shared/model/usage/usage-limits.ts';
import { change } from '#shared/organizations/change.ts';
import { deleteOrganization, restoreOrganization } from '#shared/organizations/delete-organization.ts';
import { describeOrigin } from '#shared/organizations/unproven-account.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import type { CoreServices } from '#shared/services.ts';
import { countPartLines, type Manifest, type SetAgain } from './archives/archive-format.ts';
import { makeArchiveStore } from './archives/archive-store.ts';
import { Bucket } from './archives/bucket.ts';
import { exportOrganization } from './archives/export-organization.ts';
import { type ExistingMember, importOrganization } from './archives/import-organization.ts';
import { makeRowRecognizer } from './archives/row-owner.ts';
import { Pace, TableScan } from './archives/table-scan.ts';
import { type CommandContext, type CommandRow, command } from './command.ts';
import { confirm as askToConfirm } from './confirm.ts';
import { getBucketName } from './files.ts';
import { flagOption, numberOption, optional, organization, textOption } from './options.ts';
import { toOrganizationRow } from './organizations.ts';
import { listDueRemovals, removeNow } from './remove-organization-now.ts';
import { formatTimeCell } from './rows.ts';
import { refuseForeignStores } from './stack-outputs.ts';
import { openCredentialStores } from './store.ts';
import { makeProgressReporter } from './terminal/progress.ts';
import { Refused, UsageError } from './terminal/usage-error.ts';

const DEFAULT_UNITS = 1000;

const STORES = {
  bucket: optional(textOption('<name>', 'stack output ArtifactsBucket; needed with --table')),
  units: optional(
    numberOption(
      `capacity units that the command may use per second, ${DEFAULT_UNITS} by default, so that it leaves enough for the service`,
    ),
  ),
};

/** Refuses a bucket of another deployment. */
async function openDeploymentStores(
  context: CommandContext,
  options: { readonly bucket?: string | undefined; readonly units?: number | undefined },
) {
  const { units = DEFAULT_UNITS } = options;
  if (units < 1) throw new UsageError('--units must be at least 1');
  const { environment, isDeployed } = context;
  const bucket = getBucketName(context, options.bucket);
  const table = environment[ENVIRONMENT.tableName];
  const name = isDeployed ? await refuseForeignStores({ table, bucket }) : undefined;
  const pace = new Pace(units);
  const prefixes = name
    ? {
        secrets: formatSecretsPrefix({ name }),
        trackers: formatTrackersPrefix({ name }),
        providers: formatProvidersPrefix({ name }),
      }
    : {};
  return {
    services: context.services,
    bucket: new Bucket(bucket),
    pace,
    scan: new TableScan(table ?? '', pace),
    recognize: await makeRowRecognizer(),
    credentials: await openCredentialStores(context, prefixes),
  };
}

const findOrganization = async (
  { services }: CommandContext,
  organizationId: string,
): Promise<Organization | undefined> => services.table.get(organizations, { organizationId }, { consistent: true });

const toCountsRow = (manifest: Manifest, state: string): CommandRow => ({
  organizationId: manifest.organizationId,
  state,
  rows: countPartLines(manifest, 'rows', 'people', 'work'),
  files: countPartLines(manifest, 'files'),
  parts: manifest.parts.length,
  secretsToSet: manifest.setAgain.length,
});

const formatSecrets = (secrets: readonly SetAgain[]): string =>
  [
    ...secrets.slice(0, 20).map(({ what, name, id }) => `  ${makeVisibleLine(`${what}: ${name} (${id})`)}`),
    ...(secrets.length > 20 ? ['  ... manifest.json lists all of them under setAgain'] : []),
  ].join('\n');

async function describeMember(services: CoreServices, { account, role }: ExistingMember): Promise<string> {
  const { email, accountId, unproven } = account;
  const text = `${email} (${accountId})${role === undefined ? '' : `, ${role}`}`;
  if (!unproven) return text;
  return `${text}; the address is not verified, the account was created ${await describeOrigin(services, unproven)}`;
}

const formatLimits = (limits: UsageLimitsSetting): string =>
  Object.entries(limits)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

export const ORGANIZATION_LIFE = [
  command({
    name: 'organizations export',
    does: 'write the data of an organization to an archive, without secrets; repeat the command to continue after an interruption',
    options: {
      id: organization,
      to: textOption('<place>', 'empty folder, or s3://<bucket>/<prefix>'),
      ...STORES,
    },
    run: async (context, { id: organizationId, to, ...storeOptions }) => {
      const { services, actor, terminal } = context;
      requirePermission(actor, 'organizations:move');
      const storedOrganization = (await findOrganization(context, organizationId)) ?? refuse(notFound('Organization'));
      const sources = { ...(await openDeploymentStores(context, storeOptions)), archive: makeArchiveStore(to) };
      const { manifest, wasComplete } = await exportOrganization(
        sources,
        storedOrganization,
        makeProgressReporter(
          terminal,
          ({ rows, files, scanned }) => `${rows} rows and ${files} files written, ${scanned} rows of the table read`,
        ),
      );
      if (!wasComplete)
        await change(services, { actor, action: 'organizations:move' }, () => ({
          result: undefined,
          writes: [],
          record: {
            organizationId,
            action: 'organization exported',
            subject: organizationId,
            label: storedOrganization.name,
            detail: `${countPartLines(manifest, 'rows', 'people', 'work')} rows and ${countPartLines(manifest, 'files')} files`,
          },
        }));
      if (manifest.wasInUse)
        terminal.errors.write(
          'The organization was in use: runs that reported meanwhile may be incomplete in the archive. For an exact copy, delete the organization before the export, so that nobody can use it, and restore it within 30 days.\n',
        );
      return [toCountsRow(manifest, wasComplete ? 'was complete before' : 'complete')];
    },
    advice: ([row]) =>
      row?.['secretsToSet'] === '0'
        ? 'The archive contains results, addresses and hashes of keys: keep it as safe as the table.'
        : 'The archive contains results, addresses and hashes of keys, but no secrets: manifest.json lists under setAgain which secrets to set after an import. Keep it as safe as the table.',
  }),
  command({
    name: 'organizations import',
    does: 'import the archive of an organization, with the same ids, into a service that does not have it; repeat the command to continue after an interruption',
    options: {
      from: textOption('<place>', 'folder, or s3://<bucket>/<prefix>, to which "organizations export" wrote'),
      yes: flagOption('make people who have an account here members without asking for confirmation'),
      ...STORES,
    },
    run: async (context, { from, yes, ...storeOptions }) => {
      const { services, actor, terminal } = context;
      requirePermission(actor, 'organizations:move');
      const approve = async (members: readonly ExistingMember[]) => {
        terminal.errors.write('These people have an account here, and become members:\n');
        for (const member of members) terminal.errors.write(`  ${await describeMember(services, member)}\n`);
        if (!yes) await askToConfirm(terminal);
      };
      const targets = {
        ...(await openDeploymentStores(context, storeOptions)),
        archive: makeArchiveStore(from),
        actor,
        approve,
      };
      const { manifest, wasComplete, limits } = await importOrganization(
        targets,
        makeProgressReporter(terminal, ({ step, rows, files }) => `${rows} rows and ${files} files ${step}`),
      );
      const { setAgain, wasInUse } = manifest;
      if (!wasComplete && setAgain.length > 0)
        terminal.errors.write(
          `Set these secrets again, because an archive does not contain secrets:\n${formatSecrets(setAgain)}\n`,
        );
      if (!wasComplete && Object.keys(limits).length > 0)
        terminal.errors.write(
          `The organization had limits of its own, which an import does not set: ${formatLimits(limits)}. To set them here: npm run admin -- organizations limits --organization ${manifest.organizationId}\n`,
        );
      if (!wasComplete && wasInUse)
        terminal.errors.write(
          'The organization was in use during the export. Compare its totals: npm run admin -- analytics check, for each project.\n',
        );
      return [toCountsRow(manifest, wasComplete ? 'was imported before' : 'imported')];
    },
  }),
  command({
    name: 'organizations delete',
    does: 'delete an organization: it is deactivated at once, and removed with all its data after 30 days, or now with --now',
    options: {
      id: organization,
      confirm: textOption('<name>', 'name of the organization, to confirm'),
      now: flagOption('remove it now; it cannot be restored'),
      ...STORES,
    },
    run: async (context, { id: organizationId, confirm, now: atOnce, ...storeOptions }) => {
      const { services, actor, terminal } = context;
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
      if (!stores)
        return deletedOrganization
          ? [toOrganizationRow(deletedOrganization)]
          : [{ organizationId, name, state: 'is being removed' }];
      const { credentials, ...rest } = stores;
      const targets = {
        ...rest,
        secrets: credentials.secrets(),
        trackers: credentials.trackers().secrets,
        providers: credentials.providers(),
      };
      const removal = (await listDueRemovals(services, { organizationId })).at(0) ?? due;
      const { rows, objects } = await removeNow(
        targets,
        removal ?? refuse(notFound('Organization')),
        makeProgressReporter(terminal, (soFar) => `${soFar.rows} rows and ${soFar.objects} objects removed`),
      );
      const removedAt = formatTimeCell(services.now());
      return [{ organizationId, name, state: 'removed', removedAt, rows, objects }];
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

/** If nothing is known, throws, or with `isSure` makes up values with which possible remains can be removed. */
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
