/** Every operation that changes something is audited, or the README of `shared/organizations` says why it is not. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { type DeclaredFunctions, loadFunctions } from '#infra/build/declarations.ts';
import { COMMANDS } from '#infra/cli/commands.ts';
import { ACTIONS, type ActionRule, type AuditName } from '#shared/access/actions.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import type { AuditEntry, ChangePlan } from '#shared/organizations/change.ts';
import type { Access } from '#shared/platform/access.ts';

interface Verb {
  readonly name: string;
  /**
   * Whether the function of the operation may write audit records. Undefined for commands, which declare no access, and
   * for routes, because a function declares the access of all its routes together.
   */
  readonly mayRecord?: boolean;
}

const mayRecord = ({ writes = [], alsoWrites = [] }: Access): boolean =>
  [...writes, ...alsoWrites].some((kind) => kind === auditRecords);
const writesRows = ({ table }: Access): boolean => table === 'readWrite' || table === 'readUpdate';

/**
 * Returns everything that can change data: endpoints and pages that write, and all forms, jobs, commands and routes
 * other than GET.
 */
function verbsOf({ endpoints, pageFunctions, routeFunctions, ...jobs }: DeclaredFunctions): Verb[] {
  const pages = pageFunctions.flatMap((one) => one.pages.map(({ declaration }) => declaration));
  const operations = [
    ...endpoints.flatMap(({ declaration }) => (writesRows(declaration.access) ? declaration : [])),
    ...pages.filter(({ kind, access }) => kind === 'form' || writesRows(access)),
  ];
  const inBackground = [...jobs.consumers, ...jobs.schedules, ...jobs.streams].map(({ declaration }) => declaration);
  const routes = routeFunctions.flatMap(({ declaration }) =>
    declaration.routes.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
  );
  return [
    ...operations.map(({ operationId, access }) => ({ name: operationId, mayRecord: mayRecord(access) })),
    ...inBackground.map(({ name, access }) => ({ name, mayRecord: mayRecord(access) })),
    ...routes.map((name) => ({ name })),
    ...COMMANDS.map(({ name }) => ({ name })),
  ];
}

const README = readFileSync(`${import.meta.dirname}/../../shared/organizations/README.md`, 'utf8');
const TABLE = README.split('| Record | Verbs | Name and details |')[1] ?? '';
/** The rows of the table in the README: an audit record, and the operations that leave it. */
const ROWS = TABLE.split('\n')
  .filter((line) => /^\| \w/.test(line))
  .map((line) => {
    const [, record = '', verbs = ''] = line.split('|').map((cell) => cell.trim());
    return { record, verbs: [...verbs.matchAll(/`([^`]+)`/g)].map(([, verb = '']) => verb) };
  });
const isRecord = ({ record }: (typeof ROWS)[number]): boolean => !record.startsWith('no record: ');
const audited = new Set(ROWS.filter(isRecord).flatMap(({ verbs }) => verbs));
const notAudited = ROWS.filter((row) => !isRecord(row)).flatMap(({ verbs }) => verbs);

describe('The table of audited verbs', () => {
  let verbs: readonly Verb[];
  beforeAll(async () => {
    verbs = verbsOf(await loadFunctions());
  });

  test('The table in the README lists every operation that can change something, and nothing else, and says whether the operation is audited', () => {
    expect([...audited, ...notAudited].sort()).toEqual(verbs.map(({ name }) => name).sort());
  });

  test('The functions that may write audit records are exactly those of the operations that the table in the README lists as audited', () => {
    const declared = verbs.filter((verb) => verb.mayRecord !== undefined);
    const recorded = declared.filter((verb) => verb.mayRecord).map(({ name }) => name);
    expect(recorded.sort()).toEqual(declared.flatMap(({ name }) => (audited.has(name) ? name : [])).sort());
    expect(recorded.length).toBeGreaterThan(40);
  });

  test('The table in the README names exactly the audit records that actions can leave', () => {
    const known = Object.values<ActionRule>(ACTIONS).flatMap(({ audit = [] }) => audit);
    const documented = ROWS.filter(isRecord).flatMap(({ record }) => record.split(', '));
    expect(documented.sort()).toEqual([...new Set(known)].sort());
  });

  test('A change compiles with an audit record that its action lists, and with no other', () => {
    type Plan = ChangePlan<undefined, AuditEntry<AuditName<'runs:write'>>>;
    interface Change<Name extends string> {
      readonly result: undefined;
      readonly writes: [];
      readonly record: AuditEntry<Name>;
    }
    expectTypeOf<Change<'run reset'>>().toExtend<Plan>();
    expectTypeOf<Change<'project changed'>>().not.toExtend<Plan>();
  });
});
