/** Parses a report file, or each report of a zip archive. */

import { ApiError } from '#shared/engine/errors.ts';
import { FORMATS, type ReportFormat } from '#shared/model/runs/report-format.ts';
import { normalizeNameAndType } from '#shared/reports/attached-file.ts';
import type { ByteSource } from '#shared/reports/byte-source.ts';
import { archiveTooDeep } from '#shared/reports/errors.ts';
import { TextBudget } from '#shared/reports/kept-results.ts';
import type { AttachmentName, ParserInput } from '#shared/reports/parser-input.ts';
import { normalizeRoot } from '#shared/reports/paths.ts';
import { ReadingBudget } from '#shared/reports/reading-budget.ts';
import type { ParsedFile, ReportHints } from '#shared/reports/report.ts';
import { Archive, isZip, type Member } from './archive.ts';
import { makeArchiveResults } from './archive-results.ts';
import { FORMAT_TABLE } from './formats.ts';
import { parseStream, recognizeStream } from './parse-stream.ts';

const SIGNATURE_BYTES = 4;

/** Parses all reports of a file. Throws an `ApiError` for a file that is not a report. */
export async function parseReports(source: ByteSource, requestHints: ReportHints): Promise<ParsedFile[]> {
  const hints =
    requestHints.root === undefined ? requestHints : { ...requestHints, root: normalizeRoot(requestHints.root) };
  const budgets = { budget: new TextBudget(), reading: new ReadingBudget(hints.most) };
  const signature = await source.read(0, Math.min(SIGNATURE_BYTES, source.size));
  if (isZip(signature)) return parseArchive(source, { ...hints, ...budgets });
  return [await parseStream(source.stream(), { ...hints, ...budgets, fileAt: () => undefined })];
}

/** Whether the file name looks like that of a report. Other files of an archive may be attachments. */
const mayBeReport = (name: string): boolean =>
  ENDINGS.has(name.toLowerCase().replace(/\.gz$/, '').split('.').at(-1) ?? '');
const ENDINGS = new Set<string>(Object.values(FORMATS).flatMap(({ endings }) => endings));
/** Files with these endings are often attachments, or output of other tools, so their content decides. */
const UNSURE = /\.(?:jsonl|ndjson|txt|log|out|tap)(?:\.gz)?$/i;
const LOG = /\.(?:txt|log|out)(?:\.gz)?$/i;
const ARCHIVE = /\.zip$/i;
/** Hidden files, and the metadata files that macOS adds to archives. */
const HIDDEN = /(?:^|\/)(?:__MACOSX\/|\.[^/]*$)/;

const groupByFolder = (members: readonly Member[]) =>
  Map.groupBy(members, ({ name }) => name.slice(0, Math.max(0, name.lastIndexOf('/'))));

/** Parses the reports of an archive. `depth` is 1 for an archive inside the archive that was sent. */
async function parseArchive(source: ByteSource, hints: Omit<ParserInput, 'fileAt'>, depth = 0): Promise<ParsedFile[]> {
  const name = hints.name ?? '';
  const archive = await Archive.open(source, name);
  const left = new Set(archive.members.filter((one) => !HIDDEN.test(one.name)));
  const listMembers = (isWanted: (name: string) => boolean) => [...left].filter((member) => isWanted(member.name));
  const fileAt = (attachment: AttachmentName) => {
    const member = archive.find(attachment.path);
    if (!member) return undefined;
    left.delete(member);
    return { ...normalizeNameAndType(attachment), size: member.size, held: 0, read: () => member.open() };
  };
  const results = makeArchiveResults(hints);
  const add = async (member: Member, parse: () => Promise<ParsedFile[]>) => {
    left.delete(member);
    await results.add(member.name, parse);
  };
  for (const { folder } of FORMAT_TABLE) {
    if (!folder) continue;
    for (const [path, members] of groupByFolder(listMembers(folder.isPart))) {
      if (!members.some((member) => folder.isReport(member.name))) continue;
      for (const member of members) left.delete(member);
      await results.add(path, async () => [await folder.parse(members, { ...hints, fileAt, name: path || name })]);
    }
  }
  const formats = new Map<Member, ReportFormat | undefined>();
  for (const member of listMembers((one) => UNSURE.test(one)))
    formats.set(
      member,
      await recognizeStream(member.open(), { ...hints, fileAt, name: member.name }).catch((error: unknown) => {
        // A damaged log is most likely an attachment, which is left out with a warning.
        if (error instanceof ApiError && LOG.test(member.name)) return undefined;
        throw error;
      }),
    );
  const blobs = [...left].filter((member) => formats.get(member) === 'playwright-blob');
  const isReport = (member: Member): boolean =>
    formats.has(member) ? formats.get(member) !== undefined : mayBeReport(member.name);
  // An archive with a blob report contains no other reports, but attachments may be named like reports.
  for (const member of blobs.length > 0 ? blobs : [...left].filter(isReport)) {
    // The file inside a blob report is always called `report.jsonl`, so messages use the name of its archive.
    const displayName = blobs.length === 1 && name !== '' ? name : member.name;
    await add(member, async () => [await parseStream(member.open(), { ...hints, fileAt, name: displayName })]);
  }
  // In an archive with a blob report, nested archives are attachments.
  for (const member of blobs.length > 0 ? [] : listMembers((member) => ARCHIVE.test(member)))
    await add(member, async () => {
      if (depth > 0) throw archiveTooDeep(member.name);
      return parseArchive(await member.source(), { ...hints, name: member.name }, depth + 1);
    });
  return results.files([...left]);
}
