/**
 * An organization with recorded runs and a person of each role, for tests of all pages. Tests only read it, or submit
 * forms that are refused.
 */
import { loadFunctions } from '#infra/build/declarations.ts';
import { formatActorName, OPERATOR } from '#shared/access/actor.ts';
import { PRESENT, put } from '#shared/engine/table/writes.ts';
import { deriveSignature, deriveSpecSignature } from '#shared/model/ids.ts';
import { integrations } from '#shared/model/issues/integration.ts';
import { deriveIssueId, type KnownIssue, knownIssues } from '#shared/model/issues/known-issue.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { type RenamedTest, renamedTests } from '#shared/model/rules/renamed-test.ts';
import { companyProviders } from '#shared/model/sign-in/company-provider.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { listApiKeys } from '#shared/organizations/list-api-keys.ts';
import { connectSecrets } from '#shared/platform/connect.ts';
import type { PageDeclaration } from '#shared/platform/page.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import { compileRuns } from '#test/harness/analytics.ts';
import { failingRun } from '#test/harness/failing-run.ts';
import { token } from '#test/harness/people.ts';
import { claim, startRun } from '#test/harness/recording.ts';
import { COMMIT } from '#test/harness/recording-messages.ts';
import { signInAt, type Tenant, type TestService } from '#test/harness/service.ts';
import { signedIn, type Visitor, visitor } from '#test/harness/visitor.ts';
import { hostSettings } from '#test/notifications/stage.ts';
import { SUITE } from '#test/recording/operations.ts';

const issuer = 'https://sso.acme.example';
signInAt([{ providerId: 'openid', name: 'Acme', issuer, clientId: 'rundown', trustedDomains: [] }]);

const { pageFunctions } = await loadFunctions();

export const declared = pageFunctions.flatMap(({ pages }) => pages.map(({ declaration }) => declaration));
export const pages = declared.filter(({ method, path }) => method === 'GET' && !path.startsWith('/assets/'));
/** Pages that do not return a complete HTML document, and pages that other tests open. */
const NO_DOCUMENT = [
  'getFile',
  // The files are opened in evidence.test.ts.
  'showFile',
  'getRunContext',
  'getTestContext',
  'showFirstRunLive',
  'showImportLive',
  'showPrintedInstance',
  'showPrintedTest',
  'showProject',
  'showRunLive',
  'getTimeline',
  'getConfirmRequest',
  'getPasskeyCreation',
  'getPasskeyRequest',
  // The way to the provider of a company and back, which is tested in test/company-sign-in.
  'startCompanySignIn',
  'connectCompany',
  'finishCompanySignIn',
  // The same for the providers of the deployment, which is tested in test/provider-sign-in.
  'startProviderSignIn',
  'connectProviderIdentity',
  'finishProviderSignIn',
  // The consent page can only be opened by an authorization request. It is tested in test/oauth.
  'showConsent',
  // These pages can only be opened with the secret of a share or the id of a badge. They are tested in test/shares and
  // test/badges.
  'showSharedResult',
  'getBadge',
  'getSharedFile',
  'showSharedFile',
  // The package of the client, which is tested in test/client.
  'getClient',
];

/** Pages that return a complete HTML document, without those that other tests open. */
export const documents = pages.filter(({ operationId }) => !NO_DOCUMENT.includes(operationId));
export const forms = declared.filter(({ method }) => method === 'POST');
export const isInside = ({ path }: PageDeclaration): boolean => path.startsWith('/{organizationId}');
export const ROLES: readonly Role[] = ['admin', 'actionsAdmin', 'member', 'guest'];

const RULE = {
  name: 'Known <b>',
  action: [{ op: 'quarantine' }],
  matcher: { op: 'AND', cond: [{ type: 'title', op: 'eq', value: 'adds' }] },
};

const saveGithub = (here: TestService & Tenant) =>
  saveNotification(
    { ...here.services, secrets: connectSecrets(here.environment)() },
    { ...here, actor: OPERATOR, settings: hostSettings('github', 'https://github.invalid') },
  );

/** Stores a connection that its tracker refuses, and an issue of the failed test. */
async function knowIssue(here: TestService & Tenant, from: RenamedTest['from']) {
  const { organizationId, projectId, services } = here;
  const { table } = services;
  const now = services.now();
  const signature = deriveSignature({ ...here, ...from });
  const integration = {
    organizationId,
    integrationId: 'int_shop',
    kind: 'jira',
    name: 'Jira <b>',
    apiUrl: 'https://jira.invalid',
    secretName: `${organizationId}/none`,
    createdAt: now,
    updatedAt: now,
    refused: { at: now, problem: 'Jira does not accept the personal access token' },
  } as const;
  const { integrationId, kind } = integration;
  const issueId = deriveIssueId({ signature, integrationId, key: 'SHOP-12' });
  const issue: KnownIssue = {
    organizationId,
    projectId,
    signature,
    issueId,
    integrationId,
    kind,
    key: 'SHOP-12',
    url: 'https://jira.invalid/browse/SHOP-12',
    title: '"><script>alert(1)</script>\u202e',
    state: 'inProgress',
    stateName: 'In Review',
    spec: from.spec,
    testTitle: from.title,
    created: true,
    createdAt: now,
    createdBy: formatActorName(OPERATOR),
    checkedAt: now,
    seenAt: now,
  };
  // An import has given the test another name.
  const renamed = {
    organizationId,
    projectId,
    signature,
    from,
    to: { spec: 'cart.test.ts', title: ['sums'] },
    expiresAt: Math.ceil(now / 1000) + 86_400,
  };
  await table.transact([put(integrations, integration), put(knownIssues, issue), put(renamedTests, renamed)]);
  return { integrationId, issueId };
}

/** Stores a provider that nobody reaches. */
async function knowProvider({ organizationId, services: { table, now } }: TestService & Tenant): Promise<void> {
  const provider = {
    organizationId,
    providerId: 'cmp_1',
    name: 'Acme <b>',
    issuer: 'https://acme.invalid',
    clientId: 'rundown',
    secretName: `${organizationId}/none`,
    admitsNew: true,
    createdAt: now(),
    updatedAt: now(),
  };
  const companySignIn = { providerId: provider.providerId, required: false };
  await table.put(companyProviders, provider);
  await table.update(organizations, { organizationId }, { set: [['companySignIn', companySignIn]] }, PRESENT);
}

/** Imports a report that is cut off after its first test. */
async function importedReport({ api, projectId }: Pick<Tenant, 'api' | 'projectId'>): Promise<string> {
  const report = '<testsuites><testsuite name="cart"><testcase name="sums" file="cart.test.ts"/>';
  const { body } = await api.send('POST', `/projects/${projectId}/imports?ciBuildId=import-1`, report);
  return body.data.importId;
}

async function stage() {
  const here = await failingRun();
  const pull = { htmlUrl: 'https://github.com/example/shop/pull/7', prTitle: 'Sell <b>gift cards' };
  const commit = { ...COMMIT, ghaEventData: pull };
  const running = await startRun(here, SUITE, { ciBuildId: 'build-2', commit });
  // A claimed spec file, so that the page of the run in progress lists a machine.
  await claim(here, { ...running, machineId: 'machine-1' }, 'cart.spec.ts');
  const { data } = (await here.reader.get(`/instances/${here.instanceId}`)).body;
  const [test] = data.results.tests;
  const history = await here.context(`instance_id=${here.instanceId}&test_id=${encodeURIComponent(test.testId)}`);
  const { signature } = history.body.data.meta;
  const [{ keyId } = {}] = await listApiKeys(here.services, { ...here, actor: OPERATOR });
  const { tokenId, owner } = await token(here);
  const hook = { url: 'https://receiver.invalid/', headers: { 'X-Room': '7' }, signed: true };
  const webhook = await here.api.post(`/webhooks?projectId=${here.projectId}`, hook);
  await here.api.post(`/webhooks/${webhook.body.data.hookId}/test`, {});
  const action = await here.api.post(`/actions?projectId=${here.projectId}`, RULE);
  await saveGithub(here);
  await knowProvider(here);
  // Every `{name}` in the path of a page needs a value here.
  const values: Record<string, string> = {
    page: 'reference/runs',
    organizationId: here.organizationId,
    projectId: here.projectId,
    runId: here.runId,
    pullRequestId: '7',
    instanceId: here.instanceId,
    testId: test.testId,
    signature,
    specSignature: deriveSpecSignature({ ...here, spec: data.spec }),
    keyId: keyId ?? '',
    tokenId,
    accountId: owner.accountId,
    fileId: 'none',
    badgeId: 'none',
    trustId: 'none',
    file: 'none.svg',
    hookId: webhook.body.data.hookId,
    actionId: action.body.data.actionId,
    kind: 'github',
    importId: await importedReport(here),
    tracker: 'gitlab',
    company: here.organizationId,
    provider: 'openid',
    ...(await knowIssue(here, { spec: data.spec, title: test.title })),
    shareId: (await (await accessToken(here)).api.post('/shares', { runId: here.runId })).body.data.shareId,
  };
  const ofTest = new URLSearchParams({ instance_id: here.instanceId, test_id: test.testId });
  const queries: Record<string, string> = {
    showNewRule: '?show=preview&type_1=title&operator_1=eq&value_1=a',
    showResetRun: '?machine_id=m',
    // The normalized error of the failed test.
    showError: `?${new URLSearchParams({ message: 'expected <n>, received <n>', category: 'Infra / Misc' })}`,
    showNewShare: `?runId=${here.runId}`,
    showNewIssue: `?${ofTest}`,
    showLinkIssue: `?${ofTest}`,
    showTestOfRun: `?test_id=${encodeURIComponent(test.testId)}`,
    getTestContext: `?test_id=${encodeURIComponent(test.testId)}`,
  };
  const pathOf = ({ path, operationId }: PageDeclaration, other: Record<string, string> = {}) =>
    path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => ({ ...values, ...other })[name] ?? name) +
    (queries[operationId] ?? '');
  const people = new Map<Role, Visitor>();
  for (const role of ROLES) people.set(role, await signedIn(here, role));
  // What is new for Admins was seen, because the first visit of that page changes the count in every page.
  await people.get('admin')?.get(`/${here.organizationId}/settings/news`);
  // Adds the ended runs to the analytics pages.
  await compileRuns(here);
  const stranger = visitor(here.origin);
  const as = (who: Role | 'stranger') => (who === 'stranger' ? stranger : (people.get(who) ?? stranger));
  return { ...here, runningRunId: running.runId, pathOf, as, stranger };
}

let shared: ReturnType<typeof stage> | undefined;

export const pageWorld = () => (shared ??= stage());
