/** The row kinds that `shared/model` declares. IAM policies tell them apart by partition key prefix. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RowKind } from '#shared/engine/table/entity.ts';
import { PROJECT } from './declarations.ts';
import { leadingKeys } from './leading-keys.ts';

const RESOURCES = 'shared/model';

/**
 * All row kinds, sorted by file name. Throws if a kind lacks `guarded` or `removal`, or if a guarded kind shares its
 * partition with another kind. Guarded rows control who may do what, and IAM policies can protect only whole
 * partitions.
 */
export async function loadRowKinds(project: string = PROJECT): Promise<RowKind[]> {
  const files = (await readdir(join(project, RESOURCES), { recursive: true }))
    .filter((name) => name.endsWith('.ts'))
    .sort();
  const modules = files.map(async (name): Promise<RowKind[]> => {
    const file = `${RESOURCES}/${name}`;
    const module: object = await import(pathToFileURL(join(project, file)).href);
    const declared = Object.values(module).filter(isDeclared);
    return [...new Set(declared)].map((kind) => rowKindOf(file, kind));
  });
  const kinds = (await Promise.all(modules)).flat();
  refuseSharedPartitions(kinds);
  return kinds;
}

type Declared = Omit<RowKind, 'guarded' | 'removal'> & { readonly guarded?: unknown; readonly removal?: unknown };

const isDeclared = (value: unknown): value is Declared =>
  typeof value === 'object' && value !== null && 'patterns' in value && 'type' in value;

function rowKindOf(file: string, { type, guarded, removal, patterns, gives }: Declared): RowKind {
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
  return { type, guarded, removal, patterns, gives };
}

function refuseSharedPartitions(kinds: readonly RowKind[]): void {
  for (const guarded of kinds.filter((kind) => kind.guarded)) {
    const own = leadingKeys([guarded]);
    const other = kinds.find((kind) => kind !== guarded && leadingKeys([kind]).some((key) => own.includes(key)));
    if (other) {
      throw new Error(
        `"${guarded.type}" is guarded and shares ${own} with "${other.type}": give "${guarded.type}" a partition key of its own`,
      );
    }
  }
}
