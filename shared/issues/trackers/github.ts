/** Issues of repositories on GitHub or a GitHub Enterprise Server. */
import { hasNextPage, NOT_FOUND } from '#shared/hosts/api-client.ts';
import { makeGithubDialect } from '#shared/hosts/github-wire.ts';
import { formatMarkerComment, toMarkdown, toMarkedMarkdown } from '../text/markdown.ts';
import { type GithubIssue, Issue, Issues, Repositories, Repository, User } from './github-wire.ts';
import { noKey, parsePageAddress } from './issue-keys.ts';
import {
  type Tracker,
  type TrackerAccess,
  type TrackerIssue,
  type TrackerNetwork,
  TrackerProblem,
  type TrackerProject,
} from './tracker.ts';
import { encodePart, formatQuery, formatTitle, TRACKER_LIMITS, TrackerHttp } from './tracker-http.ts';

const LIMITS = {
  /** GitHub refuses a text of more than 65,536 characters. */
  bodyCharacters: 65_000,
  /** At most this many pages of this size are searched for repositories. */
  repositoryPages: 10,
  repositoriesPerPage: 100,
  /** At most this many pages of issues of this size are searched for the marker. */
  issuePages: 10,
  issuesPerPage: 50,
} as const;

export function openGithub(access: TrackerAccess, network: TrackerNetwork): Tracker {
  const http = new TrackerHttp(makeDialect(access), access.apiUrl, network);

  async function find(text: string): Promise<{ readonly path: string; readonly issue: TrackerIssue } | undefined> {
    const { repository, path } = locateIssue(text, access.apiUrl);
    const answer = await http.ask({ path, subject: 'issue', about: 'issue', except: GONE });
    if (GONE.includes(answer.statusCode)) return undefined;
    const issue = http.parse(Issue, answer, 'issue');
    return issue.pull_request ? undefined : { path, issue: toTrackerIssue(repository, issue) };
  }

  return {
    whoAmI: async () => (await http.read(User, { path: '/user', subject: 'account', about: 'connection' })).login,

    async projects({ search, page, limit }) {
      const end = (page + 1) * limit;
      const words = search?.trim().toLowerCase() ?? '';
      const matches: TrackerProject[] = [];
      let hasMore = true;
      for (let at = 1; hasMore && at <= LIMITS.repositoryPages && matches.length <= end; at += 1) {
        const path = `/user/repos${formatQuery({ per_page: LIMITS.repositoriesPerPage, page: at, sort: 'full_name' })}`;
        const answer = await http.ask({ path, subject: 'repositories', about: 'connection' });
        for (const repository of http.parse(Repositories, answer, 'repositories')) {
          const { full_name: name, has_issues: hasIssues, archived } = repository;
          if (hasIssues !== false && archived !== true && name.toLowerCase().includes(words))
            matches.push({ id: name, key: name, name });
        }
        hasMore = hasNextPage(answer.headers);
      }
      const projects = matches.slice(page * limit, end);
      return { projects, hasMore: matches.length > end, total: hasMore ? undefined : matches.length };
    },

    async issueTypes(projectId) {
      const path = `/repos/${toRepositoryPath(projectId)}`;
      const { has_issues: hasIssues } = await http.read(Repository, {
        path,
        subject: 'repository',
        about: 'project',
      });
      if (hasIssues === false) throw issuesDisabled(projectId);
      return [{ id: 'issue', name: 'Issue' }];
    },

    async create({ projectId, title, text, marker }) {
      const body = { title: formatTitle(title), body: toMarkedMarkdown(text, marker, LIMITS.bodyCharacters) };
      const path = `/repos/${toRepositoryPath(projectId)}/issues`;
      const purpose = { subject: 'new issue', about: 'project' } as const;
      const answer = await http.ask({ ...purpose, method: 'POST', path, body, except: GONE });
      if (answer.statusCode === ISSUES_DISABLED) throw issuesDisabled(projectId);
      if (GONE.includes(answer.statusCode)) throw http.explainRefusal({ ...answer, statusCode: NOT_FOUND }, purpose);
      return toTrackerIssue(projectId, http.parse(Issue, answer, purpose.subject));
    },

    async findCreated({ projectId, marker, since }) {
      // `since` compares the time of the last change, which is never before the creation.
      const after = new Date(since - TRACKER_LIMITS.clockMilliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
      for (let page = 1; page <= LIMITS.issuePages; page += 1) {
        const order = { state: 'all', sort: 'created', direction: 'desc' };
        const path = `/repos/${toRepositoryPath(projectId)}/issues${formatQuery({ ...order, since: after, per_page: LIMITS.issuesPerPage, page })}`;
        const answer = await http.ask({ path, subject: 'issues', about: 'project' });
        const issues = http.parse(Issues, answer, 'issues');
        // People may copy an issue with its marker. The original is the oldest.
        const original = issues.findLast((one) => !one.pull_request && one.body?.includes(formatMarkerComment(marker)));
        if (original) return toTrackerIssue(projectId, original);
        if (!hasNextPage(answer.headers)) return undefined;
      }
      return undefined;
    },

    get: async (text) => (await find(text))?.issue,

    async comment(text, blocks) {
      const body = { body: toMarkdown(blocks, LIMITS.bodyCharacters) };
      const { path } = locateIssue(text, access.apiUrl);
      await http.ask({ method: 'POST', path: `${path}/comments`, body, subject: 'comment', about: 'issue' });
    },

    async close(text) {
      const purpose = { subject: `issue ${http.quote(text)}`, about: 'issue' } as const;
      const { path, issue } = (await find(text)) ?? http.refuseMissing(purpose);
      if (issue.state === 'done') return;
      const body = { state: 'closed', state_reason: 'completed' };
      await http.ask({ method: 'PATCH', path, body, subject: 'closing', about: 'issue' });
    },
  };
}

/** Issues are disabled in the repository, or the request is about a deleted issue. */
const ISSUES_DISABLED = 410;
/** GitHub redirects from a repository that was renamed, or an issue that was moved. Redirects are not followed. */
const GONE: readonly number[] = [301, 307, 308, NOT_FOUND, ISSUES_DISABLED];

const makeDialect = ({ token }: TrackerAccess) => ({
  ...makeGithubDialect(token),
  name: 'GitHub',
  credential: 'token',
  permission: 'It needs the permission to read and write issues of this repository',
});

const REPOSITORY = /^[\w-]{1,100}\/[\w.-]{1,100}$/;
const KEY = /^([\w-]{1,100}\/[\w.-]{1,100})#(\d{1,15})$/;

/** `https://api.github.com` belongs to `https://github.com`, and `https://host/api/v3` to `https://host`. */
const toSiteUrl = (apiUrl: string): string => apiUrl.replace(/\/api\/v3$/, '').replace(/^(https?:\/\/)api\./, '$1');

function locateIssue(text: string, apiUrl: string): { readonly repository: string; readonly path: string } {
  const [owner = '', name = '', area, issue = ''] = parsePageAddress(text, toSiteUrl(apiUrl))?.parts ?? [];
  const key = area === 'issues' ? `${owner}/${name}#${issue}` : text.trim();
  const [, repository = '', number = ''] = KEY.exec(key) ?? [];
  if (repository === '') throw noKey('GitHub', text, 'owner/name#12');
  return { repository, path: `/repos/${toRepositoryPath(repository)}/issues/${number}` };
}

function toRepositoryPath(repository: string): string {
  if (!REPOSITORY.test(repository))
    throw new TrackerProblem({ kind: 'missing' }, 'The repository is invalid. Enter a GitHub repository as owner/name');
  return repository.split('/').map(encodePart).join('/');
}

const issuesDisabled = (repository: string) =>
  new TrackerProblem(
    { kind: 'invalid' },
    `Issues are disabled in the repository ${repository} on GitHub. Enable them in its settings, or choose another repository`,
    ISSUES_DISABLED,
  );

function toTrackerIssue(repository: string, issue: GithubIssue): TrackerIssue {
  const isDone = issue.state === 'closed';
  return {
    key: `${repository}#${issue.number}`,
    url: issue.html_url,
    title: issue.title,
    state: isDone ? 'done' : 'open',
    stateName: isDone ? (issue.state_reason === 'not_planned' ? 'Closed as not planned' : 'Closed') : 'Open',
  };
}
