/** Reads a run, its groups and its instances with one query of the run's partition. */
import type { Attributes, Span } from '#shared/engine/table/entity.ts';
import { type Instance, instances } from '#shared/model/results/instance.ts';
import { type Group, groups } from './group.ts';
import { getRunPartition, type Run, runs } from './run.ts';

type RunRow =
  | { readonly kind: 'run'; readonly run: Run }
  | { readonly kind: 'group'; readonly group: Group }
  | { readonly kind: 'instance'; readonly instance: Instance };

export const runRows = {
  load: (row: Attributes): RunRow => {
    const [kind] = String(row['sk']).split('#');
    if (kind === 'RUN') return { kind: 'run', run: runs.load(row) };
    return kind === 'GROUP'
      ? { kind: 'group', group: groups.load(row) }
      : { kind: 'instance', instance: instances.load(row) };
  },
};

/** The run is `undefined` if its row does not exist. */
export const splitRunRows = (rows: readonly RunRow[]) => ({
  run: rows.find((row) => row.kind === 'run')?.run,
  groups: rows.flatMap((row) => (row.kind === 'group' ? row.group : [])),
  instances: rows.flatMap((row) => (row.kind === 'instance' ? row.instance : [])),
});

/** The rows of a run that one query reads. They are neighbors in sort-key order: `GROUP#`, `INSTANCE#` and `RUN`. */
export const getRunRowsSpan = (key: Pick<Run, 'organizationId' | 'runId'>): Span => ({
  pk: getRunPartition(key),
  from: 'GROUP#',
  to: 'RUN',
});
