/**
 * Imports an archive into a deployment that does not have the organization. Reads the whole archive once before it
 * writes anything. The row of the organization comes last, so that nobody can use an incomplete organization. A row
 * that exists is never overwritten. Continues an interrupted import after the last complete part.
 */
import { createHash } from 'node:crypto';
import { parseStreamImage } from '#shared/engine/table/attributes.ts';
import { ABSENT, put, remove } from '#shared/engine/table/writes.ts';
import { checkpoints } from '#shared/model/checkpoint.ts';
import { allOrganizations, organizations } from '#shared/model/organizations/organization.ts';
import type { UsageLimitsSetting } from '#shared/model/usage/usage-limits.ts';
import { change } from '#shared/organizations/change.ts';
import { makeCursorSecret } from '#shared/organizations/create-organization.ts';
import { PART_KINDS, type TransferResult } from './archive-format.ts';
import { ArchivedOrganization } from './archived-organization.ts';
import { BadArchive, EXPORT_AGAIN } from './bad-archive.ts';
import { readManifest } from './checked-archive.ts';
import { countImportedParts, getCheckpointKey, saveImportedParts } from './import-checkpoint.ts';
import { checkArchive } from './import-checks.ts';
import type { ImportContext, ImportProgress, ImportTargets } from './import-context.ts';
import { compareOrganization, writeParts } from './import-rows.ts';

export interface ImportResult extends TransferResult {
  /** The limits of the organization where it was exported. An import does not set them. */
  readonly limits: UsageLimitsSetting;
}

export async function importOrganization(
  targets: ImportTargets,
  onProgress: (soFar: ImportProgress) => void,
): Promise<ImportResult> {
  const { manifest, bytes } = await readManifest(targets.archive);
  const { organizationId } = manifest;
  const { data: parsedOrganization } = ArchivedOrganization.safeParse(parseStreamImage(manifest.organization));
  if (parsedOrganization?.organizationId !== organizationId)
    throw new BadArchive(`The manifest does not describe the organization of the archive. ${EXPORT_AGAIN}`);
  const { limits = {}, ...organization } = parsedOrganization;
  const context: ImportContext = {
    ...targets,
    now: targets.services.now(),
    onProgress,
    manifest,
    digest: createHash('sha256').update(bytes).digest('hex'),
    organizationId,
    organization,
    parts: PART_KINDS.flatMap((kind) => manifest.parts.filter((part) => part.kind === kind)),
  };
  const existingOrganization = await targets.services.table.get(
    organizations,
    { organizationId },
    { consistent: true },
  );
  if (existingOrganization) {
    await compareOrganization(context, existingOrganization);
    return { manifest, wasComplete: true, limits };
  }
  const importedParts = await countImportedParts(context);
  const { people, admins, existingMembers } = await checkArchive(context);
  if (existingMembers.length > 0) await targets.approve(existingMembers);
  await saveImportedParts(context, importedParts);
  await writeParts(context, importedParts, people);
  const { services, actor } = targets;
  const count = existingMembers.length;
  const memberDetail = count === 0 ? '' : `; members who had an account here: ${count}`;
  await change(services, { actor, action: 'organizations:move' }, () => ({
    result: undefined,
    writes: [
      put(organizations, { ...organization, admins, cursorSecret: makeCursorSecret(services) }, ABSENT),
      put(allOrganizations, organization),
      remove(checkpoints, getCheckpointKey(context)),
    ],
    record: {
      organizationId,
      action: 'organization imported',
      subject: organizationId,
      label: organization.name,
      detail: `an archive of ${manifest.finishedAt}${memberDetail}`,
    },
  }));
  return { manifest, wasComplete: false, limits };
}
