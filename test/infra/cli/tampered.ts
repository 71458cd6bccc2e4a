/**
 * Tampers with archives as somebody who knows their format would: the manifest has the correct checksums and counts of
 * the changed parts.
 */
import { createHash } from 'node:crypto';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { MANIFEST, Manifest, type Part, toDynamoJson } from '#infra/cli/archives/archive-format.ts';
import type { Attributes } from '#shared/engine/table/entity.ts';
import { lastingFolder } from './full-organization.ts';

export async function copied(folder: string): Promise<string> {
  const copy = await lastingFolder();
  await cp(folder, copy, { recursive: true });
  return copy;
}

const manifestOf = async (folder: string): Promise<Manifest> =>
  Manifest.parse(JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')));

export async function changeManifest(folder: string, change: (manifest: Manifest) => object): Promise<void> {
  await writeFile(join(folder, MANIFEST), JSON.stringify(change(await manifestOf(folder))));
}

export async function linesOf(folder: string, kind: string): Promise<string[]> {
  const parts = (await manifestOf(folder)).parts.filter((part) => part.kind === kind);
  const texts = await Promise.all(
    parts.map(async ({ name }) => gunzipSync(await readFile(join(folder, name))).toString('utf8')),
  );
  return texts.join('').trim().split('\n');
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/**
 * Replaces the content of the first part of a kind, and updates the entry of this part in the manifest. `more`
 * overrides properties of the entry.
 */
export async function replacePart(folder: string, kind: string, content: Buffer, more: object = {}): Promise<void> {
  const gzip = gzipSync(content);
  await changeManifest(folder, ({ parts, ...manifest }) => {
    const first = parts.find((part) => part.kind === kind);
    const lines = content.toString('utf8').trim().split('\n').length;
    const sizes = { sha256: sha256(gzip), bytes: gzip.length, lines, contentBytes: content.length, ...more };
    return { ...manifest, parts: parts.map((part) => (part === first ? { ...part, ...sizes } : part)) };
  });
  const first = (await manifestOf(folder)).parts.find((part) => part.kind === kind);
  await writeFile(join(folder, first?.name ?? ''), gzip);
}

/** Changes the first line of a kind that contains the text. Requires that the archive has only one part of the kind. */
export async function changeLine(
  folder: string,
  { kind, containing, change }: { kind: string; containing: string; change: (line: string) => string },
): Promise<void> {
  const lines = await linesOf(folder, kind);
  const place = lines.findIndex((line) => line.includes(containing));
  if (place < 0) throw new Error(`No line of ${kind} contains ${containing}`);
  const changed = lines.map((line, at) => (at === place ? change(line) : line));
  await replacePart(folder, kind, Buffer.from(`${changed.join('\n')}\n`));
}

/** Returns the content of each file by its path, with parts unpacked, and without the times at which the export ran. */
export async function contentOf(folder: string): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    const content = entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    all[path.slice(folder.length + 1)] =
      entry.name === MANIFEST
        ? content.toString('utf8').replaceAll(/"(startedAt|finishedAt)": "[^"]*"/g, '')
        : content.toString('latin1');
  }
  return all;
}

/** A row as a line of an archive. */
export const typedLine = (row: Attributes): string => JSON.stringify({ Item: toDynamoJson(row) });

/** Returns an archive that has the manifest of another one, and a single part with these lines. */
export async function archiveOf(folder: string, kind: Part['kind'], lines: readonly string[]): Promise<string> {
  const place = await lastingFolder();
  const manifest = await manifestOf(folder);
  const part = { kind, name: `${kind}-000001.ndjson.gz`, sha256: '', bytes: 0, lines: 0, contentBytes: 0 };
  await writeFile(join(place, MANIFEST), JSON.stringify({ ...manifest, parts: [{ ...part, sha256: '0'.repeat(64) }] }));
  await replacePart(place, kind, Buffer.from(`${lines.join('\n')}\n`));
  return place;
}
