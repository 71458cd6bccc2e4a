/**
 * The properties of a test execution that are known before it ends. The test record has them from the first message on,
 * and each history row repeats them.
 */
import type { Attributes } from '#shared/engine/table/entity.ts';
import { stored } from '#shared/engine/table/stored.ts';

export interface Execution {
  readonly projectId: string;
  readonly groupId: string;
  readonly spec: string;
  readonly machineId: string;
  readonly testId: string;
  readonly title: readonly string[];
  /** The merged tags of the run and the group. In a history row, the tags of the test are merged in, too. */
  readonly tags: readonly string[];
  readonly environment: string | null;
  readonly framework: string;
  readonly branch: string | null;
  readonly sha: string | null;
  readonly authorName: string | null;
  readonly authorEmail: string | null;
  /** The subject line of the commit message. The run stores the whole message. */
  readonly message: string | null;
}

// Attribute names have one letter, because they occur in millions of rows.
const names = {
  projectId: 'p',
  groupId: 'g',
  spec: 's',
  machineId: 'm',
  testId: 'd',
  title: 't',
  tags: 'k',
  environment: 'e',
  framework: 'f',
  branch: 'b',
  sha: 'h',
  authorName: 'n',
  authorEmail: 'l',
  message: 'c',
} as const satisfies Record<keyof Execution, string>;

type Short = { readonly [Name in keyof Execution as (typeof names)[Name]]?: Execution[Name] };

/** Converts an execution to a row with short attribute names. Leaves out nulls and empty lists. */
export function storeExecution(execution: Execution): Attributes {
  const values = new Map<string, unknown>(Object.entries(execution));
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, short]) => {
      const value = values.get(name);
      return value === null || (Array.isArray(value) && value.length === 0) ? [] : [[short, value]];
    }),
  );
}

export function loadExecution(row: Attributes): Execution {
  const short = stored<Short>(row);
  return {
    projectId: short.p ?? '',
    groupId: short.g ?? '',
    spec: short.s ?? '',
    machineId: short.m ?? '',
    testId: short.d ?? '',
    title: short.t ?? [],
    tags: short.k ?? [],
    environment: short.e ?? null,
    framework: short.f ?? '',
    branch: short.b ?? null,
    sha: short.h ?? null,
    authorName: short.n ?? null,
    authorEmail: short.l ?? null,
    message: short.c ?? null,
  };
}
