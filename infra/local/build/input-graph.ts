/** The input files of bundles. A bundle is rebuilt if one of its input files changed. */
import { createHash } from 'node:crypto';
import type { Metafile } from 'esbuild';
import * as z from 'zod';

/** By file: the digest of its content, and the files that it imports. */
export const InputGraph = z.record(z.string(), z.object({ digest: z.string(), imports: z.array(z.string()) }));
export type InputGraph = z.infer<typeof InputGraph>;

type DigestOfFile = (file: string) => string;

/** Functions and schemas in the value do not change the digest. */
export const digestOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value, (_, part) => (typeof part === 'object' && part && '_zod' in part ? undefined : part)))
    .digest('hex');

/** All files that a build read for an entry: the entry itself, and its direct and transitive imports. */
export const inputsOf = (entry: string, read: Metafile['inputs']): string[] => [
  ...reachedFrom(entry, (file) => importsIn(read, file) ?? []),
];

const importsIn = (read: Metafile['inputs'], file: string): string[] | undefined =>
  read[file]?.imports.flatMap(({ path, external }) => (external ? [] : [path]));

function reachedFrom(file: string, importsOf: (file: string) => readonly string[]): Set<string> {
  const reached = new Set([file]);
  // A loop over a set also visits the elements that are added during the loop.
  for (const one of reached) for (const imported of importsOf(one)) reached.add(imported);
  return reached;
}

/** Entries that are new or changed, or that import a changed file directly or transitively. */
export function changedEntries(entries: readonly string[], known: InputGraph, digest: DigestOfFile): Set<string> {
  const isChanged = (file: string) => known[file]?.digest !== digest(file);
  const importsOf = (file: string) => known[file]?.imports ?? [];
  return new Set(entries.filter((entry) => [...reachedFrom(entry, importsOf)].some(isChanged)));
}

/** The graph of the entries after a build that read some of their files again. Other files keep their known imports. */
export function graphOf(
  entries: readonly string[],
  known: InputGraph,
  read: Metafile['inputs'],
  digest: DigestOfFile,
): InputGraph {
  const importsOf = (file: string) => importsIn(read, file) ?? known[file]?.imports ?? [];
  const files = new Set(entries.flatMap((entry) => [...reachedFrom(entry, importsOf)]));
  return Object.fromEntries([...files].map((file) => [file, { digest: digest(file), imports: importsOf(file) }]));
}
