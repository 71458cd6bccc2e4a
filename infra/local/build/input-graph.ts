/** The input files of bundles. A bundle is rebuilt if one of its input files changed. */
import { createHash } from 'node:crypto';
import type { Metafile } from 'esbuild';

/** The files that each file imports. */
export type InputGraph = ReadonlyMap<string, readonly string[]>;

/** Functions and schemas in the value do not change the digest. */
export const computeValueDigest = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value, (_, part) => (typeof part === 'object' && part && '_zod' in part ? undefined : part)))
    .digest('hex');

export const readGraph = (inputs: Metafile['inputs']): InputGraph =>
  new Map(
    Object.entries(inputs).map(([file, { imports }]) => [
      file,
      imports.flatMap(({ path, external }) => (external ? [] : [path])),
    ]),
  );

/** All files that a build reads for an entry, sorted: the entry itself, and its direct and transitive imports. */
export function listInputs(entry: string, graph: InputGraph): string[] {
  const reachedFiles = new Set([entry]);
  // A loop over a set also visits the elements that are added during the loop.
  for (const file of reachedFiles) for (const importedFile of graph.get(file) ?? []) reachedFiles.add(importedFile);
  return [...reachedFiles].sort();
}

export const computeInputsDigest = (entry: string, graph: InputGraph, digestFile: (file: string) => string): string =>
  computeValueDigest(listInputs(entry, graph).map((file) => [file, digestFile(file)]));
