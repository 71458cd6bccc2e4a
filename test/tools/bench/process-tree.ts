/** CPU time and memory of a process and of the processes that it started, read from /proc. */
import { readdirSync, readFileSync } from 'node:fs';

export interface TreeUsage {
  /** Seconds in user and system mode, including those of child processes that have ended. */
  readonly cpu: number;
  /** Resident memory in MB by process id. */
  readonly memory: ReadonlyMap<number, number>;
}

/** Clock ticks a second and bytes a page. Linux reports them so to programs on all common processors. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** The fields of `/proc/<pid>/stat` after the name of the program, which may itself contain spaces. See proc(5). */
const FIELDS = { parent: 1, cpu: [11, 12, 13, 14], residentPages: 21 } as const;

function readFields(pid: number): number[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  } catch {
    // The process has ended since it was listed.
    return undefined;
  }
}

export function readTree(root: number): TreeUsage {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const fieldsByPid = new Map(
    pids.flatMap((pid) => {
      const fields = readFields(pid);
      return fields ? [[pid, fields] as const] : [];
    }),
  );
  const isInTree = (pid: number): boolean => {
    if (pid === root) return true;
    const parent = fieldsByPid.get(pid)?.[FIELDS.parent];
    return parent !== undefined && parent > 0 && isInTree(parent);
  };
  const members = [...fieldsByPid].filter(([pid]) => isInTree(pid));
  const ticks = members.flatMap(([, fields]) => FIELDS.cpu.map((at) => fields[at] ?? 0));
  return {
    cpu: ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND,
    memory: new Map(
      members.map(([pid, fields]) => [pid, ((fields[FIELDS.residentPages] ?? 0) * PAGE_BYTES) / 2 ** 20]),
    ),
  };
}
