/**
 * Reads an archive, and refuses everything that an export of this organization cannot contain. An archive may have been
 * changed by others, so nothing in it may lead outside of the organization.
 */
import type { Attributes } from '#shared/engine/table/entity.ts';
import { type Account, accounts, accountsByEmail } from '#shared/model/organizations/account.ts';
import { apiKeys } from '#shared/model/organizations/api-key.ts';
import { badges } from '#shared/model/organizations/badge.ts';
import { invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { passkeys, passkeysOfAccount } from '#shared/model/organizations/passkey.ts';
import { personalTokens } from '#shared/model/organizations/personal-token.ts';
import { shares } from '#shared/model/organizations/share.ts';
import { artifactOfObject } from '#shared/model/tests/artifact.ts';
import {
  BadArchive,
  FileLine,
  FORMAT_VERSION,
  MANIFEST,
  Manifest,
  ManifestHead,
  type Part,
  RELEASE,
  readDocument,
  readPart,
  rowOfLine,
} from './archive-format.ts';
import type { ArchiveStore } from './archive-store.ts';
import { isOfWork, LEFT_OUT, OF_PEOPLE } from './archived-rows.ts';
import type { Recognize } from './row-owner.ts';
import type { Row } from './table-scan.ts';

/** Reads the manifest. Returns it with its exact bytes, which identify the archive. */
export async function readManifest(store: ArchiveStore): Promise<{ manifest: Manifest; bytes: Buffer }> {
  const bytes = await readDocument(store, MANIFEST);
  if (!bytes)
    throw new BadArchive(
      `${store.place} has no ${MANIFEST}: either it is not an archive, or its export is unfinished. Check --from, or repeat the export`,
    );
  const document = jsonOf(bytes);
  const head = ManifestHead.safeParse(document).data;
  if (!head) throw new BadArchive(`${MANIFEST} is not the manifest of an exported organization. Check --from`);
  if (head.formatVersion !== FORMAT_VERSION || isLater(head.release))
    throw new BadArchive(
      `The archive is from version ${head.release}, and this is version ${RELEASE}. Import it with version ${head.release} or a later one`,
    );
  const { data, error } = Manifest.safeParse(document);
  if (!data) {
    const [issue] = error.issues;
    throw new BadArchive(
      `${MANIFEST} is damaged at ${issue?.path.join('.')}: ${issue?.message}. Export the organization again to an empty folder or prefix`,
    );
  }
  if (new Set(data.parts.map(({ name }) => name)).size < data.parts.length)
    throw new BadArchive(`${MANIFEST} lists a part twice. Export the organization again to an empty folder or prefix`);
  return { manifest: data, bytes };
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new BadArchive(
      `${MANIFEST} is not JSON. Copy the archive again, or export the organization again to an empty folder or prefix`,
    );
  }
}

const isLater = (release: string): boolean => release.localeCompare(RELEASE, 'en', { numeric: true }) > 0;

/** Reads the rows of a part, some at a time. Throws `BadArchive` at the first row that must not be in the archive. */
export async function readRows(
  store: ArchiveStore,
  part: Part,
  { organizationId, recognize }: { readonly organizationId: string; readonly recognize: Recognize },
  onRows: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  let number = 0;
  await readPart(store, part, async (lines) => {
    const rows = lines.map((line) => {
      number += 1;
      const at = `${part.name}, line ${number}`;
      const row = parsed(at, () => rowOfLine(line));
      const problem = problemOf(row, part, organizationId, recognize);
      if (problem)
        throw new BadArchive(
          `${at}: the row ${row.pk} ${row.sk} ${problem}. Export the organization again to an empty folder or prefix`,
        );
      return row;
    });
    await onRows(rows);
  });
}

export async function readFiles(
  store: ArchiveStore,
  part: Part,
  organizationId: string,
  onFiles: (files: readonly FileLine[]) => Promise<void>,
): Promise<void> {
  let number = 0;
  await readPart(store, part, async (lines) => {
    const files = lines.map((line) => {
      number += 1;
      const at = `${part.name}, line ${number}`;
      const file = parsed(at, () => FileLine.parse(JSON.parse(line)));
      if (!isFileOf(file.key, organizationId))
        throw new BadArchive(
          `${at}: ${JSON.stringify(file.key)} is not the name of a file of the organization. Export the organization again to an empty folder or prefix`,
        );
      return file;
    });
    await onFiles(files);
  });
}

/** A file key consists of three ids. Their characters cannot lead out of a folder. */
const FILE_KEY = /^[0-9A-Za-z_-]+\/[0-9A-Za-z_-]+\/[0-9A-Za-z_-]+$/;

const isFileOf = (key: string, organizationId: string): boolean =>
  FILE_KEY.test(key) && artifactOfObject(key)?.organizationId === organizationId;

function parsed<Value>(at: string, parse: () => Value): Value {
  try {
    return parse();
  } catch {
    throw new BadArchive(
      `${at}: the line does not have the format of an export. Export the organization again to an empty folder or prefix`,
    );
  }
}

/** DynamoDB refuses larger rows. */
const ROW_BYTES = 400 * 1024;
const KEY_BYTES = { pk: 2048, sk: 1024 };

function problemOf(row: Row, { kind }: Part, organizationId: string, recognize: Recognize): string | undefined {
  const known = recognize(row);
  const isForeignKind = !known || LEFT_OUT.has(known.type) || (known.isOutside && !OF_PEOPLE.has(known.type));
  if (isForeignKind) return 'is of a kind that no archive contains';
  if (isOfWork(known) !== (kind === 'work') || OF_PEOPLE.has(known.type) !== (kind === 'people'))
    return 'is in the wrong part';
  if (sizeOf(row) > ROW_BYTES) return 'is larger than 400 KB';
  if (Buffer.byteLength(row.pk) > KEY_BYTES.pk || Buffer.byteLength(row.sk) > KEY_BYTES.sk)
    return 'has a key that is too long';
  if (kind === 'people') return isOwnKey(known.type, row) ? undefined : FOREIGN;
  const stated = row['organizationId'];
  const isOwn = known.belongsTo(organizationId) && (stated === undefined || stated === organizationId);
  return isOwn && isOwnKey(known.type, row) ? undefined : FOREIGN;
}

const FOREIGN = 'belongs to another organization, or has a key that does not match its content';

/**
 * Whether the key of a row matches its content. Only the kinds in `OUTSIDE` are checked. Their rows are stored outside
 * the partitions of the organization: the service finds them by their key, and then trusts their content.
 */
function isOwnKey(type: string, row: Row): boolean {
  const key = OUTSIDE[type]?.(row);
  return key === undefined || (key.pk === row.pk && key.sk === row.sk);
}

const OUTSIDE: Readonly<Record<string, (row: Attributes) => { readonly pk: string; readonly sk: string }>> = {
  'API key': (row) => apiKeys.key(apiKeys.load(row)),
  badge: (row) => badges.key(badges.load(row)),
  'invitation, by secret': (row) => invitationsBySecret.key(invitationsBySecret.load(row)),
  'personal token': (row) => personalTokens.key(personalTokens.load(row)),
  share: (row) => shares.key(shares.load(row)),
  account: (row) => accounts.key(accounts.load(row)),
  'account, by address': (row) => accountsByEmail.key(accountsByEmail.load(row)),
  passkey: (row) => passkeys.key(passkeys.load(row)),
  'passkey, listed': (row) => passkeysOfAccount.key(passkeysOfAccount.load(row)),
};

/** The approximate size of a value in bytes, as DynamoDB counts it. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Set) return sizeOf([...value]);
  if (Array.isArray(value)) return value.reduce((total: number, one) => total + sizeOf(one), 3 + value.length);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).reduce((total, [name, one]) => total + Buffer.byteLength(name) + sizeOf(one), 3);
  return 8;
}

/** An account of an archive, and the rows of its passkeys. */
export interface ArchivedPerson {
  readonly account: Account;
  readonly rows: readonly Row[];
}

/** Reads the people of an archive. There are few, so all of them are held in memory. */
export async function readPeople(
  store: ArchiveStore,
  parts: readonly Part[],
  given: { readonly organizationId: string; readonly recognize: Recognize },
): Promise<ArchivedPerson[]> {
  const people = new Map<string, { account?: Account; rows: Row[] }>();
  for (const part of parts) {
    await readRows(store, part, given, async (rows) => {
      for (const row of rows) {
        const isPasskey = given.recognize(row)?.type.startsWith('passkey') === true;
        const accountId = String(row['accountId']);
        const person = people.get(accountId) ?? { rows: [] };
        people.set(accountId, person);
        if (row.sk === 'ACCOUNT') person.account = accounts.load(row);
        else if (isPasskey) person.rows.push(row);
      }
    });
  }
  return [...people].map(([accountId, { account, rows }]) => {
    if (account) return { account, rows };
    throw new BadArchive(
      `The archive has rows of the account ${accountId}, but not the account itself. Export the organization again to an empty folder or prefix`,
    );
  });
}
