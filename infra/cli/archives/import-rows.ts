/** Compares the rows and files of an archive with those that exist here, and writes those that are missing. */
import { Refused } from '#infra/cli/terminal/usage-error.ts';
import type { Attributes } from '#shared/engine/table/entity.ts';
import { buildItem, getRowKey, type Put } from '#shared/engine/table/writes.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import { type FileLine, toCanonicalJson } from './archive-format.ts';
import { toArchivedOrganization } from './archived-organization.ts';
import { saveImportedParts } from './import-checkpoint.ts';
import type { ImportContext } from './import-context.ts';
import { readParts, storeFile } from './import-parts.ts';
import { writePeople } from './import-people.ts';
import type { Row } from './table-scan.ts';

/** Throws if the organization that exists here differs from the one in the archive. */
export async function compareOrganization(context: ImportContext, existingOrganization: Organization): Promise<void> {
  const { organization, parts, bucket } = context;
  const makeError = (difference: string) =>
    new Refused(
      `The organization ${existingOrganization.name} (${existingOrganization.organizationId}) exists here with other content: ${difference}. Nothing was imported`,
    );
  // The import sets neither the limits nor the number of Admins that an archive states.
  const { limits: _, admins: __, ...here } = toArchivedOrganization(buildItem(organizations, existingOrganization));
  const { admins: ___, ...there } = organization;
  if (toCanonicalJson(here) !== toCanonicalJson(there)) throw makeError('its settings differ');
  // Work and people are not compared: the work may be done by now, and people may have changed their accounts.
  const comparableParts = parts.filter(({ kind }) => kind === 'rows' || kind === 'files');
  await readParts(context, comparableParts, 'compared', {
    onRows: async (rows) => {
      const [missingRow] = await listMissingRows(context, rows, makeError);
      if (missingRow) throw makeError(`the row ${missingRow.pk} ${missingRow.sk} is missing`);
    },
    onFile: async ({ key, bytes }) => {
      if ((await bucket.readSize(key)) !== bytes) throw makeError(`the file ${key} differs`);
    },
  });
}

/** The rows that do not exist here. Throws the error of `makeError` if a row exists here with other content. */
async function listMissingRows(
  { services }: ImportContext,
  rows: readonly Row[],
  makeError: (difference: string) => Error,
): Promise<Row[]> {
  const lookups = rows.map((row) => ({ row, key: getRowKey(row), load: (attributes: Attributes) => attributes }));
  const storedRows = await services.table.getTogether(lookups, { consistent: true });
  return lookups.flatMap((lookup) => {
    const { row } = lookup;
    const there = storedRows.of(lookup);
    if (there && toCanonicalJson(there) !== toCanonicalJson(row))
      throw makeError(`the row ${row.pk} ${row.sk} differs`);
    return there ? [] : [row];
  });
}

/** Skips the parts that an interrupted import has already imported. */
export async function writeParts(
  context: ImportContext,
  importedParts: number,
  people: readonly Account[],
): Promise<void> {
  const makeError = (difference: string) =>
    new Refused(
      `The import stopped: ${difference} from the one in the table, which is never overwritten. If the row belongs to this organization, run "organizations delete" with --now, and import the archive again`,
    );
  const onRows = async (rows: readonly Row[]) => {
    const newRows = await listMissingRows(context, rows, makeError);
    await context.services.table.writeMany(newRows.map((item): Put => ({ kind: 'put', item })));
  };
  const onFile = (file: FileLine) => storeFile(context, file);
  for (const [index, part] of context.parts.entries()) {
    if (index < importedParts) continue;
    if (part.kind === 'people') await writePeople(context, people);
    else await readParts(context, [part], 'imported', { onRows, onFile });
    await saveImportedParts(context, index + 1);
  }
}
