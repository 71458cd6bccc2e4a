/** The URLs of the pages. `segments` encodes ids, because ids that clients choose may contain any character. */
import { may } from '#shared/access/may.ts';
import type { OrganizationVisit, ProjectVisit, Visit } from '#shared/sign-in/visit.ts';

type Base = Pick<Visit, 'base'>;
type InOrganization = Base & Pick<OrganizationVisit, 'organizationId'>;
type InProject = InOrganization & Pick<ProjectVisit, 'projectId'>;

const segments = (...parts: readonly string[]): string => parts.map((part) => `/${encodeURIComponent(part)}`).join('');

type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Adds query parameters to a URL. Leaves out undefined values. */
export function withQuery(path: string, query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
}

export const homeHref = ({ base }: Base): string => `${base}/`;
/** The documentation: its start, a guide, or `reference/` with an area of the API. */
export const docsHref = (
  { base }: Base,
  page?: string,
  query: { readonly project?: string | undefined } = {},
): string => withQuery(`${base}/docs${page === undefined ? '' : `/${page}`}`, query);
export const signInHref = ({ base }: Base, returnTo?: string): string =>
  withQuery(`${base}/sign-in`, { return_to: returnTo });
/** The page on which people confirm who they are. It names the `action`, an operation id, and leads to it afterwards. */
export const confirmHref = ({ base }: Base, returnTo?: string, action?: string): string =>
  withQuery(`${base}/sign-in/confirm`, { return_to: returnTo, action });
export const signInLinkHref = ({ base }: Base): string => `${base}/sign-in/link`;
/**
 * The URLs for signing in with a passkey. With `options`, the URL that returns the challenge for the browser to sign.
 * Otherwise, the URL that receives the signed challenge.
 */
export const passkeySignInHref = ({ base }: Base, page?: 'options'): string =>
  `${base}/sign-in/passkey${page ? segments(page) : ''}`;
export const passkeyConfirmHref = ({ base }: Base, page?: 'options'): string =>
  `${base}/sign-in/confirm${page ? segments(page) : ''}`;
export const invitationHref = ({ base }: Base): string => `${base}/invitations`;
/** The link for an invited person. The secret is in the fragment, so that it never appears in server logs. */
export const invitationLink = (origin: string, secret: string): string => `${origin}/invitations#${secret}`;
export const sharedHref = ({ base }: Base): string => `${base}/shared`;
/** The URL of a shared result, or of a part of it. */
export const sharedResultHref = ({ base }: Base, query: Query = {}): string =>
  withQuery(`${base}/shared/result`, query);
export const sharedFileHref = ({ base }: Base, instanceId: string, fileId: string): string =>
  `${base}/shared/files${segments(instanceId, fileId)}`;
export const consentHref = ({ base }: Base, uid: string): string => `${base}/oauth/consent${segments(uid)}`;
export const signOutHref = ({ base }: Base): string => `${base}/sign-out`;
export const accountHref = ({ base }: Base): string => `${base}/account`;
/** The form for a passkey, which people who have none see after they signed in with a link. */
export const addPasskeyHref = ({ base }: Base, returnTo?: string): string =>
  withQuery(`${base}/account/passkeys/new`, { return_to: returnTo });
export const accountFormHref = ({ base }: Base, form: string): string => `${base}/account/${form}`;

export const organizationHref = (at: InOrganization): string => at.base + segments(at.organizationId);
export const organizationPageHref = (at: InOrganization, ...page: readonly string[]): string =>
  organizationHref(at) + segments(...page);
export const organizationSettingsHref = (at: InOrganization, ...page: readonly string[]): string =>
  organizationPageHref(at, 'settings', ...page);
export const connectAgentHref = (at: InOrganization): string => organizationPageHref(at, 'connect-agent');
/** The URL of the list of tokens that the person may see: all tokens of the organization, or only their own. */
export const tokensHref = (visit: OrganizationVisit): string =>
  may(visit.person, 'tokens:listAll') ? organizationSettingsHref(visit, 'tokens') : accountFormHref(visit, 'tokens');

/** The URL of a page of a project, such as `tests`, `flaky`, `errors` or `insights`. */
export const projectPageHref = (at: InProject, ...page: readonly string[]): string =>
  organizationPageHref(at, at.projectId, ...page);
/** Returns a function for the URLs of the pages of a project whose path begins with this segment. */
const pagesBelow =
  (start: string) =>
  (at: InProject, ...page: readonly string[]): string =>
    projectPageHref(at, start, ...page);

export const projectSettingsHref = pagesBelow('settings');
export const webhooksHref = pagesBelow('webhooks');
export const rulesHref = pagesBelow('actions');
export const notificationsHref = pagesBelow('notifications');

export const badgeHref = ({ base }: Base, badgeId: string): string => `${base}/badges/${badgeId}.svg`;
export const badgesHref = pagesBelow('badges');
export const sharesHref = pagesBelow('shares');
/** The URL of the form that shares a run, one of its spec files, or a test. */
export const newShareHref = (at: InProject, of: Query): string => withQuery(sharesHref(at, 'new'), of);

/** The URL of the connections to issue trackers, in the settings of an organization. */
export const integrationsHref = (at: InOrganization, ...page: readonly string[]): string =>
  organizationSettingsHref(at, 'integrations', ...page);
/** The URL of the known issues of a project. */
export const issuesHref = (at: InProject, query: Query = {}): string => withQuery(projectPageHref(at, 'issues'), query);
/** The URL of a form about the issues of a project: `new`, `link`, or the id of an issue with `unlink`. */
export const issueFormHref = (at: InProject, form: readonly string[], query: Query = {}): string =>
  withQuery(projectPageHref(at, 'issues', ...form), query);

export const runsHref = (at: InProject, query: Query = {}): string => withQuery(projectPageHref(at, 'runs'), query);
/** The URL of a page of a run, such as its timeline, or of a form about it. */
export const runPageHref = pagesBelow('runs');
export const runHref = (at: InProject, runId: string, query: Query = {}): string =>
  withQuery(runPageHref(at, runId), query);
export const pullRequestsHref = pagesBelow('pulls');
export const importsHref = pagesBelow('imports');
/** The URL of a spec file of a run, or of something below it. */
export const instanceHref = pagesBelow('instances');

/** A test of a run, or one of its attempts. */
interface TestOfRun {
  readonly instanceId: string;
  readonly testId: string;
  readonly attempt?: number | undefined;
}

const testPageHref = (at: InProject, { instanceId, testId, attempt }: TestOfRun, page: string): string =>
  withQuery(instanceHref(at, instanceId, page), { test_id: testId, attempt });
export const testOfRunHref = (at: InProject, of: TestOfRun): string => testPageHref(at, of, 'test');
export const testContextHref = (at: InProject, of: TestOfRun): string => testPageHref(at, of, 'context.md');

/** The URL of the search in a project, or in all projects of the organization. */
export const searchHref = (at: InOrganization & { readonly projectId?: string | undefined }, text?: string): string =>
  withQuery(organizationPageHref(at, ...(at.projectId === undefined ? [] : [at.projectId]), 'search'), { q: text });
export const testHref = (at: InProject, signature: string): string => projectPageHref(at, 'tests', signature);
export const fileHref = (at: InProject, instanceId: string, fileId: string): string =>
  instanceHref(at, instanceId, 'files', fileId);
