/** What is known before a test execution ends, from the first message on. Each history row repeats it. */
import type { Attributes } from '#shared/engine/table/entity.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';

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
export const EXECUTION_ATTRIBUTES = {
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

type StoredExecution = { readonly [Name in keyof Execution as (typeof EXECUTION_ATTRIBUTES)[Name]]?: Execution[Name] };

/** Leaves out nulls and empty lists. */
export function storeExecution(execution: Execution): Attributes {
  const values = new Map<string, unknown>(Object.entries(execution));
  return Object.fromEntries(
    Object.entries(EXECUTION_ATTRIBUTES).flatMap(([name, letter]) => {
      const value = values.get(name);
      return value === null || (Array.isArray(value) && value.length === 0) ? [] : [[letter, value]];
    }),
  );
}

export function loadExecution(row: Attributes): Execution {
  const attributes = loadAttributes<StoredExecution>(row);
  return {
    projectId: attributes.p ?? '',
    groupId: attributes.g ?? '',
    spec: attributes.s ?? '',
    machineId: attributes.m ?? '',
    testId: attributes.d ?? '',
    title: attributes.t ?? [],
    tags: attributes.k ?? [],
    environment: attributes.e ?? null,
    framework: attributes.f ?? '',
    branch: attributes.b ?? null,
    sha: attributes.h ?? null,
    authorName: attributes.n ?? null,
    authorEmail: attributes.l ?? null,
    message: attributes.c ?? null,
  };
}
