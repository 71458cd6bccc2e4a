/** The URLs of the pages. `joinSegments` encodes ids, because ids that clients choose may contain any character. */
import { may } from '#shared/access/may.ts';
import type { DeploymentProviderId } from '#shared/model/sign-in/deployment-provider.ts';
import type { OrganizationVisit, ProjectVisit, Visit } from '#shared/sign-in/visit.ts';

type Base = Pick<Visit, 'base'>;
type InOrganization = Base & Pick<OrganizationVisit, 'organizationId'>;
type InProject = InOrganization & Pick<ProjectVisit, 'projectId'>;

const joinSegments = (...parts: readonly string[]): string =>
  parts.map((part) => `/${encodeURIComponent(part)}`).join('');

type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export function addQuery(path: string, query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
}

export const linkToHome = ({ base }: Base): string => `${base}/`;
/** The documentation: its start, a guide, or `reference/` with an area of the API. */
export const linkToDocs = (
  { base }: Base,
  page?: string,
  query: { readonly project?: string | undefined } = {},
): string => addQuery(`${base}/docs${page === undefined ? '' : `/${page}`}`, query);
export const linkToSignIn = ({ base }: Base, returnTo?: string): string =>
  addQuery(`${base}/sign-in`, { return_to: returnTo });
/** The page on which people confirm who they are. It names the `action`, an operation id, and leads to it afterwards. */
export const linkToConfirm = ({ base }: Base, returnTo?: string, action?: string): string =>
  addQuery(`${base}/sign-in/confirm`, { return_to: returnTo, action });
export const linkToSignInLink = ({ base }: Base): string => `${base}/sign-in/link`;
/** With `options`, the URL of the challenge for the browser to sign. Otherwise, the URL for the signed challenge. */
export const linkToPasskeySignIn = ({ base }: Base, page?: 'options'): string =>
  `${base}/sign-in/passkey${page ? joinSegments(page) : ''}`;
export const linkToPasskeyConfirm = ({ base }: Base, page?: 'options'): string =>
  `${base}/sign-in/confirm${page ? joinSegments(page) : ''}`;
/** The way to the identity provider of an organization. */
export const linkToCompanySignIn = (
  { base }: Base,
  organizationId?: string,
  { step, returnTo, confirm }: CompanySignInStep = {},
): string =>
  addQuery(`${base}/sign-in/company${joinSegments(...[organizationId, step].filter((part) => part !== undefined))}`, {
    return_to: returnTo,
    confirm,
  });

interface CompanySignInStep {
  readonly step?: 'start' | 'connect';
  readonly returnTo?: string;
  readonly confirm?: 'true';
}
/** The way to a provider of this deployment. */
export const linkToProviderSignIn = (
  { base }: Base,
  providerId: DeploymentProviderId,
  { step, purpose }: ProviderSignInStep = {},
): string =>
  addQuery(`${base}/sign-in/with${joinSegments(...[providerId, step].filter((part) => part !== undefined))}`, {
    purpose,
  });

interface ProviderSignInStep {
  readonly step?: 'start' | 'connect';
  readonly purpose?: 'join' | 'confirm' | undefined;
}
export const linkToInvitation = ({ base }: Base, secret?: string): string =>
  `${base}/invitations${secret === undefined ? '' : `#${encodeURIComponent(secret)}`}`;
/** The link for an invited person. The secret is in the fragment, so that it never appears in server logs. */
export const buildInvitationUrl = (origin: string, secret: string): string => `${origin}/invitations#${secret}`;
export const linkToShared = ({ base }: Base): string => `${base}/shared`;
export const linkToSharedResult = ({ base }: Base, query: Query = {}): string =>
  addQuery(`${base}/shared/result`, query);
interface FileQuery {
  readonly download?: 'true' | undefined;
}

export const linkToSharedFile = ({ base }: Base, instanceId: string, fileId: string, query: FileQuery = {}): string =>
  addQuery(`${base}/shared/files${joinSegments(instanceId, fileId)}`, { ...query });
export const linkToSharedFilePage = ({ base }: Base, instanceId: string, fileId: string): string =>
  `${base}/shared/files${joinSegments(instanceId, fileId, 'view')}`;
/** With `choice`, the page shows what the person chose on it before. */
export const linkToConsent = (
  { base }: Base,
  uid: string,
  choice: { readonly organizationId?: string | undefined; readonly scopes?: readonly string[] } = {},
): string => addQuery(`${base}/oauth/consent${joinSegments(uid)}`, choice);
export const linkToSignOut = ({ base }: Base): string => `${base}/sign-out`;
export const linkToAccount = ({ base }: Base): string => `${base}/account`;
/** The form for a passkey, which people who have none see after they signed in with a link. */
export const linkToAddPasskey = ({ base }: Base, returnTo?: string): string =>
  addQuery(`${base}/account/passkeys/new`, { return_to: returnTo });
export const linkToAccountForm = ({ base }: Base, form: string): string => `${base}/account/${form}`;

export const linkToOrganization = (at: InOrganization): string => at.base + joinSegments(at.organizationId);
export const linkToOrganizationPage = (at: InOrganization, ...page: readonly string[]): string =>
  linkToOrganization(at) + joinSegments(...page);
export const linkToOrganizationSettings = (at: InOrganization, ...page: readonly string[]): string =>
  linkToOrganizationPage(at, 'settings', ...page);
export const linkToCompanySettings = (at: InOrganization, ...page: readonly string[]): string =>
  linkToOrganizationSettings(at, 'company-sign-in', ...page);
export const linkToConnectAgent = (at: InOrganization): string => linkToOrganizationPage(at, 'connect-agent');
/** The URL of the list of tokens that the person may see: all tokens of the organization, or only their own. */
export const linkToTokens = (visit: OrganizationVisit): string =>
  may(visit.person, 'tokens:listAll')
    ? linkToOrganizationSettings(visit, 'tokens')
    : linkToAccountForm(visit, 'tokens');

/** The URL of a page of a project, such as `tests`, `flaky`, `errors` or `insights`. */
export const linkToProjectPage = (at: InProject, ...page: readonly string[]): string =>
  linkToOrganizationPage(at, at.projectId, ...page);

type OptionalText = string | null | undefined;
interface ErrorValues {
  readonly message?: OptionalText;
  readonly target?: OptionalText;
  readonly action?: OptionalText;
  readonly category?: OptionalText;
}

/** The page of one error, which its values identify. */
export const linkToError = (
  at: InProject,
  { message, target, action, category }: ErrorValues,
  filters: Query = {},
): string =>
  addQuery(linkToProjectPage(at, 'errors', 'one'), {
    message: message ?? undefined,
    target: target ?? undefined,
    action: action ?? undefined,
    category: category ?? undefined,
    ...filters,
  });

/** Returns a function for the URLs of the pages of a project whose path begins with this segment. */
const makePageLinker =
  (start: string) =>
  (at: InProject, ...page: readonly string[]): string =>
    linkToProjectPage(at, start, ...page);

export const linkToProjectSettings = makePageLinker('settings');
export const linkToWebhooks = makePageLinker('webhooks');
export const linkToRules = makePageLinker('actions');
export const linkToNotifications = makePageLinker('notifications');

export const linkToBadge = ({ base }: Base, badgeId: string): string => `${base}/badges/${badgeId}.svg`;
export const linkToBadges = makePageLinker('badges');
export const linkToTrustedCi = makePageLinker('trusted-ci');
export const linkToShares = makePageLinker('shares');
export const linkToNewShare = (at: InProject, of: Query): string => addQuery(linkToShares(at, 'new'), of);

export const linkToIntegrations = (at: InOrganization, ...page: readonly string[]): string =>
  linkToOrganizationSettings(at, 'integrations', ...page);
export const linkToIssues = (at: InProject, query: Query = {}): string =>
  addQuery(linkToProjectPage(at, 'issues'), query);
/** The URL of a form about the issues of a project: `new`, `link`, or the id of an issue with `unlink`. */
export const linkToIssueForm = (at: InProject, form: readonly string[], query: Query = {}): string =>
  addQuery(linkToProjectPage(at, 'issues', ...form), query);

export const linkToRuns = (at: InProject, query: Query = {}): string => addQuery(linkToProjectPage(at, 'runs'), query);
/** The URL of a page of a run, such as its timeline, or of a form about it. */
export const linkToRunPage = makePageLinker('runs');
export const linkToRun = (at: InProject, runId: string, query: Query = {}): string =>
  addQuery(linkToRunPage(at, runId), query);
export const linkToPullRequests = makePageLinker('pulls');
export const linkToImports = makePageLinker('imports');
/** The URL of a spec file of a run, or of something below it. */
export const linkToInstance = makePageLinker('instances');

/** A test of a run, or one of its attempts. */
interface TestOfRun {
  readonly instanceId: string;
  readonly testId: string;
  readonly attempt?: number | undefined;
}

const linkToTestPage = (at: InProject, { instanceId, testId, attempt }: TestOfRun, page: string): string =>
  addQuery(linkToInstance(at, instanceId, page), { test_id: testId, attempt });
export const linkToTestOfRun = (at: InProject, of: TestOfRun): string => linkToTestPage(at, of, 'test');
export const linkToTestContext = (at: InProject, of: TestOfRun): string => linkToTestPage(at, of, 'context.md');

export const linkToSearch = (at: InOrganization & { readonly projectId?: string | undefined }, text?: string): string =>
  addQuery(linkToOrganizationPage(at, ...(at.projectId === undefined ? [] : [at.projectId]), 'search'), { q: text });
export const linkToTest = (at: InProject, signature: string): string => linkToProjectPage(at, 'tests', signature);
/** What broke a test, in one of its groups. */
export const linkToBisect = (at: InProject, signature: string, groupId?: string): string =>
  addQuery(linkToProjectPage(at, 'tests', signature, 'bisect'), { group_id: groupId });
/** Leads to the file itself: pictures and videos open in the browser, unless they are to be downloaded. */
export const linkToInstanceFile = (at: InProject, instanceId: string, fileId: string, query: FileQuery = {}): string =>
  addQuery(linkToInstance(at, instanceId, 'files', fileId), { ...query });
/** The page that shows a file. */
export const linkToFilePage = (at: InProject, instanceId: string, fileId: string): string =>
  linkToInstance(at, instanceId, 'files', fileId, 'view');
