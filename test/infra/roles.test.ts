/** Which rows of the table each role may read and write. */
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { statementsOf } from './policies.ts';
import { READS_ONLY } from './role-reads.ts';
import { type Named, type Synthesized, synthesized } from './synthesized.ts';

/**
 * Partition keys of rows that decide access. They are listed by hand, so that every addition or removal is noticed in a
 * review.
 */
const GUARDED = [
  'ACCOUNT#*',
  'AUDIT#*',
  'BADGE#*',
  'BADGES#*',
  'CHALLENGES',
  'CODES#*',
  'COMPANY#*',
  'COMPANYACCOUNTS#*',
  'DEPLOYMENT',
  'DIRECTORY#*',
  'DIRECTORYGROUPS#*',
  'DIRECTORYMEMBERS#*',
  'DIRECTORYNAMES#*',
  'DIRECTORYVALUES#*',
  'EMAIL#*',
  'GRANT#*',
  'GRANTS#*',
  'IDENTITIES#*',
  'INVITATION#*',
  'INVITATIONS#*',
  'ISSUER',
  'KEY#*',
  'KEYS#*',
  'LINK#*',
  'LINKS#*',
  'MEMBERS#*',
  'MEMBERSHIPS#*',
  'OAUTH#*',
  'ORG#*',
  'ORGS',
  'PASSKEY#*',
  'PASSKEYS#*',
  'PROVIDER#*',
  'SCIM#*',
  'SCIMTOKENS#*',
  'SESSION#*',
  'SESSIONS#*',
  'SHARE#*',
  'SHARES#*',
  'TOKEN#*',
  'TOKENS#*',
  'USED#*',
];

/** The only functions that may write rows that decide access, listed by hand. */
const MAY_WRITE: Readonly<Record<string, readonly string[]>> = {
  authorizationServer: ['GRANT#*', 'GRANTS#*', 'ISSUER', 'OAUTH#*'],
  authorizer: ['TOKEN#*'],
  cleanUpTokens: ['AUDIT#*', 'TOKEN#*'],
  compileEndedRun: ['BADGE#*'],
  consent: ['AUDIT#*', 'GRANT#*', 'GRANTS#*', 'OAUTH#*', 'SESSION#*'],
  createAction: ['AUDIT#*'],
  createImportLink: ['AUDIT#*'],
  createIssue: ['AUDIT#*'],
  createJiraIssue: ['AUDIT#*'],
  createProject: ['AUDIT#*'],
  createShare: ['AUDIT#*', 'SHARE#*', 'SHARES#*'],
  createWebhook: ['AUDIT#*'],
  deleteAction: ['AUDIT#*'],
  deleteProject: ['AUDIT#*'],
  deleteRun: ['AUDIT#*'],
  deleteRunArtifacts: ['AUDIT#*'],
  deleteShare: ['AUDIT#*', 'SHARE#*', 'SHARES#*'],
  deleteWebhook: ['AUDIT#*'],
  deleteWebhookSecret: ['AUDIT#*'],
  disableAction: ['AUDIT#*'],
  enableAction: ['AUDIT#*'],
  importForms: ['AUDIT#*', 'SESSION#*'],
  issues: ['AUDIT#*', 'SESSION#*'],
  linkIssue: ['AUDIT#*'],
  linkJiraIssue: ['AUDIT#*'],
  getShared: ['SHARE#*'],
  // Some MCP tools change webhooks, rules and runs, or create shares.
  mcp: ['AUDIT#*', 'SHARE#*', 'SHARES#*'],
  receiveForms: [
    'ACCOUNT#*',
    'AUDIT#*',
    'BADGE#*',
    'BADGES#*',
    'CODES#*',
    'COMPANY#*',
    'DIRECTORY#*',
    'GRANT#*',
    'GRANTS#*',
    'IDENTITIES#*',
    'INVITATION#*',
    'INVITATIONS#*',
    'KEY#*',
    'KEYS#*',
    'MEMBERS#*',
    'MEMBERSHIPS#*',
    'ORG#*',
    'PASSKEY#*',
    'PASSKEYS#*',
    'SCIM#*',
    'SCIMTOKENS#*',
    'SESSION#*',
    'SESSIONS#*',
    'SHARE#*',
    'SHARES#*',
    'TOKEN#*',
    'TOKENS#*',
  ],
  contexts: ['SESSION#*'],
  docs: ['SESSION#*'],
  showPages: ['SESSION#*'],
  redeliver: ['AUDIT#*'],
  removeOrganizations: [
    'ACCOUNT#*',
    'AUDIT#*',
    'CODES#*',
    'COMPANY#*',
    'COMPANYACCOUNTS#*',
    'DEPLOYMENT',
    'DIRECTORY#*',
    'DIRECTORYGROUPS#*',
    'DIRECTORYMEMBERS#*',
    'DIRECTORYNAMES#*',
    'DIRECTORYVALUES#*',
    'EMAIL#*',
    'GRANT#*',
    'GRANTS#*',
    'IDENTITIES#*',
    'INVITATION#*',
    'INVITATIONS#*',
    'KEY#*',
    'KEYS#*',
    'LINK#*',
    'LINKS#*',
    'MEMBERS#*',
    'MEMBERSHIPS#*',
    'ORG#*',
    'ORGS',
    'PASSKEY#*',
    'PASSKEYS#*',
    'PROVIDER#*',
    'SCIM#*',
    'SCIMTOKENS#*',
    'SESSION#*',
    'SESSIONS#*',
    'TOKEN#*',
    'TOKENS#*',
  ],
  removeProjects: ['BADGE#*', 'BADGES#*', 'SHARE#*', 'SHARES#*'],
  resetRun: ['AUDIT#*'],
  restoreProject: ['AUDIT#*'],
  rotateWebhookSecret: ['AUDIT#*'],
  runForms: ['AUDIT#*', 'SESSION#*'],
  showSettings: ['SESSION#*'],
  shares: ['SHARE#*'],
  signIn: [
    'ACCOUNT#*',
    'AUDIT#*',
    'CHALLENGES',
    'CODES#*',
    'EMAIL#*',
    'INVITATION#*',
    'INVITATIONS#*',
    'LINK#*',
    'LINKS#*',
    'MEMBERS#*',
    'MEMBERSHIPS#*',
    'ORG#*',
    'PASSKEY#*',
    'PASSKEYS#*',
    'SESSION#*',
    'SESSIONS#*',
    'USED#*',
  ],
  companySettings: [
    'AUDIT#*',
    'INVITATION#*',
    'INVITATIONS#*',
    'MEMBERS#*',
    'MEMBERSHIPS#*',
    'ORG#*',
    'PROVIDER#*',
    'SESSION#*',
  ],
  companySignIn: [
    'ACCOUNT#*',
    'AUDIT#*',
    'CHALLENGES',
    'COMPANYACCOUNTS#*',
    'IDENTITIES#*',
    'INVITATION#*',
    'INVITATIONS#*',
    'MEMBERS#*',
    'MEMBERSHIPS#*',
    'ORG#*',
    'SESSION#*',
    'SESSIONS#*',
    'USED#*',
  ],
  testWebhook: ['AUDIT#*'],
  trackIssues: ['AUDIT#*'],
  unlinkIssue: ['AUDIT#*'],
  updateAction: ['AUDIT#*'],
  updateProject: ['AUDIT#*'],
  updateWebhook: ['AUDIT#*'],
  deliverNotification: ['AUDIT#*'],
  deliverWebhook: ['AUDIT#*'],
  scim: [
    'ACCOUNT#*',
    'AUDIT#*',
    'COMPANYACCOUNTS#*',
    'DIRECTORY#*',
    'DIRECTORYGROUPS#*',
    'DIRECTORYMEMBERS#*',
    'DIRECTORYNAMES#*',
    'DIRECTORYVALUES#*',
    'GRANT#*',
    'GRANTS#*',
    'INVITATION#*',
    'INVITATIONS#*',
    'MEMBERS#*',
    'MEMBERSHIPS#*',
    'ORG#*',
    'SCIM#*',
    'SESSION#*',
    'SESSIONS#*',
    'TOKEN#*',
  ],
  erasePeople: [
    'ACCOUNT#*',
    'AUDIT#*',
    'CODES#*',
    'COMPANYACCOUNTS#*',
    'DIRECTORY#*',
    'DIRECTORYMEMBERS#*',
    'DIRECTORYNAMES#*',
    'DIRECTORYVALUES#*',
    'EMAIL#*',
    'IDENTITIES#*',
    'INVITATION#*',
    'INVITATIONS#*',
    'LINK#*',
    'LINKS#*',
    'PASSKEY#*',
    'PASSKEYS#*',
    'SESSION#*',
    'SESSIONS#*',
  ],
};

/** The only rows that these functions may write, listed by hand. */
const WRITES_ONLY: Readonly<Record<string, readonly string[]>> = {
  auditAnalytics: ['CHECKPOINT#*', 'DUE#*', 'NAMES#*', 'PENDING#*'],
  authorizationServer: ['GRANT#*', 'GRANTS#*', 'ISSUER', 'OAUTH#*'],
  authorizer: ['TOKEN#*', 'USAGE#*'],
  cleanUpTokens: ['AUDIT#*', 'CHECKPOINT#*', 'TOKEN#*'],
  companySettings: [
    'AUDIT#*',
    'INVITATION#*',
    'INVITATIONS#*',
    'MEMBERS#*',
    'MEMBERSHIPS#*',
    'NEWS#*',
    'ORG#*',
    'PROVIDER#*',
    'SESSION#*',
  ],
  companySignIn: [
    'ACCOUNT#*',
    'AUDIT#*',
    'CHALLENGES',
    'COMPANYACCOUNTS#*',
    'IDENTITIES#*',
    'INVITATION#*',
    'INVITATIONS#*',
    'MEMBERS#*',
    'MEMBERSHIPS#*',
    'ORG#*',
    'SESSION#*',
    'SESSIONS#*',
    'USED#*',
  ],
  confirmArtifact: ['FILES#*', 'INSTANCE#*', 'SLOTS#*', 'USAGE#*'],
  consent: ['AUDIT#*', 'GRANT#*', 'GRANTS#*', 'OAUTH#*', 'SESSION#*'],
  createAction: ['AUDIT#*', 'RULES#*', 'SUBMITTED#*'],
  createImportLink: ['AUDIT#*', 'IMPORT#*'],
  createIssue: ['AUDIT#*', 'DUE#*', 'ISSUES#*', 'TURN#*'],
  createJiraIssue: ['AUDIT#*', 'DUE#*', 'ISSUES#*', 'TURN#*'],
  createProject: ['AUDIT#*', 'PROJECT#*', 'PROJECTS#*', 'SUBMITTED#*'],
  createShare: ['AUDIT#*', 'SHARE#*', 'SHARES#*', 'SUBMITTED#*', 'TURN#*'],
  createWebhook: ['AUDIT#*', 'PROJECT#*', 'SUBMITTED#*', 'WEBHOOK#*', 'WEBHOOKS#*'],
  deleteAction: ['AUDIT#*', 'RULES#*'],
  deleteProject: ['AUDIT#*', 'DUE#*', 'PROJECT#*'],
  deleteRunArtifacts: ['AUDIT#*', 'DUE#*', 'FILES#*', 'INSTANCE#*', 'RUN#*', 'USAGE#*'],
  deleteShare: ['AUDIT#*', 'SHARE#*', 'SHARES#*'],
  deleteWebhook: ['AUDIT#*', 'PROJECT#*', 'WEBHOOK#*', 'WEBHOOKS#*'],
  deleteWebhookSecret: ['AUDIT#*', 'WEBHOOK#*'],
  disableAction: ['AUDIT#*', 'RULES#*'],
  enableAction: ['AUDIT#*', 'RULES#*'],
  deliverNotification: ['AUDIT#*', 'DUE#*', 'NEWS#*', 'NOTIFICATION#*', 'SLOTS#*'],
  deliverWebhook: ['AUDIT#*', 'DUE#*', 'NEWS#*', 'SLOTS#*', 'WEBHOOK#*'],
  compileEndedRun: ['BADGE#*', 'DUE#*', 'ISSUES#*', 'NAMES#*', 'PENDING#*', 'RUN#*', 'TERMS#*', 'WORDS#*'],
  importForms: ['AUDIT#*', 'IMPORT#*', 'SESSION#*'],
  issues: ['AUDIT#*', 'DUE#*', 'INTEGRATIONS#*', 'ISSUES#*', 'SESSION#*', 'TURN#*'],
  linkIssue: ['AUDIT#*', 'DUE#*', 'ISSUES#*', 'TURN#*'],
  linkJiraIssue: ['AUDIT#*', 'DUE#*', 'ISSUES#*', 'TURN#*'],
  exportDays: ['CHECKPOINT#*', 'EXPORTS#*'],
  fanOutRunEvent: ['NOTIFICATION#*', 'WEBHOOK#*'],
  mergeAnalytics: ['DUE#*', 'NAMES#*', 'PENDING#*', 'ROOTS#*', 'RUN#*', 'SPAN#*', 'TERMS#*', 'WORDS#*'],
  contexts: ['SESSION#*'],
  docs: ['SESSION#*'],
  receiveForms: [
    'ACCOUNT#*',
    'AUDIT#*',
    'BADGE#*',
    'BADGES#*',
    'CODES#*',
    'COMPANY#*',
    'DIRECTORY#*',
    'DUE#*',
    'ERASED#*',
    'GRANT#*',
    'GRANTS#*',
    'IDENTITIES#*',
    'INVITATION#*',
    'INVITATIONS#*',
    'ISSUES#*',
    'KEY#*',
    'KEYS#*',
    'MEMBERS#*',
    'MEMBERSHIPS#*',
    'NEWS#*',
    'NOTIFICATION#*',
    'ORG#*',
    'OUTBOX#*',
    'PASSKEY#*',
    'PASSKEYS#*',
    'PROJECT#*',
    'PROJECTS#*',
    'RULES#*',
    'SCIM#*',
    'SCIMTOKENS#*',
    'SESSION#*',
    'SESSIONS#*',
    'SHARE#*',
    'SHARES#*',
    'SUBMITTED#*',
    'TOKEN#*',
    'TOKENS#*',
    'TURN#*',
    'WEBHOOK#*',
    'WEBHOOKS#*',
  ],
  getShared: ['SHARE#*'],
  showPages: ['SESSION#*'],
  showSettings: ['NEWS#*', 'SESSION#*'],
  shares: ['SHARE#*'],
  signIn: [
    'ACCOUNT#*',
    'AUDIT#*',
    'CHALLENGES',
    'CODES#*',
    'EMAIL#*',
    'INVITATION#*',
    'INVITATIONS#*',
    'LINK#*',
    'LINKS#*',
    'MEMBERS#*',
    'MEMBERSHIPS#*',
    'ORG#*',
    'PASSKEY#*',
    'PASSKEYS#*',
    'SESSION#*',
    'SESSIONS#*',
    'USED#*',
  ],
  relayOutbox: ['ASIDE#*', 'OUTBOX#*'],
  measureStorage: ['USAGE#*'],
  readCache: ['USAGE#*'],
  removeExpiredFiles: ['DUE#*', 'INSTANCE#*', 'USAGE#*'],
  removeOrganizations: [
    'ACCOUNT#*',
    'ASIDE#*',
    'AUDIT#*',
    'CODES#*',
    'COMPANY#*',
    'COMPANYACCOUNTS#*',
    'DEPLOYMENT',
    'DIRECTORY#*',
    'DIRECTORYGROUPS#*',
    'DIRECTORYMEMBERS#*',
    'DIRECTORYNAMES#*',
    'DIRECTORYVALUES#*',
    'DUE#*',
    'EMAIL#*',
    'ERASED#*',
    'GRANT#*',
    'GRANTS#*',
    'IDENTITIES#*',
    'INTEGRATIONS#*',
    'INVITATION#*',
    'INVITATIONS#*',
    'KEY#*',
    'KEYS#*',
    'LINK#*',
    'LINKS#*',
    'MEMBERS#*',
    'MEMBERSHIPS#*',
    'NEWS#*',
    'ORG#*',
    'ORGS',
    'PARKED#*',
    'PASSKEY#*',
    'PASSKEYS#*',
    'PROJECT#*',
    'PROVIDER#*',
    'SCIM#*',
    'SCIMTOKENS#*',
    'SESSION#*',
    'SESSIONS#*',
    'SLOTS#*',
    'TOKEN#*',
    'TOKENS#*',
    'TURN#*',
    'USAGE#*',
  ],
  resendOutbox: ['ASIDE#*', 'OUTBOX#*', 'PARKED#*'],
  retryDeliveries: ['DUE#*'],
  rotateWebhookSecret: ['AUDIT#*', 'WEBHOOK#*'],
  findCache: ['USAGE#*'],
  storeCache: ['CACHE#*', 'USAGE#*'],
  trackIssues: ['AUDIT#*', 'DUE#*', 'INTEGRATIONS#*', 'ISSUES#*', 'NEWS#*', 'RULES#*', 'TURN#*'],
  unlinkIssue: ['AUDIT#*', 'ISSUES#*'],
  restoreProject: ['AUDIT#*', 'DUE#*', 'PROJECT#*'],
  updateAction: ['AUDIT#*', 'RULES#*'],
  updateProject: ['AUDIT#*', 'PROJECT#*'],
  updateWebhook: ['AUDIT#*', 'OUTBOX#*', 'WEBHOOK#*'],
  scim: [
    'ACCOUNT#*',
    'AUDIT#*',
    'COMPANYACCOUNTS#*',
    'DIRECTORY#*',
    'DIRECTORYGROUPS#*',
    'DIRECTORYMEMBERS#*',
    'DIRECTORYNAMES#*',
    'DIRECTORYVALUES#*',
    'GRANT#*',
    'GRANTS#*',
    'INVITATION#*',
    'INVITATIONS#*',
    'MEMBERS#*',
    'MEMBERSHIPS#*',
    'ORG#*',
    'SCIM#*',
    'SESSION#*',
    'SESSIONS#*',
    'TOKEN#*',
  ],
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

/** The rows that each statement for these actions allows the function to use, or `everything` without a condition. */
const allowed = (fn: Named, actions: RegExp) =>
  about(fn, 'Allow', actions).map(({ Condition }) => keysIn(Condition, 'ForAllValues:StringLike') ?? 'everything');
const writers = () => functions().filter((fn) => about(fn, 'Allow', WRITE).length > 0);

describe('rows that decide access', () => {
  test('Roles may not write rows that decide access, except the rows that this test lists for their function', () => {
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

  test('Writes to rows that decide access are denied for every write action of the role, and for PartiQL', () => {
    for (const fn of writers()) {
      const [denial] = about(fn, 'Deny', WRITE);
      const granted = about(fn, 'Allow', WRITE).flatMap(({ Action }) => Action.filter((action) => WRITE.test(action)));
      const partiQl = ['Insert', 'Update', 'Delete'].map((verb) => `dynamodb:PartiQL${verb}`);
      for (const action of [...granted, ...partiQl]) expect(denial?.Action, nameOf(fn)).toContain(action);
      expect(granted.filter((action) => action.includes('PartiQL'))).toEqual([]);
    }
  });

  test('The statements that deny writes to rows that decide access name the same table as the statements that allow writes', () => {
    for (const fn of writers()) {
      const tables = [...about(fn, 'Allow', WRITE), ...about(fn, 'Deny', WRITE)].map(({ Resource }) => Resource);
      expect(new Set(tables.map((table) => JSON.stringify(table))).size, nameOf(fn)).toBe(1);
    }
  });
});

describe('a function that declares its rows', () => {
  test('may write no other rows', () => {
    const found = writers().filter((fn) => !allowed(fn, WRITE).includes('everything'));
    const rows = found.map((fn) => [nameOf(fn), allowed(fn, WRITE)]);
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(Object.entries(WRITES_ONLY).map(([name, keys]) => [name, [keys]])),
    );
  });

  test('may read no other rows', () => {
    const found = functions().filter((fn) => !['everything', undefined].includes(allowed(fn, READ)[0]?.toString()));
    const rows = found.map((fn) => [nameOf(fn), allowed(fn, READ)]);
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(Object.entries(READS_ONLY).map(([name, keys]) => [name, [keys]])),
    );
  });
});

test('the policies of a role stay below the IAM limit of 10,240 characters', () => {
  for (const role of prod.all('AWS::IAM::Role')) {
    expect(JSON.stringify(role.Properties.Policies ?? []).length, role.id).toBeLessThan(10_240);
  }
});
