/** Issues of Jira Cloud, and of Jira Data Center from version 8.14 (the first with personal access tokens). */
import { type ApiAnswer, NOT_FOUND } from '#shared/hosts/api-client.ts';
import { toAdf } from '../text/adf.ts';
import { toWiki } from '../text/wiki.ts';
import { noKey, type PageAddress, parsePageAddress } from './issue-keys.ts';
import { createJiraIssue, type FormatText, toLabel } from './jira-new-issue.ts';
import {
  Account,
  AllProjects,
  Issue,
  IssueTypes,
  JIRA_LIMITS,
  type JiraProject,
  type JiraStatus,
  Projects,
  Refusal,
  SearchResult,
  Transitions,
} from './jira-wire.ts';
import { type Tracker, type TrackerAccess, type TrackerIssue, type TrackerNetwork, TrackerProblem } from './tracker.ts';
import { encodePart, formatQuery, formatTitle, TrackerHttp } from './tracker-http.ts';

export function openJira(access: TrackerAccess, network: TrackerNetwork): Tracker {
  const isCloud = access.account !== undefined;
  const site = access.apiUrl;
  const http = new TrackerHttp(makeDialect(access), `${site}/rest/api/${isCloud ? '3' : '2'}`, network);
  const formatText: FormatText = (text, last = []) =>
    isCloud ? toAdf(text, JIRA_LIMITS.textCharacters, last) : toWiki(text, JIRA_LIMITS.textCharacters, last);

  async function find(text: string): Promise<TrackerIssue | undefined> {
    const path = `/issue/${parseKey(text, site)}${formatQuery({ fields: 'summary,status' })}`;
    const answer = await http.ask({ path, subject: 'issue', about: 'issue', except: [NOT_FOUND] });
    if (answer.statusCode === NOT_FOUND) return undefined;
    const { key, fields } = http.parse(Issue, answer, 'issue');
    return {
      key,
      url: buildPageUrl(site, key),
      title: fields.summary,
      state: toState(fields.status),
      stateName: fields.status.name,
    };
  }

  /** The issue exists already, so the creation must not fail because its state cannot be read. */
  async function readNewIssue(key: string, title: string): Promise<TrackerIssue> {
    const unread = { key, url: buildPageUrl(site, key), title, state: 'open', stateName: 'Open' } as const;
    try {
      return (await find(key)) ?? unread;
    } catch (error) {
      if (error instanceof TrackerProblem) return unread;
      throw error;
    }
  }

  return {
    async whoAmI() {
      const account = await http.read(Account, {
        path: '/myself',
        subject: 'account',
        about: 'connection',
      });
      return account.displayName ?? account.name ?? 'Jira account';
    },

    async projects({ search, page, limit }) {
      if (!isCloud) return pickProjectPage(await http.read(AllProjects, ALL_PROJECTS), search, page * limit, limit);
      const parameters = { query: search, startAt: page * limit, maxResults: limit, orderBy: 'name', action: 'create' };
      const path = `/project/search${formatQuery(parameters)}`;
      const answer = await http.read(Projects, { path, subject: 'projects', about: 'connection' });
      const { values, total, isLast } = answer;
      const seenCount = page * limit + values.length;
      const hasMore = isLast === undefined ? seenCount < (total ?? 0) : !isLast;
      return { projects: values, hasMore, total };
    },

    async issueTypes(projectId) {
      const path = `/issue/createmeta/${encodePart(projectId)}/issuetypes${formatQuery({ maxResults: JIRA_LIMITS.perPage })}`;
      const { issueTypes, values = [] } = await http.read(IssueTypes, {
        path,
        subject: 'issue types',
        about: 'project',
      });
      // A subtask needs another issue as its parent.
      return (issueTypes ?? values).filter(({ subtask }) => subtask !== true).map(({ id, name }) => ({ id, name }));
    },

    async create(issue) {
      const key = await createJiraIssue(http, issue, formatText);
      return readNewIssue(key, formatTitle(issue.title));
    },
    /**
     * Jira's index may find a new issue only minutes after its creation. The text search also returns similar texts, so
     * the issues are checked for the marker.
     */
    async findCreated({ marker }) {
      const label = toLabel(marker);
      const jql = `labels = "${label}" OR description ~ "${marker}" ORDER BY created ASC`;
      const body = { jql, fields: ['labels', 'description'], maxResults: 20 };
      const path = isCloud ? '/search/jql' : '/search';
      const { issues } = await http.read(SearchResult, {
        method: 'POST',
        path,
        body,
        subject: 'search',
        about: 'project',
      });
      const match = issues.find(
        ({ fields }) => fields.labels?.includes(label) || JSON.stringify(fields.description ?? '').includes(marker),
      );
      return match && find(match.key);
    },

    get: find,

    async comment(text, blocks) {
      const path = `/issue/${parseKey(text, site)}/comment`;
      await http.ask({ method: 'POST', path, body: { body: formatText(blocks) }, subject: 'comment', about: 'issue' });
    },

    async close(text) {
      const call = { subject: 'closing', about: 'issue' } as const;
      const issue = (await find(text)) ?? http.refuseMissing(call);
      if (issue.state === 'done') return;
      const path = `/issue/${encodePart(issue.key)}/transitions`;
      const { transitions } = await http.read(Transitions, { ...call, path });
      const toDone = transitions.find(({ to }) => toState(to) === 'done');
      if (!toDone) {
        const problem = `The workflow of ${issue.key} in Jira has no transition from ${issue.stateName} to a done status, or the account may not use that transition. Close the issue in Jira, or give the account the permission to transition issues`;
        throw new TrackerProblem({ kind: 'invalid' }, problem);
      }
      await http.ask({ ...call, method: 'POST', path, body: { transition: { id: toDone.id } } });
    },
  };
}

function makeDialect({ account, token }: TrackerAccess) {
  const basic = Buffer.from(`${account}:${token}`).toString('base64');
  return {
    name: 'Jira',
    credential: account === undefined ? 'personal access token' : 'email address with its API token',
    permission:
      'Its account needs the permissions to browse the project, and to create, comment on and transition issues',
    headers: { Authorization: account === undefined ? `Bearer ${token}` : `Basic ${basic}` },
    secrets: [token, basic],
    acceptsEmpty: true as const,
    extractMessage,
    parseLimitEnd: (headers: ApiAnswer['headers']) => {
      const ends = Date.parse(String(headers['x-ratelimit-reset'] ?? ''));
      return Number.isNaN(ends) ? undefined : ends;
    },
  };
}

function extractMessage(json: unknown): string {
  const { errorMessages = [], errors = {}, message } = Refusal.safeParse(json).data ?? {};
  const fields = Object.entries(errors).map(([field, problem]) => `${field}: ${problem}`);
  return [...errorMessages, ...fields, message].filter((text) => text !== undefined).join(' ');
}

/** Data Center lists all projects at once. */
const ALL_PROJECTS = { path: '/project', subject: 'projects', about: 'connection' } as const;

function pickProjectPage(all: readonly JiraProject[], search: string | undefined, from: number, limit: number) {
  const words = search?.trim().toLowerCase() ?? '';
  const matches = all.filter(({ key, name }) => `${key} ${name}`.toLowerCase().includes(words));
  const end = from + limit;
  return { projects: matches.slice(from, end), total: matches.length, hasMore: matches.length > end };
}

const KEY = /^[A-Z][A-Z0-9_]{0,99}-\d{1,15}$/;

/** The address of an issue contains `browse/SHOP-12` or `issues/SHOP-12`, that of a board `selectedIssue=SHOP-12`. */
function parseKey(text: string, site: string): string {
  const page = parsePageAddress(text, site);
  const enteredKey = page ? readKeyOfPage(page) : text;
  const key = enteredKey.trim().toUpperCase();
  if (!KEY.test(key)) throw noKey('Jira', text, 'SHOP-12');
  return key;
}

function readKeyOfPage({ parts, query }: PageAddress): string {
  const selectedKey = query.get('selectedIssue');
  if (selectedKey !== null) return selectedKey;
  const area = parts.findLastIndex((part) => part === 'browse' || part === 'issues');
  return area < 0 ? '' : (parts[area + 1] ?? '');
}

const buildPageUrl = (site: string, key: string): string => `${site}/browse/${encodePart(key)}`;

function toState({ statusCategory }: JiraStatus): TrackerIssue['state'] {
  if (statusCategory?.key === 'done') return 'done';
  return statusCategory?.key === 'indeterminate' ? 'inProgress' : 'open';
}
