/** Issues of repositories on GitHub or a GitHub Enterprise Server. */
import { markdownOf, markedMarkdownOf, markerComment } from '../text/markdown.ts';
import { Issue, Issues, type ReadIssue, Refusal, Repositories, Repository, User } from './github-wire.ts';
import { noKey, pageOf } from './issue-keys.ts';
import {
  type Tracker,
  type TrackerAccess,
  type TrackerIssue,
  type TrackerNetwork,
  TrackerProblem,
  type TrackerProject,
} from './tracker.ts';
import { epochOf, part, query, TRACKER_LIMITS, type TrackerAnswer, TrackerHttp, titleOf } from './tracker-http.ts';

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

export function github(access: TrackerAccess, network: TrackerNetwork): Tracker {
  const http = new TrackerHttp(dialectOf(access), access.apiUrl, network);

  async function find(text: string): Promise<{ readonly path: string; readonly issue: TrackerIssue } | undefined> {
    const { repository, path } = whereOf(text, access.apiUrl);
    const answer = await http.ask({ path, does: 'issue', about: 'issue', except: GONE });
    if (GONE.includes(answer.statusCode)) return undefined;
    const found = http.formed(Issue, answer, 'issue');
    return found.pull_request ? undefined : { path, issue: shown(repository, found) };
  }

  return {
    whoAmI: async () => (await http.read(User, { path: '/user', does: 'account', about: 'connection' })).login,

    async projects({ search, page, limit }) {
      const wanted = (page + 1) * limit;
      const words = search?.trim().toLowerCase() ?? '';
      const found: TrackerProject[] = [];
      let hasMore = true;
      for (let at = 1; hasMore && at <= LIMITS.repositoryPages && found.length <= wanted; at += 1) {
        const path = `/user/repos${query({ per_page: LIMITS.repositoriesPerPage, page: at, sort: 'full_name' })}`;
        const answer = await http.ask({ path, does: 'repositories', about: 'connection' });
        for (const repository of http.formed(Repositories, answer, 'repositories')) {
          const { full_name: name, has_issues: hasIssues, archived } = repository;
          if (hasIssues !== false && archived !== true && name.toLowerCase().includes(words))
            found.push({ id: name, key: name, name });
        }
        hasMore = hasNext(answer);
      }
      const projects = found.slice(page * limit, wanted);
      return { projects, hasMore: found.length > wanted, total: hasMore ? undefined : found.length };
    },

    async issueTypes(projectId) {
      const path = `/repos/${repositoryPath(projectId)}`;
      const { has_issues: hasIssues } = await http.read(Repository, {
        path,
        does: 'repository',
        about: 'project',
      });
      if (hasIssues === false) throw issuesDisabled(projectId);
      return [{ id: 'issue', name: 'Issue' }];
    },

    async create({ projectId, title, text, marker }) {
      const body = { title: titleOf(title), body: markedMarkdownOf(text, marker, LIMITS.bodyCharacters) };
      const path = `/repos/${repositoryPath(projectId)}/issues`;
      const purpose = { does: 'new issue', about: 'project' } as const;
      const answer = await http.ask({ ...purpose, method: 'POST', path, body, except: GONE });
      if (answer.statusCode === ISSUES_DISABLED) throw issuesDisabled(projectId);
      if (GONE.includes(answer.statusCode)) throw http.problemOf({ ...answer, statusCode: NOT_FOUND }, purpose);
      return shown(projectId, http.formed(Issue, answer, purpose.does));
    },

    async findCreated({ projectId, marker, since }) {
      // `since` compares the time of the last change, which is never before the creation.
      const after = new Date(since - TRACKER_LIMITS.clockMilliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
      for (let page = 1; page <= LIMITS.issuePages; page += 1) {
        const order = { state: 'all', sort: 'created', direction: 'desc' };
        const path = `/repos/${repositoryPath(projectId)}/issues${query({ ...order, since: after, per_page: LIMITS.issuesPerPage, page })}`;
        const answer = await http.ask({ path, does: 'issues', about: 'project' });
        const issues = http.formed(Issues, answer, 'issues');
        // People may copy an issue with its marker. The original is the oldest.
        const found = issues.findLast((one) => !one.pull_request && one.body?.includes(markerComment(marker)));
        if (found) return shown(projectId, found);
        if (!hasNext(answer)) return undefined;
      }
      return undefined;
    },

    get: async (text) => (await find(text))?.issue,

    async comment(text, blocks) {
      const body = { body: markdownOf(blocks, LIMITS.bodyCharacters) };
      const { path } = whereOf(text, access.apiUrl);
      await http.ask({ method: 'POST', path: `${path}/comments`, body, does: 'comment', about: 'issue' });
    },

    async close(text) {
      const purpose = { does: `issue ${http.plain(text)}`, about: 'issue' } as const;
      const { path, issue } = (await find(text)) ?? http.refuseMissing(purpose);
      if (issue.state === 'done') return;
      const body = { state: 'closed', state_reason: 'completed' };
      await http.ask({ method: 'PATCH', path, body, does: 'closing', about: 'issue' });
    },
  };
}

const NOT_FOUND = 404;
/**
 * GitHub answers 410 to a new issue if issues are disabled in the repository, and to requests about a deleted issue.
 */
const ISSUES_DISABLED = 410;
/** GitHub redirects from a repository that was renamed, or an issue that was moved. Redirects are not followed. */
const GONE: readonly number[] = [301, 307, 308, NOT_FOUND, ISSUES_DISABLED];

const dialectOf = ({ token }: TrackerAccess) => ({
  name: 'GitHub',
  credential: 'token',
  permission: 'It needs the permission to read and write issues of this repository',
  headers: {
    Accept: 'application/vnd.github+json',
    Authorization: `Bearer ${token}`,
    'X-GitHub-Api-Version': '2022-11-28',
  },
  secrets: [token],
  said: saidIn,
  /** GitHub reports most rate limits with status 403, and a header or an error message about the limit. */
  isLimit: ({ statusCode, headers, json }: TrackerAnswer) =>
    statusCode === 403 &&
    (headers['retry-after'] !== undefined ||
      headers['x-ratelimit-remaining'] === '0' ||
      /rate limit|abuse/i.test(saidIn(json))),
  // Secondary limits do not change these headers.
  limitEnds: (headers: TrackerAnswer['headers']) =>
    headers['x-ratelimit-remaining'] === '0' ? epochOf(headers['x-ratelimit-reset'], 'seconds') : undefined,
});

const saidIn = (json: unknown): string => Refusal.safeParse(json).data?.message ?? '';

const hasNext = ({ headers }: TrackerAnswer): boolean => /rel="next"/.test(String(headers['link'] ?? ''));

const REPOSITORY = /^[\w-]{1,100}\/[\w.-]{1,100}$/;
const KEY = /^([\w-]{1,100}\/[\w.-]{1,100})#(\d{1,15})$/;

/** `https://api.github.com` belongs to `https://github.com`, and `https://host/api/v3` to `https://host`. */
const siteOf = (apiUrl: string): string => apiUrl.replace(/\/api\/v3$/, '').replace(/^(https?:\/\/)api\./, '$1');

function whereOf(text: string, apiUrl: string): { readonly repository: string; readonly path: string } {
  const [owner = '', name = '', area, issue = ''] = pageOf(text, siteOf(apiUrl))?.parts ?? [];
  const entered = area === 'issues' ? `${owner}/${name}#${issue}` : text.trim();
  const [, repository = '', number = ''] = KEY.exec(entered) ?? [];
  if (repository === '') throw noKey('GitHub', text, 'owner/name#12');
  return { repository, path: `/repos/${repositoryPath(repository)}/issues/${number}` };
}

function repositoryPath(repository: string): string {
  if (!REPOSITORY.test(repository))
    throw new TrackerProblem({ kind: 'missing' }, 'The repository is invalid. Enter a GitHub repository as owner/name');
  return repository.split('/').map(part).join('/');
}

const issuesDisabled = (repository: string) =>
  new TrackerProblem(
    { kind: 'invalid' },
    `Issues are disabled in the repository ${repository} on GitHub. Enable them in its settings, or choose another repository`,
    ISSUES_DISABLED,
  );

function shown(repository: string, issue: ReadIssue): TrackerIssue {
  const isDone = issue.state === 'closed';
  return {
    key: `${repository}#${issue.number}`,
    url: issue.html_url,
    title: issue.title,
    state: isDone ? 'done' : 'open',
    stateName: isDone ? (issue.state_reason === 'not_planned' ? 'Closed as not planned' : 'Closed') : 'Open',
  };
}
