/** The row kinds that `shared/model` declares. IAM policies tell them apart by partition key prefix. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROJECT } from './declarations.ts';
import { type DeclaredKind, deriveKeyPatterns, type KeyedRowKind } from './key-patterns.ts';
import { listLeadingKeys } from './leading-keys.ts';

const MODEL_FOLDER = 'shared/model';

/**
 * Throws if a kind lacks `guarded` or `removal`, or if a guarded kind shares its partition with another kind: guarded
 * rows control who may do what, and IAM policies can protect only whole partitions.
 */
export async function loadRowKinds(project: string = PROJECT): Promise<KeyedRowKind[]> {
  const files = (await readdir(join(project, MODEL_FOLDER), { recursive: true }))
    .filter((name) => name.endsWith('.ts'))
    .sort();
  const kindsOfFiles = files.map(async (name): Promise<KeyedRowKind[]> => {
    const file = `${MODEL_FOLDER}/${name}`;
    const module: object = await import(pathToFileURL(join(project, file)).href);
    const candidates = Object.values(module).filter(isCandidate);
    return [...new Set(candidates)].map((kind) => checkRowKind(file, kind));
  });
  const kinds = (await Promise.all(kindsOfFiles)).flat();
  refuseSharedPartitions(kinds);
  return kinds;
}

type RowKindCandidate = Omit<DeclaredKind, 'guarded' | 'removal'> & {
  readonly guarded?: unknown;
  readonly removal?: unknown;
};

const isCandidate = (value: unknown): value is RowKindCandidate =>
  typeof value === 'object' && value !== null && 'patterns' in value && 'type' in value;

function checkRowKind(file: string, candidate: RowKindCandidate): KeyedRowKind {
  const { type, guarded, removal, gives } = candidate;
  if (typeof guarded !== 'boolean') {
    throw new Error(
      `${file}: "${type}" must set guarded: true if its rows control who may do what, otherwise guarded: false`,
    );
  }
  if (removal !== 'apart' && (typeof removal !== 'object' || removal === null)) {
    throw new Error(
      `${file}: "${type}" must set removal to an object that says how its rows are deleted with their run, or to 'apart' if they belong to no run`,
    );
  }
  return { type, guarded, removal, patterns: deriveKeyPatterns(candidate), gives };
}

function refuseSharedPartitions(kinds: readonly KeyedRowKind[]): void {
  for (const guardedKind of kinds.filter((kind) => kind.guarded)) {
    const ownKeys = listLeadingKeys([guardedKind]);
    const other = kinds.find(
      (kind) => kind !== guardedKind && listLeadingKeys([kind]).some((key) => ownKeys.includes(key)),
    );
    if (other) {
      throw new Error(
        `"${guardedKind.type}" is guarded and shares ${ownKeys} with "${other.type}": give "${guardedKind.type}" a partition key of its own`,
      );
    }
  }
}
