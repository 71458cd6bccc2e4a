/** The least privilege of a function that runs several operations: the union of what they need. */
import type { RowKind } from '#shared/engine/table/entity.ts';
import type { Access } from './declaration.ts';

export function joinedAccess(all: readonly Access[]): Access {
  const writing = all.filter(({ table }) => table === 'readWrite');
  const named: readonly RowKind[] = [
    ...new Set(all.flatMap(({ writes = [], alsoWrites = [] }) => [...writes, ...alsoWrites])),
  ];
  const isLimited = writing.every(({ writes }) => writes !== undefined);
  return {
    table: writing.length > 0 ? 'readWrite' : all.some(({ table }) => table === 'readUpdate') ? 'readUpdate' : 'read',
    ...(isLimited ? { writes: named } : { alsoWrites: named }),
    artifacts: artifactsOf(all),
    ...(all.some(({ secrets }) => secrets === 'write') ? { secrets: 'write' } : {}),
  };
}

function artifactsOf(all: readonly Access[]): Access['artifacts'] {
  const used = [...new Set(all.map(({ artifacts }) => artifacts))].filter((one) => one !== 'none');
  const [first = 'none', ...others] = used;
  if (others.length === 0) return first;
  if (used.every((one) => one === 'read' || one === 'delete')) return 'readDelete';
  throw new Error(`No level of artifact access covers ${used.join(' and ')}. Add one to Access['artifacts']`);
}
