/**
 * Reads an archive, and refuses everything that an export of this organization cannot contain. An archive may have been
 * changed by others, so nothing in it may lead outside of the organization.
 */

import { parseJson } from '#shared/engine/json.ts';
import { type Account, accounts } from '#shared/model/organizations/account.ts';
import { parseObjectKey } from '#shared/model/results/artifact.ts';
import { readDocument } from './archive-documents.ts';
import {
  FileLine,
  FORMAT_VERSION,
  MANIFEST,
  Manifest,
  ManifestHead,
  type Part,
  parseRowLine,
  RELEASE,
} from './archive-format.ts';
import type { ArchiveStore } from './archive-store.ts';
import { isOfWork } from './archived-rows.ts';
import { BadArchive, COPY_OR_EXPORT_AGAIN, EXPORT_AGAIN } from './bad-archive.ts';
import { FOREIGN } from './importable.ts';
import { IMPORTABLE } from './importable-rows.ts';
import { readPart } from './read-part.ts';
import type { Recognize } from './row-owner.ts';
import type { Row } from './table-scan.ts';

/** The exact bytes identify the archive. */
export async function readManifest(store: ArchiveStore): Promise<{ manifest: Manifest; bytes: Buffer }> {
  const bytes = await readDocument(store, MANIFEST);
  if (!bytes)
    throw new BadArchive(
      `${store.place} has no ${MANIFEST}: either it is not an archive, or its export is unfinished. Check --from, or repeat the export`,
    );
  const document = parseJson(bytes.toString('utf8'));
  if (document === undefined) throw new BadArchive(`${MANIFEST} is not JSON. ${COPY_OR_EXPORT_AGAIN}`);
  const head = ManifestHead.safeParse(document).data;
  if (!head) throw new BadArchive(`${MANIFEST} is not the manifest of an exported organization. Check --from`);
  if (head.formatVersion !== FORMAT_VERSION || isLater(head.release))
    throw new BadArchive(
      `The archive is from version ${head.release}, and this is version ${RELEASE}. Import it with version ${head.release} or a later one`,
    );
  const { data, error } = Manifest.safeParse(document);
  if (!data) {
    const [issue] = error.issues;
    throw new BadArchive(`${MANIFEST} is damaged at ${issue?.path.join('.')}: ${issue?.message}. ${EXPORT_AGAIN}`);
  }
  if (new Set(data.parts.map(({ name }) => name)).size < data.parts.length)
    throw new BadArchive(`${MANIFEST} lists a part twice. ${EXPORT_AGAIN}`);
  return { manifest: data, bytes };
}

const isLater = (release: string): boolean => release.localeCompare(RELEASE, 'en', { numeric: true }) > 0;

interface ArchiveExpectations {
  readonly organizationId: string;
  readonly recognize: Recognize;
  /** The current time, in epoch milliseconds. */
  readonly now: number;
}

/** Throws `BadArchive` at the first row that must not be in the archive. */
export const readRows = (
  store: ArchiveStore,
  part: Part,
  expectations: ArchiveExpectations,
  onRows: (rows: readonly Row[]) => Promise<void>,
): Promise<void> =>
  readLines(
    store,
    part,
    (rows) =>
      onRows(rows.map((row) => ({ ...row, ...IMPORTABLE.get(expectations.recognize(row)?.type ?? '')?.sets?.(row) }))),
    parseRowLine,
    (row) => {
      const problem = findRowProblem(row, part, expectations);
      return problem && `the row ${row.pk} ${row.sk} ${problem}`;
    },
  );

export const readFiles = (
  store: ArchiveStore,
  part: Part,
  { organizationId }: ArchiveExpectations,
  onFiles: (files: readonly FileLine[]) => Promise<void>,
): Promise<void> =>
  readLines(
    store,
    part,
    onFiles,
    (line) => FileLine.parse(JSON.parse(line)),
    ({ key }) =>
      FILE_KEY.test(key) && parseObjectKey(key)?.organizationId === organizationId
        ? undefined
        : `${JSON.stringify(key)} is not the name of a file of the organization`,
  );

/** `problemIn` returns why a line must not be in the archive. */
async function readLines<Line>(
  store: ArchiveStore,
  part: Part,
  onLines: (lines: readonly Line[]) => Promise<void>,
  parse: (text: string) => Line,
  problemIn: (line: Line) => string | undefined,
): Promise<void> {
  let number = 0;
  const badLine = (problem: string) => new BadArchive(`${part.name}, line ${number}: ${problem}. ${EXPORT_AGAIN}`);
  const parseLine = (text: string): Line => {
    try {
      return parse(text);
    } catch {
      throw badLine('the line does not have the format of an export');
    }
  };
  const checkLine = (text: string): Line => {
    number += 1;
    const line = parseLine(text);
    const problem = problemIn(line);
    if (problem) throw badLine(problem);
    return line;
  };
  await readPart(store, part, (lines) => onLines(lines.map(checkLine)));
}

/** A file key consists of three ids. Their characters cannot lead out of a folder. */
const FILE_KEY = /^[0-9A-Za-z_-]+\/[0-9A-Za-z_-]+\/[0-9A-Za-z_-]+$/;

/** DynamoDB refuses larger rows. */
const ROW_BYTES = 400 * 1024;
const KEY_BYTES = { pk: 2048, sk: 1024 };

function findRowProblem(
  row: Row,
  { kind }: Part,
  { organizationId, recognize, now }: ArchiveExpectations,
): string | undefined {
  const recognizedRow = recognize(row);
  const importable = recognizedRow && IMPORTABLE.get(recognizedRow.type);
  if (!recognizedRow || !importable || importable.kind === 'leftOut') return 'is of a kind that no archive contains';
  if (isOfWork(recognizedRow) !== (kind === 'work') || (importable.kind === 'people') !== (kind === 'people'))
    return 'is in the wrong part';
  if (estimateBytes(row) > ROW_BYTES) return 'is larger than 400 KB';
  if (Buffer.byteLength(row.pk) > KEY_BYTES.pk || Buffer.byteLength(row.sk) > KEY_BYTES.sk)
    return 'has a key that is too long';
  const rowOrganizationId = row['organizationId'];
  if (kind !== 'people' && !recognizedRow.belongsTo(organizationId)) return FOREIGN;
  if (rowOrganizationId !== undefined && rowOrganizationId !== organizationId) return FOREIGN;
  return importable.problemIn(row, now);
}

/** The approximate size of a value in bytes, as DynamoDB counts it. */
function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Set) return estimateBytes([...value]);
  if (Array.isArray(value)) return value.reduce((total: number, one) => total + estimateBytes(one), 3 + value.length);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).reduce(
      (total, [name, one]) => total + Buffer.byteLength(name) + estimateBytes(one),
      3,
    );
  return 8;
}

/** Reads the accounts of an archive. There are few, so all of them are held in memory. */
export async function readPeople(
  store: ArchiveStore,
  parts: readonly Part[],
  expectations: ArchiveExpectations,
): Promise<Account[]> {
  const people = new Map<string, Account | undefined>();
  for (const part of parts) {
    await readRows(store, part, expectations, async (rows) => {
      for (const row of rows) {
        const accountId = String(row['accountId']);
        people.set(accountId, row.sk === 'ACCOUNT' ? accounts.load(row) : people.get(accountId));
      }
    });
  }
  return [...people].map(([accountId, account]) => {
    if (account) return account;
    throw new BadArchive(
      `The archive has rows of the account ${accountId}, but not the account itself. ${EXPORT_AGAIN}`,
    );
  });
}
