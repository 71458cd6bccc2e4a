/**
 * Imports an archive into a deployment that does not have the organization. Reads the whole archive once before it
 * writes anything. The row of the organization comes last, so that nobody can use an incomplete organization. A row
 * that exists is never overwritten. Continues an interrupted import after the last complete part.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { Refused } from '#infra/cli/terminal/usage-error.ts';
import type { Actor } from '#shared/access/actor.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { parseStreamImage } from '#shared/engine/table/attributes.ts';
import type { Attributes } from '#shared/engine/table/entity.ts';
import { ABSENT, buildItem, getRowKey, type Put, put, remove } from '#shared/engine/table/writes.ts';
import { checkpoints } from '#shared/model/checkpoint.ts';
import { type Account, accounts, accountsByEmail, companyAccounts } from '#shared/model/organizations/account.ts';
import { apiKeysOfOrganization, getApiKeysSpan } from '#shared/model/organizations/api-key.ts';
import { auditRecords, getAuditSpan } from '#shared/model/organizations/audit-record.ts';
import {
  getMembersSpan,
  memberships,
  membershipsOfAccount,
  type Role,
} from '#shared/model/organizations/membership.ts';
import { allOrganizations, type Organization, organizations } from '#shared/model/organizations/organization.ts';
import { getProjectsSpan, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import type { UsageLimits, UsageLimitsSetting } from '#shared/model/usage/usage-limits.ts';
import { change } from '#shared/organizations/change.ts';
import { makeCursorSecret } from '#shared/organizations/create-organization.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import type { CoreServices } from '#shared/services.ts';
import { SHARE_LIMITS } from '#shared/shares/limits.ts';
import {
  BadArchive,
  type FileLine,
  type Manifest,
  measureStream,
  PART_KINDS,
  type Part,
  type TransferResult,
  toCanonicalJson,
  toContentName,
} from './archive-format.ts';
import type { ArchiveStore } from './archive-store.ts';
import { toArchivedOrganization } from './archived-rows.ts';
import type { Bucket } from './bucket.ts';
import { readFiles, readManifest, readPeople, readRows } from './checked-archive.ts';
import { IMPORTABLE } from './importable-rows.ts';
import type { Recognize } from './row-owner.ts';
import type { Pace, Row } from './table-scan.ts';

export interface ImportTargets {
  readonly services: CoreServices;
  readonly bucket: Bucket;
  readonly recognize: Recognize;
  readonly archive: ArchiveStore;
  readonly pace: Pace;
  readonly actor: Actor;
  /** Asks whether people who have an account here may become members. Throws if they may not. */
  readonly approve: (members: readonly ExistingMember[]) => Promise<void>;
}

/** A member of the archive who has an account here. */
export interface ExistingMember {
  readonly account: Account;
  readonly role: Role | undefined;
}

export interface ImportResult extends TransferResult {
  /** The limits of the organization where it was exported. An import does not set them. */
  readonly limits: UsageLimitsSetting;
}

export interface ImportProgress {
  readonly step: 'checked' | 'compared' | 'imported';
  readonly rows: number;
  readonly files: number;
}

interface Importing extends ImportTargets {
  readonly onProgress: (soFar: ImportProgress) => void;
  readonly manifest: Manifest;
  /** Identifies the archive. */
  readonly digest: string;
  readonly organizationId: string;
  readonly organization: Omit<ArchivedOrganization, 'limits'>;
  readonly now: number;
  /** The parts in the order in which they are imported. */
  readonly parts: readonly Part[];
}

export async function importOrganization(
  targets: ImportTargets,
  onProgress: (soFar: ImportProgress) => void,
): Promise<ImportResult> {
  const { manifest, bytes } = await readManifest(targets.archive);
  const { organizationId } = manifest;
  const { data: parsedOrganization } = ArchivedOrganization.safeParse(parseStreamImage(manifest.organization));
  if (parsedOrganization?.organizationId !== organizationId)
    throw new BadArchive(
      'The manifest does not describe the organization of the archive. Export the organization again to an empty folder or prefix',
    );
  const { limits = {}, ...organization } = parsedOrganization;
  const importing: Importing = {
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
    await compare(importing, existingOrganization);
    return { manifest, wasComplete: true, limits };
  }
  const begin = await countImportedParts(importing);
  const { people, admins, existing: members } = await check(importing);
  if (members.length > 0) await targets.approve(members);
  await save(importing, begin);
  await write(importing, begin, people);
  const { services, actor } = targets;
  await change(services, { actor, action: 'organizations:move' }, () => ({
    result: undefined,
    writes: [
      put(organizations, { ...organization, admins, cursorSecret: makeCursorSecret(services) }, ABSENT),
      put(allOrganizations, organization),
      remove(checkpoints, getCheckpointKey(importing)),
    ],
    record: {
      organizationId,
      action: 'organization imported',
      subject: organizationId,
      label: organization.name,
      detail: `an archive of ${manifest.finishedAt}${members.length === 0 ? '' : `; members who had an account here: ${members.length}`}`,
    },
  }));
  return { manifest, wasComplete: false, limits };
}

const limit = z.int().positive().optional();

/** The type makes sure that no member is forgotten: an archive with it would be refused. */
const ArchivedOrganization = z.strictObject({
  organizationId: z.string(),
  name: z.string().min(1).max(ORGANIZATION_LIMITS.nameCharacters),
  createdAt: z.number(),
  admins: z.number(),
  deactivatedAt: z.number().optional(),
  shareDays: z.literal([0, ...SHARE_LIMITS.days]).optional(),
  aiMayRead: z.boolean().optional(),
  limits: z
    .strictObject({ requestsPerMonth: limit, keyRequestsPerMinute: limit, storedBytes: limit } satisfies Record<
      keyof UsageLimits,
      unknown
    >)
    .optional(),
} satisfies Record<
  keyof Omit<Organization, 'companySignIn' | 'cursorSecret' | 'deletesAt' | 'reactivates' | 'isOnly'>,
  unknown
>);
type ArchivedOrganization = z.infer<typeof ArchivedOrganization>;

/** How far an interrupted import came: which archive it read, and how many of its parts it imported. */
const Position = z.object({ digest: z.string(), parts: z.int() });

const getCheckpointKey = ({ organizationId }: Importing) => ({ work: `import ${organizationId}` });

/** Throws if the organization has other rows here. */
async function countImportedParts(importing: Importing): Promise<number> {
  const { services, organization, organizationId, digest } = importing;
  const { table } = services;
  const clear = `remove these rows first (with the same --table and --bucket, if given): npm run admin -- organizations delete --id ${organizationId} --confirm ${organizationId} --now`;
  const checkpoint = await table.get(checkpoints, getCheckpointKey(importing), { consistent: true });
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

async function save(importing: Importing, parts: number): Promise<void> {
  const { digest, services } = importing;
  const position = JSON.stringify({ digest, parts } satisfies z.infer<typeof Position>);
  await services.table.put(checkpoints, { ...getCheckpointKey(importing), position, savedAt: services.now() });
}

interface ArchivePeople {
  readonly people: readonly Account[];
  readonly admins: number;
  readonly existing: readonly ExistingMember[];
}

/** Reads the whole archive. Throws before anything is written if it cannot be imported. */
async function check(importing: Importing): Promise<ArchivePeople> {
  const { archive, recognize, parts } = importing;
  const members = new Map<string, Role | undefined>();
  await readAll(importing, parts, 'checked', {
    rows: async (rows) => {
      await refuseForeignTargets(importing, rows);
      for (const row of rows) {
        const type = recognize(row)?.type;
        const accountId = String(row['accountId']);
        if (type === memberships.type) members.set(accountId, memberships.load(row).role);
        if (type === membershipsOfAccount.type) members.set(accountId, members.get(accountId));
      }
    },
    file: async (file) => {
      const { content, result } = await openContent(importing, file);
      for await (const _ of content);
      refuseChanged(file, result());
    },
  });
  const ofPeople = parts.filter(({ kind }) => kind === 'people');
  const people = await readPeople(archive, ofPeople, importing);
  const strangers: string[] = [];
  for (const account of people) {
    const { managedBy } = account;
    if (managedBy !== undefined && managedBy !== importing.organizationId)
      throw new BadArchive(
        `The archive has the account of ${account.email}, which another organization manages. Export the organization again to an empty folder or prefix`,
      );
    // The directory of the organization may activate the account of a former member again.
    if (managedBy === undefined && members.get(account.accountId) === undefined)
      throw new BadArchive(
        `The archive has the account of ${account.email}, but no membership of this person. Export the organization again to an empty folder or prefix`,
      );
    if ((await compareAccount(importing, account)) === 'other') strangers.push(account.email);
  }
  if (strangers.length > 0) throw isSomebodyElse(strangers);
  const admins = [...members.values()].filter((role) => role === 'admin').length;
  return { people, admins, existing: await listExistingMembers(importing, members) };
}

/** The members who have an account here that no earlier attempt of this import created. */
async function listExistingMembers(
  { services, organizationId }: Importing,
  members: ReadonlyMap<string, Role | undefined>,
): Promise<ExistingMember[]> {
  const keys = [...members.keys()].map((accountId) => ({ accountId }));
  const foundAccounts = await services.table.getMany(accounts, keys, { consistent: true });
  return foundAccounts.flatMap((account) => {
    if (!account || account.unproven?.organizationId === organizationId) return [];
    if (account.managedBy === organizationId) return [];
    if (account.managedBy !== undefined) throw isSomebodyElse([account.email]);
    return [{ account, role: members.get(account.accountId) }];
  });
}

/** Whoever revokes an entry in the list of API keys deletes the row it leads to, so it must not be a foreign row. */
async function refuseForeignTargets(
  { services, recognize, organizationId }: Importing,
  rows: readonly Row[],
): Promise<void> {
  const lookups = rows.flatMap((row) => {
    const key = IMPORTABLE.get(recognize(row)?.type ?? '')?.leadsTo?.(row);
    return key ? [{ row, key, load: (attributes: Attributes) => attributes }] : [];
  });
  if (lookups.length === 0) return;
  const targetRows = await services.table.getTogether(lookups, { consistent: true });
  for (const lookup of lookups) {
    const target = targetRows.of(lookup);
    if (target && target['organizationId'] !== organizationId)
      throw new BadArchive(
        `The row ${lookup.row.pk} ${lookup.row.sk} leads to a row of another organization. Export the organization again to an empty folder or prefix`,
      );
  }
}

/** `other`: another account has the same address or id. */
async function compareAccount(
  { services: { table } }: Importing,
  { accountId, email, managedBy }: Account,
): Promise<'same' | 'none' | 'other'> {
  const [here, pointer] = await Promise.all([
    table.get(accounts, { accountId }, { consistent: true }),
    managedBy === undefined
      ? table.get(accountsByEmail, { email }, { consistent: true })
      : table.get(companyAccounts, { organizationId: managedBy, email }, { consistent: true }),
  ]);
  const isSame = here?.email === email && here.managedBy === managedBy;
  if (isSame && pointer?.accountId === accountId) return 'same';
  return here || pointer ? 'other' : 'none';
}

async function compare(importing: Importing, existingOrganization: Organization): Promise<void> {
  const { organization, parts, bucket } = importing;
  const differing = (what: string) =>
    new Refused(
      `The organization ${existingOrganization.name} (${existingOrganization.organizationId}) exists here with other content: ${what}. Nothing was imported`,
    );
  // The import sets neither the limits nor the number of Admins that an archive states.
  const { limits: _, admins: __, ...here } = toArchivedOrganization(buildItem(organizations, existingOrganization));
  const { admins: ___, ...there } = organization;
  if (toCanonicalJson(here) !== toCanonicalJson(there)) throw differing('its settings differ');
  // Work and people are not compared: the work may be done by now, and people may have changed their accounts.
  const comparableParts = parts.filter(({ kind }) => kind === 'rows' || kind === 'files');
  await readAll(importing, comparableParts, 'compared', {
    rows: async (rows) => {
      const [missingRow] = await listMissingRows(importing, rows, differing);
      if (missingRow) throw differing(`the row ${missingRow.pk} ${missingRow.sk} is missing`);
    },
    file: async ({ key, bytes }) => {
      if ((await bucket.sizeOf(key)) !== bytes) throw differing(`the file ${key} differs`);
    },
  });
}

/** Throws if a row is there with other content. */
async function listMissingRows(
  { services }: Importing,
  rows: readonly Row[],
  differing: (what: string) => Error,
): Promise<Row[]> {
  const lookups = rows.map((row) => ({ row, key: getRowKey(row), load: (attributes: Attributes) => attributes }));
  const storedRows = await services.table.getTogether(lookups, { consistent: true });
  return lookups.flatMap((lookup) => {
    const { row } = lookup;
    const there = storedRows.of(lookup);
    if (there && toCanonicalJson(there) !== toCanonicalJson(row))
      throw differing(`the row ${row.pk} ${row.sk} differs`);
    return there ? [] : [row];
  });
}

async function write(importing: Importing, begin: number, people: readonly Account[]): Promise<void> {
  const differing = (what: string) =>
    new Refused(
      `The import stopped: ${what} from the one in the table, which is never overwritten. If the row belongs to this organization, run "organizations delete" with --now, and import the archive again`,
    );
  const putRows = async (rows: readonly Row[]) => {
    const newRows = await listMissingRows(importing, rows, differing);
    await importing.services.table.writeMany(newRows.map((item): Put => ({ kind: 'put', item })));
  };
  const on = { rows: putRows, file: (file: FileLine) => storeFile(importing, file) };
  for (const [place, part] of importing.parts.entries()) {
    if (place < begin) continue;
    if (part.kind === 'people') await writePeople(importing, people);
    else await readAll(importing, [part], 'imported', on);
    await save(importing, place + 1);
  }
}

/**
 * Creates the accounts that do not exist here. Nobody has proven to this deployment that these addresses are theirs, so
 * the accounts belong to the organization until the operator gives their owners a sign-in link.
 */
async function writePeople(importing: Importing, people: readonly Account[]): Promise<void> {
  const { organizationId, now, services } = importing;
  const { table } = services;
  for (const { accountId, email, name, createdAt, managedBy } of people) {
    const origin = managedBy === undefined ? { unproven: { organizationId, at: now } } : { managedBy };
    const account: Account = { accountId, email, name, createdAt, passkeys: 0, ...origin };
    if ((await compareAccount(importing, account)) === 'same') continue;
    const pointer =
      managedBy === undefined
        ? put(accountsByEmail, account, ABSENT)
        : put(companyAccounts, { organizationId: managedBy, email, accountId }, ABSENT);
    const isNew = await table.transact([put(accounts, account, ABSENT), pointer]);
    if (!isNew) throw isSomebodyElse([account.email]);
  }
}

async function openContent({ archive }: Importing, { key }: FileLine) {
  const content = await archive.open(toContentName(key));
  if (content) return measureStream(content);
  throw new BadArchive(
    `The file ${key} is missing from the archive. Copy the archive again, or export the organization again to an empty folder or prefix`,
  );
}

async function storeFile(importing: Importing, file: FileLine): Promise<void> {
  const { bucket } = importing;
  const { key, bytes, type } = file;
  if ((await bucket.sizeOf(key)) === bytes) return;
  const { content, result } = await openContent(importing, file);
  await bucket.store(key, { content, bytes, type });
  try {
    refuseChanged(file, result());
  } catch (error) {
    await bucket.remove(key);
    throw error;
  }
}

async function readAll(
  importing: Importing,
  parts: readonly Part[],
  step: ImportProgress['step'],
  on: {
    readonly rows: (rows: readonly Row[]) => Promise<void>;
    readonly file: (file: FileLine) => Promise<void>;
  },
): Promise<void> {
  const { archive, services, pace, onProgress } = importing;
  const { meter } = services.table;
  let rows = 0;
  let files = 0;
  const report = () => onProgress({ step, rows, files });
  for (const part of parts) {
    if (part.kind === 'files') {
      await readFiles(archive, part, importing, async (lines) => {
        await mapConcurrently(lines, async (file) => {
          await on.file(file);
          files += 1;
          report();
        });
      });
      continue;
    }
    await readRows(archive, part, importing, async (read) => {
      const before = meter.readUnits + meter.writeUnits;
      await on.rows(read);
      rows += read.length;
      report();
      await pace.spend(meter.readUnits + meter.writeUnits - before);
    });
  }
}

function refuseChanged(
  { key, bytes, sha256 }: FileLine,
  measurement: { readonly bytes: number; readonly sha256: string },
) {
  if (measurement.bytes !== bytes || measurement.sha256 !== sha256)
    throw new BadArchive(
      `The file ${key} does not match its checksum. Copy the archive again, or export the organization again to an empty folder or prefix`,
    );
}

const isSomebodyElse = (emails: readonly string[]): Refused =>
  new Refused(
    `These people have a different account here than in the archive, whose memberships, tokens and audit records name the archived account: ${emails.join(', ')}. Remove them from the organization, export it again to an empty folder or prefix, and add them here after the import`,
  );
