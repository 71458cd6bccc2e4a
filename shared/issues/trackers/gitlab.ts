/** Issues of projects on GitLab. */
import { markdownOf, markedMarkdownOf, markerComment } from '../text/markdown.ts';
import { Issue, Issues, Project, Projects, type ReadIssue, type ReadProject, Refusal, User } from './gitlab-wire.ts';
import { noKey, pageOf } from './issue-keys.ts';
import { type Tracker, type TrackerAccess, type TrackerIssue, type TrackerNetwork, TrackerProblem } from './tracker.ts';
import {
  epochOf,
  part,
  query,
  TRACKER_LIMITS,
  type TrackerAnswer,
  type TrackerCall,
  TrackerHttp,
  titleOf,
} from './tracker-http.ts';

const LIMITS = {
  /** GitLab refuses a text of more than 1,048,576 characters. */
  textCharacters: 1_000_000,
  /** At most this many pages of issues of this size are searched for the marker. */
  issuePages: 10,
  issuesPerPage: 50,
} as const;

export function gitlab(access: TrackerAccess, network: TrackerNetwork): Tracker {
  const http = new TrackerHttp(dialectOf(access), access.apiUrl, network);

  const project = (projectId: string) => {
    const path = `/projects/${projectPath(projectId)}`;
    return http.read(Project, { path, does: 'project', about: 'project' });
  };

  /**
   * If issues are disabled in a project, GitLab answers 403 or 404 to requests about them, as if a permission were
   * missing.
   */
  async function askIssues(projectId: string, call: TrackerCall): Promise<TrackerAnswer> {
    const answer = await http.ask({ ...call, except: HIDDEN });
    if (!HIDDEN.includes(answer.statusCode)) return answer;
    if (isDisabled(await project(projectId))) throw issuesDisabled(projectId, answer.statusCode);
    throw http.problemOf(answer, call);
  }

  async function find(text: string): Promise<{ readonly path: string; readonly issue: TrackerIssue } | undefined> {
    const { projectId, path } = whereOf(text, access.apiUrl);
    const answer = await http.ask({ path, does: 'issue', about: 'issue', except: [NOT_FOUND] });
    if (answer.statusCode === NOT_FOUND) return undefined;
    return { path, issue: shown(projectId, http.formed(Issue, answer, 'issue')) };
  }

  return {
    whoAmI: async () => (await http.read(User, { path: '/user', does: 'account', about: 'connection' })).username,

    async projects({ search, page, limit }) {
      const order = {
        membership: 'true',
        archived: 'false',
        with_issues_enabled: 'true',
        order_by: 'path',
        sort: 'asc',
      };
      const path = `/projects${query({ ...order, search, search_namespaces: 'true', per_page: limit, page: page + 1 })}`;
      const answer = await http.ask({ path, does: 'projects', about: 'connection' });
      const found = http.formed(Projects, answer, 'projects');
      const projects = found.map(({ path_with_namespace: id, name_with_namespace: name }) => ({ id, key: id, name }));
      // GitLab does not count more than 10,000 projects.
      const total = answer.headers['x-total'];
      return {
        projects,
        hasMore: hasNext(answer),
        total: typeof total === 'string' && /^\d+$/.test(total) ? Number(total) : undefined,
      };
    },

    async issueTypes(projectId) {
      if (isDisabled(await project(projectId))) throw issuesDisabled(projectId, FORBIDDEN);
      return TYPES;
    },

    async create({ projectId, typeId = 'issue', title, text, marker }) {
      if (!TYPES.some(({ id }) => id === typeId))
        throw new TrackerProblem(
          { kind: 'invalid' },
          'Rundown cannot create GitLab issues of this type. Choose issue or incident',
        );
      const description = markedMarkdownOf(text, marker, LIMITS.textCharacters);
      const body = { title: inertTitle(title), description, issue_type: typeId };
      const path = `/projects/${projectPath(projectId)}/issues`;
      const call = { method: 'POST', path, body, does: 'new issue', about: 'project' } as const;
      return shown(projectId, http.formed(Issue, await askIssues(projectId, call), call.does));
    },

    /**
     * Reads the newest issues instead of searching for the marker. GitLab's search does not find HTML comments if the
     * server uses the full-text index of its database.
     */
    async findCreated({ projectId, marker, since }) {
      const after = new Date(since - TRACKER_LIMITS.clockMilliseconds).toISOString();
      for (let page = 1; page <= LIMITS.issuePages; page += 1) {
        const order = { scope: 'all', state: 'all', order_by: 'created_at', sort: 'desc', created_after: after };
        const path = `/projects/${projectPath(projectId)}/issues${query({ ...order, per_page: LIMITS.issuesPerPage, page })}`;
        const answer = await askIssues(projectId, { path, does: 'issues', about: 'project' });
        // People may copy an issue with its marker. The original is the oldest.
        const issues = http.formed(Issues, answer, 'issues');
        const found = issues.findLast(({ description }) => description?.includes(markerComment(marker)));
        if (found) return shown(projectId, found);
        if (!hasNext(answer)) return undefined;
      }
      return undefined;
    },

    get: async (text) => (await find(text))?.issue,

    async comment(text, blocks) {
      const { path } = whereOf(text, access.apiUrl);
      const body = { body: markdownOf(blocks, LIMITS.textCharacters) };
      await http.ask({ method: 'POST', path: `${path}/notes`, body, does: 'comment', about: 'issue' });
    },

    async close(text) {
      const { path, issue } = (await find(text)) ?? http.refuseMissing({ does: 'issue', about: 'issue' });
      if (issue.state === 'done') return;
      const body = { state_event: 'close' };
      await http.ask({ method: 'PUT', path, body, does: 'closing', about: 'issue' });
    },
  };
}

const FORBIDDEN = 403;
const NOT_FOUND = 404;
const HIDDEN: readonly number[] = [FORBIDDEN, NOT_FOUND];
const TYPES = [
  { id: 'issue', name: 'Issue' },
  { id: 'incident', name: 'Incident' },
] as const;

const dialectOf = ({ token }: TrackerAccess) => ({
  name: 'GitLab',
  credential: 'access token',
  permission: 'It needs the scope api and at least the role Planner or Reporter in the project',
  headers: { 'PRIVATE-TOKEN': token },
  secrets: [token],
  said: saidIn,
  limitEnds: (headers: TrackerAnswer['headers']) => epochOf(headers['ratelimit-reset'], 'seconds'),
});

function saidIn(json: unknown): string {
  const { message, error } = Refusal.safeParse(json).data ?? {};
  const said = message ?? error ?? '';
  return typeof said === 'string' ? said : JSON.stringify(said);
}

const hasNext = ({ headers }: TrackerAnswer): boolean => (headers['x-next-page'] ?? '') !== '';

/**
 * GitLab recognizes mentions, references, emoji and addresses in titles, where Markdown cannot escape them. So the
 * characters that begin them are replaced by their full-width forms, which look similar.
 */
const inertTitle = (title: string): string =>
  titleOf(title).replaceAll(/[@#!~%$&^:](?=[^\s@#!~%$&^:])|\[(?=[a-z_]+:)/g, (sign) =>
    String.fromCharCode(sign.charCodeAt(0) + WIDE),
  );
/** The distance between the code points of an ASCII character and of its full-width form. */
const WIDE = 0xfee0;

const isDisabled = (project: ReadProject): boolean =>
  project.issues_access_level === 'disabled' || project.issues_enabled === false;

const issuesDisabled = (projectId: string, statusCode: number) =>
  new TrackerProblem(
    { kind: 'invalid' },
    `Issues are disabled in the project ${projectId} on GitLab. Enable them in its settings, or choose another project`,
    statusCode,
  );

const PROJECT = /^[\w.][\w.-]{0,254}(?:\/[\w.][\w.-]{0,254}){1,20}$/;

const siteOf = (apiUrl: string): string => apiUrl.replace(/\/api\/v4$/, '');

function whereOf(text: string, apiUrl: string): { readonly projectId: string; readonly path: string } {
  const [projectId = '', number = ''] = enteredIn(text, apiUrl);
  if (!PROJECT.test(projectId) || !/^\d{1,15}$/.test(number)) throw noKey('GitLab', text, 'group/project#12');
  return { projectId, path: `/projects/${projectPath(projectId)}/issues/${number}` };
}

/**
 * Returns the project and the number of an entered issue. The path of an issue page is `group/project/-/issues/12` or
 * `…/-/work_items/12`, and in old versions `group/project/issues/12`.
 */
function enteredIn(text: string, apiUrl: string): readonly string[] {
  const parts = pageOf(text, siteOf(apiUrl))?.parts;
  if (!parts) return text.trim().split('#');
  const area = parts.findLastIndex((one) => one === 'issues' || one === 'work_items');
  const end = parts[area - 1] === '-' ? area - 1 : area;
  return area < 0 ? [] : [parts.slice(0, end).join('/'), parts[area + 1] ?? ''];
}

function projectPath(projectId: string): string {
  if (PROJECT.test(projectId)) return part(projectId);
  throw new TrackerProblem(
    { kind: 'missing' },
    'The project is invalid. Enter the path of a GitLab project, such as group/project',
  );
}

function shown(projectId: string, issue: ReadIssue): TrackerIssue {
  const isDone = issue.state === 'closed';
  return {
    key: `${projectId}#${issue.iid}`,
    url: issue.web_url,
    title: issue.title,
    state: isDone ? 'done' : 'open',
    stateName: isDone ? 'Closed' : 'Open',
  };
}
