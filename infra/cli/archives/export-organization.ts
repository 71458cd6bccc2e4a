/**
 * Exports an organization: its rows except those of the kinds that no archive contains, the files of its runs, and the accounts of
 * its members. Continues an interrupted export after the last complete part. Holds a page of the table and the
 * compressed content of the current parts in memory.
 */

import { Refused } from '#infra/cli/terminal/usage-error.ts';
import { parseData } from '#infra/local/host/json-files.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { buildItem, getRowKey } from '#shared/engine/table/writes.ts';
import {
  accounts,
  accountsByEmail,
  companyAccounts,
  getCompanyAccountsSpan,
} from '#shared/model/organizations/account.ts';
import { getMembersSpan, memberships } from '#shared/model/organizations/membership.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import { parseObjectKey } from '#shared/model/results/artifact.ts';
import type { CoreServices } from '#shared/services.ts';
import { readDocument, writeDocument } from './archive-documents.ts';
import {
  countPartLines,
  type FileLine,
  FORMAT,
  FORMAT_VERSION,
  formatRowLine,
  MANIFEST,
  Manifest,
  type Part,
  type PartKind,
  PROGRESS,
  Progress,
  RELEASE,
  type TransferResult,
  toDynamoJson,
} from './archive-format.ts';
import type { ArchiveStore } from './archive-store.ts';
import { toArchivedOrganization } from './archived-organization.ts';
import { isOfWork, toArchivedRow } from './archived-rows.ts';
import type { Bucket } from './bucket.ts';
import { measureStream, toContentName } from './file-contents.ts';
import { IMPORTABLE } from './importable-rows.ts';
import { makePartWriter, type PartWriter } from './part-writer.ts';
import type { Recognize } from './row-owner.ts';
import type { Row, TableScan } from './table-scan.ts';

export interface ExportSources {
  readonly services: CoreServices;
  readonly scan: TableScan;
  readonly bucket: Bucket;
  readonly recognize: Recognize;
  readonly archive: ArchiveStore;
}

export interface ExportSizes {
  /** Parts end at `partBytes` of uncompressed content, or after `partPages` pages of the table. */
  readonly partBytes: number;
  readonly partPages: number;
}

export interface ExportProgress {
  readonly rows: number;
  readonly files: number;
  /** The number of rows of the table that were read, of all organizations. */
  readonly scanned: number;
}

export async function exportOrganization(
  sources: ExportSources,
  organization: Organization,
  onProgress: (soFar: ExportProgress) => void,
  sizes: ExportSizes = { partBytes: 64 * 1024 * 1024, partPages: 500 },
): Promise<TransferResult> {
  const { archive, services } = sources;
  const { organizationId } = organization;
  const before = await readDocument(archive, MANIFEST);
  if (before) {
    const manifest = parseData(Manifest, before.toString('utf8'));
    if (manifest?.organizationId !== organizationId)
      throw new Refused(
        `${archive.place} contains a manifest.json that does not belong to this export. Choose an empty folder or prefix`,
      );
    return { manifest, wasComplete: true };
  }
  const savedProgress = await readDocument(archive, PROGRESS);
  const state: Progress = savedProgress
    ? parseProgress(savedProgress, archive, organizationId)
    : {
        format: FORMAT,
        formatVersion: FORMAT_VERSION,
        organizationId,
        startedAt: new Date(services.now()).toISOString(),
        step: 'rows',
        parts: [],
        setAgain: [],
        leftOut: {},
      };
  const run = new Export({ ...sources, organization, onProgress, sizes }, state);
  return { manifest: await run.finish(), wasComplete: false };
}

function parseProgress(document: Buffer, { place }: ArchiveStore, organizationId: string): Progress {
  const data = parseData(Progress, document.toString('utf8'));
  if (!data)
    throw new Refused(
      `${place} contains an unfinished export that this version cannot continue. Choose an empty folder or prefix`,
    );
  if (data.organizationId === organizationId) return data;
  throw new Refused(`${place} contains an unfinished export of another organization. Choose an empty folder or prefix`);
}

interface ExportContext extends ExportSources {
  readonly organization: Organization;
  readonly onProgress: (soFar: ExportProgress) => void;
  readonly sizes: ExportSizes;
}

class Export {
  readonly #context: ExportContext;
  #state: Progress;
  #scanned = 0;

  constructor(context: ExportContext, state: Progress) {
    this.#context = context;
    this.#state = state;
  }

  /** Makes the steps that an interrupted export has not made. */
  async finish(): Promise<Manifest> {
    const { archive, services, organization } = this.#context;
    if (this.#state.step === 'rows') await this.#exportRows();
    if (this.#state.step === 'files') await this.#exportFiles();
    if (this.#state.step === 'people') await this.#exportPeople();
    const { step, after, ...contents } = this.#state;
    const manifest: Manifest = {
      ...contents,
      release: RELEASE,
      organization: toDynamoJson(toArchivedOrganization(buildItem(organizations, organization))),
      finishedAt: new Date(services.now()).toISOString(),
      wasInUse: organization.deactivatedAt === undefined,
    };
    await writeDocument(archive, MANIFEST, manifest);
    await archive.remove(PROGRESS);
    return manifest;
  }

  async #save(changes: Partial<Progress>): Promise<void> {
    this.#state = { ...this.#state, ...changes };
    await writeDocument(this.#context.archive, PROGRESS, this.#state);
    this.#report();
  }

  #report({ rows = 0, files = 0 } = {}): void {
    const count = (...kinds: readonly PartKind[]) => countPartLines(this.#state, ...kinds);
    this.#context.onProgress({
      rows: count('rows', 'work', 'people') + rows,
      files: count('files') + files,
      scanned: this.#scanned,
    });
  }

  /** Returns all parts of the archive so far. */
  async #flush(writers: readonly PartWriter[]): Promise<Part[]> {
    const parts = [...this.#state.parts];
    for (const writer of writers) {
      const number = 1 + parts.filter(({ kind }) => kind === writer.kind).length;
      const part = await writer.flush(this.#context.archive, number);
      if (part) parts.push(part);
    }
    return parts;
  }

  async #exportRows(): Promise<void> {
    const { scan, sizes } = this.#context;
    const rows = makePartWriter('rows');
    const work = makePartWriter('work');
    const lastRead = typeof this.#state.after === 'object' ? this.#state.after : undefined;
    let pages = 0;
    let rowCount = 0;
    const setAgain = [...this.#state.setAgain];
    const leftOut = { ...this.#state.leftOut };
    const addRow = async (row: Row): Promise<void> => {
      const recognizedRow = this.#recognizeOwn(row);
      if (!recognizedRow) return;
      const { type } = recognizedRow;
      const kind = IMPORTABLE.get(type)?.kind;
      // The rows of people are exported with the accounts that they lead to.
      if (kind === 'people') return;
      rowCount += 1;
      if (kind === 'leftOut') {
        // The manifest has the organization itself, so its rows are not missing in the archive.
        if (!type.startsWith('organization')) leftOut[type] = (leftOut[type] ?? 0) + 1;
        return;
      }
      const writer = isOfWork(recognizedRow) ? work : rows;
      await writer.add(formatRowLine(toArchivedRow(type, row, (secret) => setAgain.push(secret))));
    };
    for await (const page of scan.pages(lastRead)) {
      for (const row of page.rows) await addRow(row);
      this.#scanned += page.rows.length;
      pages += 1;
      this.#report({ rows: rowCount });
      const isFull = rows.contentBytes() + work.contentBytes() >= sizes.partBytes || pages >= sizes.partPages;
      if (!isFull || !page.lastRead) continue;
      const parts = await this.#flush([rows, work]);
      await this.#save({ parts, after: page.lastRead, setAgain, leftOut });
      pages = 0;
      rowCount = 0;
    }
    const parts = await this.#flush([rows, work]);
    await this.#save({ parts, step: 'files', after: undefined, setAgain, leftOut });
  }

  /** Returns `undefined` if the row does not belong to the organization. */
  #recognizeOwn(row: Row) {
    const recognizedRow = this.#context.recognize(row);
    const { organizationId } = this.#context.organization;
    if (recognizedRow) return recognizedRow.belongsTo(organizationId) ? recognizedRow : undefined;
    if (!JSON.stringify([row.pk, row.sk]).includes(organizationId)) return undefined;
    throw new Refused(
      `This version of Rundown does not know the kind of the row ${row.pk} ${row.sk}. Export the organization with the version that wrote this row`,
    );
  }

  async #exportFiles(): Promise<void> {
    const { bucket, archive, organization } = this.#context;
    const { after } = this.#state;
    const lastKey = typeof after === 'string' ? after : undefined;
    let files = 0;
    for await (const page of bucket.pages(`${organization.organizationId}/`, lastKey)) {
      const lines = await mapConcurrently(page, async ({ key, bytes }): Promise<FileLine | undefined> => {
        if (!parseObjectKey(key)) return undefined;
        const object = await bucket.open(key);
        // The file may have been deleted after the bucket was listed.
        if (!object) return undefined;
        const { content, result } = measureStream(object.content);
        await archive.write(toContentName(key), content, bytes);
        files += 1;
        this.#report({ files });
        return { key, type: object.type, ...result() };
      });
      const writer = makePartWriter('files');
      for (const line of lines) if (line) await writer.add(`${JSON.stringify(line)}\n`);
      await this.#save({ parts: await this.#flush([writer]), after: page.at(-1)?.key });
      files = 0;
    }
    await this.#save({ step: 'people', after: undefined });
  }

  async #exportPeople(): Promise<void> {
    const { services, organization } = this.#context;
    const { table } = services;
    const writer = makePartWriter('people');
    const members = await table.queryAll(memberships, getMembersSpan(organization));
    // Including those of former members, whom the directory of the organization may activate again.
    const managedAccounts = await table.queryAll(companyAccounts, getCompanyAccountsSpan(organization));
    for (const accountId of new Set([...members, ...managedAccounts].map((row) => row.accountId))) {
      const storedAccount = await table.get(accounts, { accountId });
      if (!storedAccount) continue;
      const { email, name, createdAt, managedBy } = storedAccount;
      if (managedBy !== undefined && managedBy !== organization.organizationId) continue;
      const account = { accountId, email, name, createdAt, passkeys: 0, ...(managedBy ? { managedBy } : {}) };
      const pointer = managedBy
        ? buildItem(companyAccounts, { organizationId: managedBy, email, accountId })
        : buildItem(accountsByEmail, account);
      for (const row of [buildItem(accounts, account), pointer])
        await writer.add(formatRowLine({ ...row, ...getRowKey(row) }));
    }
    await this.#save({ parts: await this.#flush([writer]), step: 'manifest' });
  }
}
