/** Issues of projects on GitLab. */
import { type ApiAnswer, FORBIDDEN, NOT_FOUND } from '#shared/hosts/api-client.ts';
import { makeGitlabDialect } from '#shared/hosts/gitlab-wire.ts';
import { formatMarkerComment, toMarkdown, toMarkedMarkdown } from '../text/markdown.ts';
import { type GitlabIssue, type GitlabProject, Issue, Issues, Project, Projects, User } from './gitlab-wire.ts';
import { noKey, parsePageAddress } from './issue-keys.ts';
import { type Tracker, type TrackerAccess, type TrackerIssue, type TrackerNetwork, TrackerProblem } from './tracker.ts';
import { encodePart, formatQuery, formatTitle, TRACKER_LIMITS, type TrackerCall, TrackerHttp } from './tracker-http.ts';

const LIMITS = {
  /** GitLab refuses a text of more than 1,048,576 characters. */
  textCharacters: 1_000_000,
  /** At most this many pages of issues of this size are searched for the marker. */
  issuePages: 10,
  issuesPerPage: 50,
} as const;

export function openGitlab(access: TrackerAccess, network: TrackerNetwork): Tracker {
  const http = new TrackerHttp(makeDialect(access), access.apiUrl, network);

  const readProject = (projectId: string) => {
    const path = `/projects/${toProjectPath(projectId)}`;
    return http.read(Project, { path, subject: 'project', about: 'project' });
  };

  /** GitLab answers 403 or 404, as if a permission were missing, if issues are disabled in the project. */
  async function askIssues(projectId: string, call: TrackerCall): Promise<ApiAnswer> {
    const answer = await http.ask({ ...call, except: HIDDEN });
    if (!HIDDEN.includes(answer.statusCode)) return answer;
    if (isDisabled(await readProject(projectId))) throw issuesDisabled(projectId, answer.statusCode);
    throw http.explainRefusal(answer, call);
  }

  async function find(text: string): Promise<{ readonly path: string; readonly issue: TrackerIssue } | undefined> {
    const { projectId, path } = locateIssue(text, access.apiUrl);
    const answer = await http.ask({ path, subject: 'issue', about: 'issue', except: [NOT_FOUND] });
    if (answer.statusCode === NOT_FOUND) return undefined;
    return { path, issue: toTrackerIssue(projectId, http.parse(Issue, answer, 'issue')) };
  }

  return {
    whoAmI: async () => (await http.read(User, { path: '/user', subject: 'account', about: 'connection' })).username,

    async projects({ search, page, limit }) {
      const order = {
        membership: 'true',
        archived: 'false',
        with_issues_enabled: 'true',
        order_by: 'path',
        sort: 'asc',
      };
      const path = `/projects${formatQuery({ ...order, search, search_namespaces: 'true', per_page: limit, page: page + 1 })}`;
      const answer = await http.ask({ path, subject: 'projects', about: 'connection' });
      const gitlabProjects = http.parse(Projects, answer, 'projects');
      const projects = gitlabProjects.map(({ path_with_namespace: id, name_with_namespace: name }) => ({
        id,
        key: id,
        name,
      }));
      // GitLab does not count more than 10,000 projects.
      const total = answer.headers['x-total'];
      return {
        projects,
        hasMore: hasNext(answer),
        total: typeof total === 'string' && /^\d+$/.test(total) ? Number(total) : undefined,
      };
    },

    async issueTypes(projectId) {
      if (isDisabled(await readProject(projectId))) throw issuesDisabled(projectId, FORBIDDEN);
      return TYPES;
    },

    async create({ projectId, typeId = 'issue', title, text, marker }) {
      if (!TYPES.some(({ id }) => id === typeId))
        throw new TrackerProblem(
          { kind: 'invalid' },
          'Rundown cannot create GitLab issues of this type. Choose issue or incident',
        );
      const description = toMarkedMarkdown(text, marker, LIMITS.textCharacters);
      const body = { title: escapeTitle(title), description, issue_type: typeId };
      const path = `/projects/${toProjectPath(projectId)}/issues`;
      const call = { method: 'POST', path, body, subject: 'new issue', about: 'project' } as const;
      return toTrackerIssue(projectId, http.parse(Issue, await askIssues(projectId, call), call.subject));
    },

    /**
     * Reads the newest issues instead of searching for the marker. GitLab's search does not find HTML comments if the
     * server uses the full-text index of its database.
     */
    async findCreated({ projectId, marker, since }) {
      const after = new Date(since - TRACKER_LIMITS.clockMilliseconds).toISOString();
      for (let page = 1; page <= LIMITS.issuePages; page += 1) {
        const order = { scope: 'all', state: 'all', order_by: 'created_at', sort: 'desc', created_after: after };
        const path = `/projects/${toProjectPath(projectId)}/issues${formatQuery({ ...order, per_page: LIMITS.issuesPerPage, page })}`;
        const answer = await askIssues(projectId, { path, subject: 'issues', about: 'project' });
        // People may copy an issue with its marker. The original is the oldest.
        const issues = http.parse(Issues, answer, 'issues');
        const original = issues.findLast(({ description }) => description?.includes(formatMarkerComment(marker)));
        if (original) return toTrackerIssue(projectId, original);
        if (!hasNext(answer)) return undefined;
      }
      return undefined;
    },

    get: async (text) => (await find(text))?.issue,

    async comment(text, blocks) {
      const { path } = locateIssue(text, access.apiUrl);
      const body = { body: toMarkdown(blocks, LIMITS.textCharacters) };
      await http.ask({ method: 'POST', path: `${path}/notes`, body, subject: 'comment', about: 'issue' });
    },

    async close(text) {
      const { path, issue } = (await find(text)) ?? http.refuseMissing({ subject: 'issue', about: 'issue' });
      if (issue.state === 'done') return;
      const body = { state_event: 'close' };
      await http.ask({ method: 'PUT', path, body, subject: 'closing', about: 'issue' });
    },
  };
}

const HIDDEN: readonly number[] = [FORBIDDEN, NOT_FOUND];
const TYPES = [
  { id: 'issue', name: 'Issue' },
  { id: 'incident', name: 'Incident' },
] as const;

const makeDialect = ({ token }: TrackerAccess) => ({
  ...makeGitlabDialect(token),
  name: 'GitLab',
  credential: 'access token',
  permission: 'It needs the scope api and at least the role Planner or Reporter in the project',
  headers: { 'PRIVATE-TOKEN': token },
});

const hasNext = ({ headers }: ApiAnswer): boolean => (headers['x-next-page'] ?? '') !== '';

/**
 * GitLab recognizes mentions, references, emoji and addresses in titles, where Markdown cannot escape them. So the
 * characters that begin them are replaced by their full-width forms, which look similar.
 */
const escapeTitle = (title: string): string =>
  formatTitle(title).replaceAll(/[@#!~%$&^:](?=[^\s@#!~%$&^:])|\[(?=[a-z_]+:)/g, (sign) =>
    String.fromCharCode(sign.charCodeAt(0) + WIDE),
  );
/** The distance between the code points of an ASCII character and of its full-width form. */
const WIDE = 0xfee0;

const isDisabled = (project: GitlabProject): boolean =>
  project.issues_access_level === 'disabled' || project.issues_enabled === false;

const issuesDisabled = (projectId: string, statusCode: number) =>
  new TrackerProblem(
    { kind: 'invalid' },
    `Issues are disabled in the project ${projectId} on GitLab. Enable them in its settings, or choose another project`,
    statusCode,
  );

const PROJECT = /^[\w.][\w.-]{0,254}(?:\/[\w.][\w.-]{0,254}){1,20}$/;

const toSiteUrl = (apiUrl: string): string => apiUrl.replace(/\/api\/v4$/, '');

function locateIssue(text: string, apiUrl: string): { readonly projectId: string; readonly path: string } {
  const [projectId = '', number = ''] = splitIssueKey(text, apiUrl);
  if (!PROJECT.test(projectId) || !/^\d{1,15}$/.test(number)) throw noKey('GitLab', text, 'group/project#12');
  return { projectId, path: `/projects/${toProjectPath(projectId)}/issues/${number}` };
}

/** The path of a page is `group/project/-/issues/12` or `…/-/work_items/12`, formerly `group/project/issues/12`. */
function splitIssueKey(text: string, apiUrl: string): readonly string[] {
  const parts = parsePageAddress(text, toSiteUrl(apiUrl))?.parts;
  if (!parts) return text.trim().split('#');
  const area = parts.findLastIndex((one) => one === 'issues' || one === 'work_items');
  const end = parts[area - 1] === '-' ? area - 1 : area;
  return area < 0 ? [] : [parts.slice(0, end).join('/'), parts[area + 1] ?? ''];
}

function toProjectPath(projectId: string): string {
  if (PROJECT.test(projectId)) return encodePart(projectId);
  throw new TrackerProblem(
    { kind: 'missing' },
    'The project is invalid. Enter the path of a GitLab project, such as group/project',
  );
}

function toTrackerIssue(projectId: string, issue: GitlabIssue): TrackerIssue {
  const isDone = issue.state === 'closed';
  return {
    key: `${projectId}#${issue.iid}`,
    url: issue.web_url,
    title: issue.title,
    state: isDone ? 'done' : 'open',
    stateName: isDone ? 'Closed' : 'Open',
  };
}
