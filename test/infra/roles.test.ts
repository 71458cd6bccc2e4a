/** Which rows of the table each role may write and read, in the template and in the declarations that it follows from. */
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { statementsOf } from './policies.ts';
import { type Named, type Synthesized, synthesized } from './synthesized.ts';

/** Partition keys of the rows that decide who may do what, by hand: a change of this list is a change of who may do what. */
const GUARDED = [
  'ACCOUNT#*',
  'AUDIT#*',
  'EMAIL#*',
  'INVITATION#*',
  'INVITATIONS#*',
  'KEY#*',
  'KEYS#*',
  'MEMBERS#*',
  'ORG#*',
  'ORGS',
  'TOKEN#*',
  'TOKENS#*',
];

/** The only functions that may write such rows, by hand, and which. */
const MAY_WRITE: Readonly<Record<string, readonly string[]>> = {
  authorizer: ['TOKEN#*'],
  cleanUpTokens: ['AUDIT#*', 'TOKEN#*'],
  createWebhook: ['AUDIT#*'],
  deleteWebhook: ['AUDIT#*'],
  deleteWebhookSecret: ['AUDIT#*'],
  rotateWebhookSecret: ['AUDIT#*'],
  updateWebhook: ['AUDIT#*'],
};

/** The only rows that these functions may write at all, by hand. */
const WRITES_ONLY: Readonly<Record<string, readonly string[]>> = {
  authorizer: ['TOKEN#*'],
  cleanUpTokens: ['AUDIT#*', 'CHECKPOINT#*', 'TOKEN#*'],
  confirmArtifact: ['FILES#*', 'INSTANCE#*'],
  createWebhook: ['AUDIT#*', 'PROJECT#*', 'WEBHOOK#*', 'WEBHOOKS#*'],
  deleteWebhook: ['AUDIT#*', 'PROJECT#*', 'WEBHOOK#*', 'WEBHOOKS#*'],
  deleteWebhookSecret: ['AUDIT#*', 'WEBHOOK#*'],
  deliverWebhook: ['DUE#*', 'SENDING#*', 'WEBHOOK#*'],
  fanOutRunEvent: ['WEBHOOK#*'],
  relayOutbox: ['ASIDE#*', 'OUTBOX#*'],
  resendOutbox: ['ASIDE#*', 'OUTBOX#*', 'PARKED#*'],
  retryDeliveries: ['DUE#*'],
  rotateWebhookSecret: ['AUDIT#*', 'WEBHOOK#*'],
  updateWebhook: ['AUDIT#*', 'OUTBOX#*', 'WEBHOOK#*'],
};

/** The only rows that these functions may read, by hand: what callers or the world send them may take them over. */
const READS_ONLY: Readonly<Record<string, readonly string[]>> = {
  authorizer: ['KEY#*', 'MEMBERS#*', 'ORG#*', 'TOKEN#*'],
  cleanUpTokens: ['AUDIT#*', 'CHECKPOINT#*', 'MEMBERS#*', 'ORG#*', 'ORGS', 'TOKEN#*', 'TOKENS#*'],
  confirmArtifact: ['FILES#*', 'INSTANCE#*'],
  deliverWebhook: ['DUE#*', 'SENDING#*', 'WEBHOOK#*'],
  fanOutRunEvent: ['WEBHOOK#*', 'WEBHOOKS#*'],
  relayOutbox: ['ASIDE#*', 'OUTBOX#*'],
  resendOutbox: ['ASIDE#*', 'OUTBOX#*', 'PARKED#*'],
  retryDeliveries: ['DUE#*'],
};

const WRITE = /^dynamodb:(PutItem|UpdateItem|DeleteItem|BatchWriteItem|PartiQL(Insert|Update|Delete))$/;
const READ = /^dynamodb:(GetItem|BatchGetItem|Query|ConditionCheckItem)$/;

const Leading = z.object({ 'dynamodb:LeadingKeys': z.union([z.string(), z.array(z.string())]) });
const keysIn = (condition: unknown, operator: string): string[] | undefined => {
  const found = z.record(z.string(), Leading).parse(condition ?? {})[operator];
  return found && [found['dynamodb:LeadingKeys']].flat().sort();
};

let prod: Synthesized;
beforeAll(async () => {
  prod = await synthesized({ env: 'prod' });
});

const nameOf = ({ Properties }: Named) => `${Properties.FunctionName}`.replace('rundown-prod-', '');
const functions = () => prod.all('AWS::Lambda::Function');
const about = (fn: Named, effect: string, actions: RegExp) =>
  statementsOf(prod, fn).filter(({ Effect, Action }) => Effect === effect && Action.some((one) => actions.test(one)));

/** The rows that the function may touch so; `everything` where no condition says which. */
const allowed = (fn: Named, actions: RegExp) =>
  about(fn, 'Allow', actions).map(({ Condition }) => keysIn(Condition, 'ForAllValues:StringLike') ?? 'everything');
const writers = () => functions().filter((fn) => about(fn, 'Allow', WRITE).length > 0);

describe('rows that decide who may do what', () => {
  test('every role that writes is denied them, but for those that its function is listed with', () => {
    const denied = writers().map((fn) => {
      const statements = about(fn, 'Deny', WRITE).map(({ Condition }) => keysIn(Condition, 'ForAnyValue:StringLike'));
      return [nameOf(fn), statements];
    });
    const expected = writers().map((fn) => {
      const own = MAY_WRITE[nameOf(fn)] ?? [];
      return [nameOf(fn), [GUARDED.filter((key) => !own.includes(key))]];
    });
    expect(denied.length).toBeGreaterThan(25);
    expect(denied).toEqual(expected);
    expect(Object.keys(MAY_WRITE).filter((name) => !writers().map(nameOf).includes(name))).toEqual([]);
  });

  test('the denial names every action that the role could write with, and those of PartiQL, which nobody has', () => {
    for (const fn of writers()) {
      const [denial] = about(fn, 'Deny', WRITE);
      const granted = about(fn, 'Allow', WRITE).flatMap(({ Action }) => Action.filter((action) => WRITE.test(action)));
      const partiQl = ['Insert', 'Update', 'Delete'].map((verb) => `dynamodb:PartiQL${verb}`);
      for (const action of [...granted, ...partiQl]) expect(denial?.Action, nameOf(fn)).toContain(action);
      expect(granted.filter((action) => action.includes('PartiQL'))).toEqual([]);
    }
  });

  test('the denial is about the table that the role may write, whatever else the policy says', () => {
    for (const fn of writers()) {
      const tables = [...about(fn, 'Allow', WRITE), ...about(fn, 'Deny', WRITE)].map(({ Resource }) => Resource);
      expect(new Set(tables.map((table) => JSON.stringify(table))).size, nameOf(fn)).toBe(1);
    }
  });
});

describe('a function that names the rows it works with', () => {
  test('may write no others', () => {
    const found = writers().filter((fn) => !allowed(fn, WRITE).includes('everything'));
    const rows = found.map((fn) => [nameOf(fn), allowed(fn, WRITE)]);
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(Object.entries(WRITES_ONLY).map(([name, keys]) => [name, [keys]])),
    );
  });

  test('may read no others', () => {
    const found = functions().filter((fn) => !['everything', undefined].includes(allowed(fn, READ)[0]?.toString()));
    const rows = found.map((fn) => [nameOf(fn), allowed(fn, READ)]);
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(Object.entries(READS_ONLY).map(([name, keys]) => [name, [keys]])),
    );
  });
});

test('the policies of a role stay below the 10,240 characters that IAM counts', () => {
  for (const role of prod.all('AWS::IAM::Role')) {
    expect(JSON.stringify(role.Properties.Policies ?? []).length, role.id).toBeLessThan(10_240);
  }
});
