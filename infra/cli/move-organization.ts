/** §5 The commands that export an organization to an archive, and import it into another deployment. */
import { requirePermission } from '#shared/access/may.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import type { UsageLimitsSetting } from '#shared/model/usage/usage-limits.ts';
import { change } from '#shared/organizations/change.ts';
import { describeOrigin } from '#shared/organizations/unproven-account.ts';
import type { CoreServices } from '#shared/services.ts';
import { countPartLines, type Manifest, type SetAgain } from './archives/archive-format.ts';
import { makeArchiveStore } from './archives/archive-store.ts';
import { exportOrganization } from './archives/export-organization.ts';
import type { ExistingMember } from './archives/import-context.ts';
import { importOrganization } from './archives/import-organization.ts';
import { type CommandContext, type CommandRow, command } from './command.ts';
import { confirm } from './confirm.ts';
import { findOrganization, openDeploymentStores, STORE_OPTIONS } from './deployment-stores.ts';
import { flagOption, organization, textOption } from './options.ts';
import { makeProgressReporter } from './terminal/progress.ts';

const toCountsRow = (manifest: Manifest, state: string): CommandRow => ({
  organizationId: manifest.organizationId,
  state,
  rows: countPartLines(manifest, 'rows', 'people', 'work'),
  files: countPartLines(manifest, 'files'),
  parts: manifest.parts.length,
  secretsToSet: manifest.setAgain.length,
});

const recordExport = (
  { services, actor }: CommandContext,
  { organizationId, name }: Organization,
  manifest: Manifest,
): Promise<void> =>
  change(services, { actor, action: 'organizations:move' }, () => ({
    result: undefined,
    writes: [],
    record: {
      organizationId,
      action: 'organization exported',
      subject: organizationId,
      label: name,
      detail: `${countPartLines(manifest, 'rows', 'people', 'work')} rows and ${countPartLines(manifest, 'files')} files`,
    },
  }));

/** What an operator still has to do after an import. */
function listRemainingWork({ organizationId, setAgain, wasInUse }: Manifest, limits: UsageLimitsSetting): string[] {
  const lines: string[] = [];
  if (setAgain.length > 0)
    lines.push(`Set these secrets again, because an archive does not contain secrets:\n${formatSecrets(setAgain)}`);
  if (Object.keys(limits).length > 0)
    lines.push(
      `The organization had limits of its own, which an import does not set: ${formatLimits(limits)}. To set them here: npm run admin -- organizations limits --organization ${organizationId}`,
    );
  if (wasInUse)
    lines.push(
      'The organization was in use during the export. Compare its totals: npm run admin -- analytics check, for each project.',
    );
  return lines;
}

const SHOWN_SECRETS = 20;

function formatSecrets(secrets: readonly SetAgain[]): string {
  const lines = secrets
    .slice(0, SHOWN_SECRETS)
    .map(({ what, name, id }) => `  ${makeVisibleLine(`${what}: ${name} (${id})`)}`);
  if (secrets.length > SHOWN_SECRETS) lines.push('  ... manifest.json lists all of them under setAgain');
  return lines.join('\n');
}

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

export const ORGANIZATION_MOVES = [
  command({
    name: 'organizations export',
    does: 'write the data of an organization to an archive, without secrets; repeat the command to continue after an interruption',
    options: {
      id: organization,
      to: textOption('<place>', 'empty folder, or s3://<bucket>/<prefix>'),
      ...STORE_OPTIONS,
    },
    run: async (context, { id: organizationId, to, ...storeOptions }) => {
      const { actor, terminal } = context;
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
      if (!wasComplete) await recordExport(context, storedOrganization, manifest);
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
      ...STORE_OPTIONS,
    },
    run: async (context, { from, yes, ...storeOptions }) => {
      const { services, actor, terminal } = context;
      requirePermission(actor, 'organizations:move');
      const approve = async (members: readonly ExistingMember[]) => {
        terminal.errors.write('These people have an account here, and become members:\n');
        for (const member of members) terminal.errors.write(`  ${await describeMember(services, member)}\n`);
        if (!yes) await confirm(terminal);
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
      if (!wasComplete) for (const line of listRemainingWork(manifest, limits)) terminal.errors.write(`${line}\n`);
      return [toCountsRow(manifest, wasComplete ? 'was imported before' : 'imported')];
    },
  }),
];
