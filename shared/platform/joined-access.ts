/**
 * Computes the IAM permissions of a function that runs several operations: the union of the permissions of all
 * operations. Throws for operations that read the credentials of notifications, because no such function needs them.
 */
import type { RowKind } from '#shared/engine/table/entity.ts';
import type { Access } from './access.ts';

export function joinAccess(all: readonly Access[]): Access {
  const levels = ['readWrite', 'readUpdate', 'read'] as const;
  const writing = all.filter(({ table }) => table === 'readWrite');
  const writtenKinds: readonly RowKind[] = [
    ...new Set(all.flatMap(({ writes = [], alsoWrites = [] }) => [...writes, ...alsoWrites])),
  ];
  if (all.some(({ secrets }) => secrets === 'read'))
    throw new Error('A function of several operations cannot read the credentials of notifications');
  const isLimited = writing.every(({ writes }) => writes !== undefined);
  return {
    table: levels.find((level) => all.some(({ table }) => table === level)) ?? 'none',
    reads: joinReads(all),
    ...(isLimited ? { writes: writtenKinds } : { alsoWrites: writtenKinds }),
    artifacts: joinArtifacts(all),
    secrets: all.some(({ secrets }) => secrets === 'write') ? 'write' : undefined,
    trackers: joinTrackers(all),
    providers: joinProviders(all),
    signInSecrets: all.some(({ signInSecrets }) => signInSecrets) ? 'read' : undefined,
  };
}

/** `undefined`, which stands for all kinds, if one operation may read all. */
function joinReads(all: readonly Access[]): readonly RowKind[] | undefined {
  const reads = all.map((one) => one.reads ?? (one.table === 'none' ? [] : undefined));
  return reads.every((kinds) => kinds !== undefined) ? [...new Set(reads.flat())] : undefined;
}

/** The function that signs people in reads the client secrets, and the one that changes the settings writes them. */
function joinProviders(all: readonly Access[]): Access['providers'] {
  const [level, ...others] = new Set(all.flatMap(({ providers }) => providers ?? []));
  if (others.length > 0)
    throw new Error("A function cannot both read and write the client secrets of companies' providers");
  return level;
}

function joinTrackers(all: readonly Access[]): Access['trackers'] {
  const [level, ...others] = new Set(all.flatMap(({ trackers }) => trackers ?? []));
  return others.length > 0 ? 'readWrite' : level;
}

function joinArtifacts(all: readonly Access[]): Access['artifacts'] {
  const levels = [...new Set(all.map(({ artifacts }) => artifacts))].filter((one) => one !== 'none');
  const [first = 'none', ...others] = levels;
  if (others.length === 0) return first;
  if (levels.every((one) => one === 'read' || one === 'delete')) return 'readDelete';
  throw new Error(`No level of artifact access covers ${levels.join(' and ')}. Add one to Access['artifacts']`);
}
