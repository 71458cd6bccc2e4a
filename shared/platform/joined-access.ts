/**
 * Computes the IAM permissions of a function that runs several operations: the union of the permissions of all
 * operations. Throws for operations that read the credentials of notifications, because no such function needs them.
 */
import type { RowKind } from '#shared/engine/table/entity.ts';
import type { Access } from './declaration.ts';

export function joinAccess(all: readonly Access[]): Access {
  const levels = ['readWrite', 'readUpdate', 'read'] as const;
  const writing = all.filter(({ table }) => table === 'readWrite');
  const writtenKinds: readonly RowKind[] = [
    ...new Set(all.flatMap(({ writes = [], alsoWrites = [] }) => [...writes, ...alsoWrites])),
  ];
  if (all.some(({ secrets }) => secrets === 'read'))
    throw new Error('A function of several operations cannot read the credentials of notifications');
  const isLimited = writing.every(({ writes }) => writes !== undefined);
  const reads = all.map((one) => one.reads ?? (one.table === 'none' ? [] : undefined));
  return {
    table: levels.find((level) => all.some(({ table }) => table === level)) ?? 'none',
    ...(reads.every((kinds) => kinds !== undefined) ? { reads: [...new Set(reads.flat())] } : {}),
    ...(isLimited ? { writes: writtenKinds } : { alsoWrites: writtenKinds }),
    artifacts: joinArtifacts(all),
    ...(all.some(({ secrets }) => secrets === 'write') ? { secrets: 'write' } : {}),
    ...joinTrackers(all),
    ...joinProviders(all),
    ...(all.some(({ signInSecrets }) => signInSecrets) ? { signInSecrets: 'read' } : {}),
  };
}

/** The function that signs people in reads the client secrets, and the one that changes the settings writes them. */
function joinProviders(all: readonly Access[]): Pick<Access, 'providers'> {
  const [level, ...others] = new Set(all.flatMap(({ providers }) => providers ?? []));
  if (others.length > 0)
    throw new Error("A function cannot both read and write the client secrets of companies' providers");
  return level === undefined ? {} : { providers: level };
}

function joinTrackers(all: readonly Access[]): Pick<Access, 'trackers'> {
  const levels = all.flatMap(({ trackers }) => trackers ?? []);
  if (levels.length === 0) return {};
  const [first = 'read'] = levels;
  return { trackers: levels.every((one) => one === first) ? first : 'readWrite' };
}

function joinArtifacts(all: readonly Access[]): Access['artifacts'] {
  const levels = [...new Set(all.map(({ artifacts }) => artifacts))].filter((one) => one !== 'none');
  const [first = 'none', ...others] = levels;
  if (others.length === 0) return first;
  if (levels.every((one) => one === 'read' || one === 'delete')) return 'readDelete';
  throw new Error(`No level of artifact access covers ${levels.join(' and ')}. Add one to Access['artifacts']`);
}
