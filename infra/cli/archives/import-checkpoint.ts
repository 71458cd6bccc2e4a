/** Remembers how many parts of an archive are imported, so that an interrupted import can continue. */
import * as z from 'zod';
import { Refused } from '#infra/cli/terminal/usage-error.ts';
import { checkpoints } from '#shared/model/checkpoint.ts';
import { apiKeysOfOrganization, getApiKeysSpan } from '#shared/model/organizations/api-key.ts';
import { auditRecords, getAuditSpan } from '#shared/model/organizations/audit-record.ts';
import { getMembersSpan, memberships } from '#shared/model/organizations/membership.ts';
import { getProjectsSpan, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import type { ImportContext } from './import-context.ts';

/** How far an interrupted import came: which archive it read, and how many of its parts it imported. */
const Position = z.object({ digest: z.string(), parts: z.int() });

export const getCheckpointKey = ({ organizationId }: ImportContext) => ({ work: `import ${organizationId}` });

/** Throws if the organization has other rows here. */
export async function countImportedParts(context: ImportContext): Promise<number> {
  const { services, organization, organizationId, digest } = context;
  const { table } = services;
  const clear = `remove these rows first (with the same --table and --bucket, if given): npm run admin -- organizations delete --id ${organizationId} --confirm ${organizationId} --now`;
  const checkpoint = await table.get(checkpoints, getCheckpointKey(context), { consistent: true });
  if (checkpoint) {
    const position = Position.parse(JSON.parse(checkpoint.position));
    if (position.digest === digest) return position.parts;
    throw new Refused(
      `The table has rows of another archive of this organization, whose import was interrupted. Repeat that import, or ${clear}`,
    );
  }
  const lists = [
    table.query(projectsOfOrganization, getProjectsSpan(organization), { limit: 1 }),
    table.query(memberships, getMembersSpan(organization), { limit: 1 }),
    table.query(apiKeysOfOrganization, getApiKeysSpan(organization), { limit: 1 }),
    table.query(auditRecords, getAuditSpan(organization), { limit: 1 }),
  ];
  if ((await Promise.all(lists)).some(({ rows }) => rows.length > 0))
    throw new Refused(
      `The table has rows of this organization, which was deleted or was never complete. To import it, ${clear}`,
    );
  return 0;
}

export async function saveImportedParts(context: ImportContext, parts: number): Promise<void> {
  const { digest, services } = context;
  const position = JSON.stringify({ digest, parts } satisfies z.infer<typeof Position>);
  await services.table.put(checkpoints, { ...getCheckpointKey(context), position, savedAt: services.now() });
}
