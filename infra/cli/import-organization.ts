/**
 * Imports an archive into a deployment that does not have the organization. Reads the whole archive once before it
 * writes anything. The row of the organization comes last, so that nobody can use an incomplete organization. A row
 * that exists is never overwritten. Continues an interrupted import after the last complete part.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Actor } from '#shared/access/actor.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { fromStreamed } from '#shared/engine/table/attributes.ts';
import type { Attributes } from '#shared/engine/table/entity.ts';
import { ABSENT, itemOf, keyOf, type Put, put, remove } from '#shared/engine/table/writes.ts';
import { checkpoints } from '#shared/model/checkpoint.ts';
import { accounts, accountsByEmail } from '#shared/model/organizations/account.ts';
import { apiKeysOfOrganization, apiKeysSpan } from '#shared/model/organizations/api-key.ts';
import { auditRecords, auditSpan } from '#shared/model/organizations/audit-record.ts';
import { memberships, membersSpan } from '#shared/model/organizations/membership.ts';
import { allOrganizations, type Organization, organizations } from '#shared/model/organizations/organization.ts';
import { projectsOfOrganization, projectsSpan } from '#shared/model/organizations/project.ts';
import type { UsageLimits } from '#shared/model/organizations/usage-limits.ts';
import { change } from '#shared/organizations/change.ts';
import { newCursorSecret } from '#shared/organizations/create-organization.ts';
import type { CoreServices } from '#shared/services.ts';
import {
  BadArchive,
  canonical,
  contentName,
  type FileLine,
  type Manifest,
  measured,
  PART_KINDS,
  type Part,
} from './archive-format.ts';
import type { ArchiveStore } from './archive-store.ts';
import { archivedOrganization } from './archived-rows.ts';
import type { Bucket } from './bucket.ts';
import { type ArchivedPerson, readFiles, readManifest, readPeople, readRows } from './checked-archive.ts';
import type { Recognize } from './row-owner.ts';
import type { Pace, Row } from './table-scan.ts';
import { Refused } from './usage-error.ts';

export interface ImportTargets {
  readonly services: CoreServices;
  readonly bucket: Bucket;
  readonly recognize: Recognize;
  readonly archive: ArchiveStore;
  readonly pace: Pace;
  readonly actor: Actor;
}

export interface ImportProgress {
  readonly step: 'checked' | 'compared' | 'imported';
  readonly rows: number;
  readonly files: number;
}

interface Imported {
  readonly manifest: Manifest;
  /** Whether the organization had been imported before, so that nothing was written. */
  readonly wasComplete: boolean;
}

export async function importOrganization(
  targets: ImportTargets,
  onProgress: (soFar: ImportProgress) => void,
): Promise<Imported> {
  const { manifest, bytes } = await readManifest(targets.archive);
  const digest = createHash('sha256').update(bytes).digest('hex');
  return new Import(targets, { manifest, digest }, onProgress).run();
}

const limit = z.number().positive().optional();

/** The members of the organization. The type makes sure that none is forgotten: an archive with it would be refused. */
const ArchivedOrganization = z.strictObject({
  organizationId: z.string(),
  name: z.string(),
  createdAt: z.number(),
  admins: z.number(),
  deactivatedAt: z.number().optional(),
  shareDays: z.number().optional(),
  aiMayRead: z.boolean().optional(),
  limits: z
    .strictObject({ requestsPerMonth: limit, keyRequestsPerMinute: limit, storedBytes: limit } satisfies Record<
      keyof UsageLimits,
      unknown
    >)
    .optional(),
} satisfies Record<keyof Omit<Organization, 'cursorSecret' | 'deletesAt' | 'reactivates'>, unknown>);
type ArchivedOrganization = z.infer<typeof ArchivedOrganization>;

function organizationIn({ organization, organizationId }: Manifest): ArchivedOrganization {
  const { data } = ArchivedOrganization.safeParse(fromStreamed(organization));
  if (data?.organizationId === organizationId) return data;
  throw new BadArchive(
    'The manifest does not describe the organization of the archive. Export the organization again to an empty folder or prefix',
  );
}

/** How far an interrupted import came: which archive it read, and how many of its parts it imported. */
const Position = z.object({ digest: z.string(), parts: z.int() });
type Position = z.infer<typeof Position>;

class Import {
  readonly #targets: ImportTargets;
  readonly #manifest: Manifest;
  readonly #organization: ArchivedOrganization;
  readonly #digest: string;
  readonly #onProgress: (soFar: ImportProgress) => void;
  /** The parts in the order in which they are imported. */
  readonly #parts: readonly Part[];
  #people: readonly ArchivedPerson[] = [];

  constructor(
    targets: ImportTargets,
    { manifest, digest }: { readonly manifest: Manifest; readonly digest: string },
    onProgress: (soFar: ImportProgress) => void,
  ) {
    this.#targets = targets;
    this.#manifest = manifest;
    this.#organization = organizationIn(manifest);
    this.#digest = digest;
    this.#onProgress = onProgress;
    this.#parts = PART_KINDS.flatMap((kind) => manifest.parts.filter((part) => part.kind === kind));
  }

  async run(): Promise<Imported> {
    const { table } = this.#targets.services;
    const existing = await table.get(organizations, this.#organization, { consistent: true });
    if (existing) {
      await this.#compare(existing);
      return { manifest: this.#manifest, wasComplete: true };
    }
    const begin = await this.#beginning();
    await this.#check();
    await this.#save(begin);
    await this.#write(begin);
    await this.#finish();
    return { manifest: this.#manifest, wasComplete: false };
  }

  get #given() {
    return { organizationId: this.#organization.organizationId, recognize: this.#targets.recognize };
  }

  get #checkpoint() {
    return { work: `import ${this.#organization.organizationId}` };
  }

  /** How many parts were imported before. Throws if the organization has other rows here. */
  async #beginning(): Promise<number> {
    const { table } = this.#targets.services;
    const { organizationId } = this.#organization;
    const clear = `remove these rows first (with the same --table and --bucket, if given): npm run admin -- organizations delete --id ${organizationId} --confirm ${organizationId} --now`;
    const saved = await table.get(checkpoints, this.#checkpoint, { consistent: true });
    if (saved) {
      const position = Position.parse(JSON.parse(saved.position));
      if (position.digest === this.#digest) return position.parts;
      throw new Refused(
        `The table has rows of another archive of this organization, whose import was interrupted. Repeat that import, or ${clear}`,
      );
    }
    const lists = [
      table.query(projectsOfOrganization, projectsSpan(this.#organization), { limit: 1 }),
      table.query(memberships, membersSpan(this.#organization), { limit: 1 }),
      table.query(apiKeysOfOrganization, apiKeysSpan(this.#organization), { limit: 1 }),
      table.query(auditRecords, auditSpan(this.#organization), { limit: 1 }),
    ];
    if ((await Promise.all(lists)).some(({ rows }) => rows.length > 0))
      throw new Refused(
        `The table has rows of this organization, which was deleted or was never complete. To import it, ${clear}`,
      );
    return 0;
  }

  async #save(parts: number): Promise<void> {
    const { table, now } = this.#targets.services;
    const position = JSON.stringify({ digest: this.#digest, parts } satisfies Position);
    await table.put(checkpoints, { ...this.#checkpoint, position, savedAt: now() });
  }

  /** Reads everything once. Throws before anything is written if the archive cannot be imported. */
  async #check(): Promise<void> {
    const { archive } = this.#targets;
    const members = new Set<unknown>();
    await this.#readAll(this.#parts, 'checked', {
      rows: async (rows) => {
        for (const row of rows) if (this.#targets.recognize(row)?.type === 'membership') members.add(row['accountId']);
      },
      file: async (file) => {
        const content = await this.#contentOf(file);
        for await (const _ of content.content);
        refuseChanged(file, content.result());
      },
    });
    const ofPeople = this.#parts.filter(({ kind }) => kind === 'people');
    this.#people = await readPeople(archive, ofPeople, this.#given);
    const strangers: string[] = [];
    for (const { account } of this.#people) {
      if (!members.has(account.accountId))
        throw new BadArchive(
          `The archive has the account of ${account.email}, but no membership of this person. Export the organization again to an empty folder or prefix`,
        );
      if ((await this.#accountHere(account)) === 'other') strangers.push(account.email);
    }
    if (strangers.length > 0) throw isSomebodyElse(strangers);
  }

  /** Whether the person has the same account here, none, or another one with the same address or id. */
  async #accountHere({ accountId, email }: ArchivedPerson['account']): Promise<'same' | 'none' | 'other'> {
    const { table } = this.#targets.services;
    const [here, pointer] = await Promise.all([
      table.get(accounts, { accountId }, { consistent: true }),
      table.get(accountsByEmail, { email }, { consistent: true }),
    ]);
    if (here?.email === email && pointer?.accountId === accountId) return 'same';
    return here || pointer ? 'other' : 'none';
  }

  async #compare(existing: Organization): Promise<void> {
    const differing = (what: string) =>
      new Refused(
        `The organization ${existing.name} (${existing.organizationId}) exists here with other content: ${what}. Nothing was imported`,
      );
    if (canonical(archivedOrganization(itemOf(organizations, existing))) !== canonical(this.#organization))
      throw differing('its settings differ');
    // Work and people are not compared: the work may be done by now, and people may have changed their accounts.
    const parts = this.#parts.filter(({ kind }) => kind === 'rows' || kind === 'files');
    await this.#readAll(parts, 'compared', {
      rows: async (rows) => {
        const missing = await this.#missing(rows, differing);
        if (missing[0]) throw differing(`the row ${missing[0].pk} ${missing[0].sk} is missing`);
      },
      file: async ({ key, bytes }) => {
        if ((await this.#targets.bucket.sizeOf(key)) !== bytes) throw differing(`the file ${key} differs`);
      },
    });
  }

  /** The rows that are not in the table. Throws if a row is there with other content. */
  async #missing(rows: readonly Row[], differing: (what: string) => Error): Promise<Row[]> {
    const { table } = this.#targets.services;
    const lookups = rows.map((row) => ({ key: keyOf(row), load: (found: Attributes) => found }));
    const found = await table.getTogether(lookups, { consistent: true });
    return rows.filter((row, place) => {
      const lookup = lookups[place];
      const there = lookup && found.of(lookup);
      if (there && canonical(there) !== canonical(row)) throw differing(`the row ${row.pk} ${row.sk} differs`);
      return !there;
    });
  }

  async #write(begin: number): Promise<void> {
    const differing = (what: string) =>
      new Refused(
        `The import stopped: ${what} from the one in the table, which is never overwritten. If the row belongs to this organization, run "organizations delete" with --now, and import the archive again`,
      );
    const putRows = async (rows: readonly Row[]) => {
      const missing = await this.#missing(rows, differing);
      await this.#targets.services.table.writeMany(missing.map((item): Put => ({ kind: 'put', item })));
    };
    for (const [place, part] of this.#parts.entries()) {
      if (place < begin) continue;
      if (part.kind === 'people') await this.#writePeople(putRows);
      else await this.#readAll([part], 'imported', { rows: putRows, file: (file) => this.#storeFile(file) });
      await this.#save(place + 1);
    }
  }

  async #writePeople(putRows: (rows: readonly Row[]) => Promise<void>): Promise<void> {
    const { table } = this.#targets.services;
    for (const { account, rows } of this.#people) {
      if ((await this.#accountHere(account)) === 'same') continue;
      await putRows(rows);
      const isNew = await table.transact([put(accounts, account, ABSENT), put(accountsByEmail, account, ABSENT)]);
      if (!isNew) throw isSomebodyElse([account.email]);
    }
  }

  async #contentOf(file: FileLine) {
    const content = await this.#targets.archive.open(contentName(file.key));
    if (!content)
      throw new BadArchive(
        `The file ${file.key} is missing from the archive. Copy the archive again, or export the organization again to an empty folder or prefix`,
      );
    return measured(content);
  }

  async #storeFile(file: FileLine): Promise<void> {
    const { bucket } = this.#targets;
    const { key, bytes, type } = file;
    if ((await bucket.sizeOf(key)) === bytes) return;
    const { content, result } = await this.#contentOf(file);
    await bucket.store(key, { content, bytes, type });
    try {
      refuseChanged(file, result());
    } catch (error) {
      await bucket.remove(key);
      throw error;
    }
  }

  /** Passes the rows and files of parts to `on`, and reports the progress. */
  async #readAll(
    parts: readonly Part[],
    step: ImportProgress['step'],
    on: {
      readonly rows: (rows: readonly Row[]) => Promise<void>;
      readonly file: (file: FileLine) => Promise<void>;
    },
  ): Promise<void> {
    const { archive, services, pace } = this.#targets;
    const { meter } = services.table;
    let rows = 0;
    let files = 0;
    const report = () => this.#onProgress({ step, rows, files });
    for (const part of parts) {
      if (part.kind === 'files') {
        await readFiles(archive, part, this.#given, async (lines) => {
          await mapConcurrently(lines, async (file) => {
            await on.file(file);
            files += 1;
            report();
          });
        });
        continue;
      }
      await readRows(archive, part, this.#given, async (read) => {
        const before = meter.readUnits + meter.writeUnits;
        await on.rows(read);
        rows += read.length;
        report();
        await pace.spend(meter.readUnits + meter.writeUnits - before);
      });
    }
  }

  /** Makes the organization usable, and writes an audit record. */
  async #finish(): Promise<void> {
    const { services, actor } = this.#targets;
    const { organizationId, name } = this.#organization;
    await change(services, { actor, action: 'organizations:move' }, () => ({
      result: undefined,
      writes: [
        put(organizations, { ...this.#organization, cursorSecret: newCursorSecret(services) }, ABSENT),
        put(allOrganizations, this.#organization),
        remove(checkpoints, this.#checkpoint),
      ],
      record: {
        organizationId,
        action: 'organization imported',
        subject: organizationId,
        label: name,
        detail: `an archive of ${this.#manifest.finishedAt}`,
      },
    }));
  }
}

function refuseChanged({ key, bytes, sha256 }: FileLine, found: { readonly bytes: number; readonly sha256: string }) {
  if (found.bytes !== bytes || found.sha256 !== sha256)
    throw new BadArchive(
      `The file ${key} does not match its checksum. Copy the archive again, or export the organization again to an empty folder or prefix`,
    );
}

const isSomebodyElse = (emails: readonly string[]): Refused =>
  new Refused(
    `These people have a different account here than in the archive, whose memberships, tokens and audit records name the archived account: ${emails.join(', ')}. Remove them from the organization, export it again to an empty folder or prefix, and add them here after the import`,
  );
