/** Issues of Jira Cloud, and of Jira Data Center from version 8.14 (the first with personal access tokens). */
import type { ApiAnswer } from '#shared/hosts/api-client.ts';
import { toAdf } from '../text/adf.ts';
import type { TextBlock } from '../text/blocks.ts';
import { toWiki } from '../text/wiki.ts';
import { noKey, parsePageAddress } from './issue-keys.ts';
import {
  Account,
  AllProjects,
  CreatedIssueKey,
  Fields,
  Issue,
  IssueTypes,
  type JiraField,
  type JiraProject,
  type JiraStatus,
  Projects,
  Refusal,
  SearchResult,
  Transitions,
} from './jira-wire.ts';
import {
  type NewTrackerIssue,
  type RefusedField,
  type Tracker,
  type TrackerAccess,
  type TrackerIssue,
  type TrackerNetwork,
  TrackerProblem,
} from './tracker.ts';
import { encodePart, formatQuery, formatTitle, TrackerHttp } from './tracker-http.ts';

const LIMITS = {
  /** Jira refuses a description or a comment of more than 32,767 characters. */
  textCharacters: 32_000,
  /** The maximum number of issue types and fields that are read. */
  perPage: 100,
} as const;

export function openJira(access: TrackerAccess, network: TrackerNetwork): Tracker {
  const isCloud = access.account !== undefined;
  const site = access.apiUrl;
  const http = new TrackerHttp(makeDialect(access), `${site}/rest/api/${isCloud ? '3' : '2'}`, network);
  const formatText = (text: readonly TextBlock[], last: readonly TextBlock[] = []) =>
    isCloud ? toAdf(text, LIMITS.textCharacters, last) : toWiki(text, LIMITS.textCharacters, last);

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
      const path = `/issue/createmeta/${encodePart(projectId)}/issuetypes${formatQuery({ maxResults: LIMITS.perPage })}`;
      const { issueTypes, values = [] } = await http.read(IssueTypes, {
        path,
        subject: 'issue types',
        about: 'project',
      });
      // A subtask needs another issue as its parent.
      return (issueTypes ?? values).filter(({ subtask }) => subtask !== true).map(({ id, name }) => ({ id, name }));
    },

    async create(issue) {
      const title = formatTitle(issue.title);
      const ownFields = { ...buildOwnFields(issue), summary: title };
      let extra: OptionalParts = { last: [], labels: [toLabel(issue.marker)], custom: buildCustomFields(issue) };
      for (let changes = 0; ; changes += 1) {
        const { last, labels, custom } = extra;
        const fields = {
          ...ownFields,
          description: formatText(issue.text, last),
          ...(labels ? { labels } : {}),
          ...custom,
        };
        const answer = await http.ask({
          method: 'POST',
          path: '/issue',
          body: { fields },
          subject: 'new issue',
          about: 'project',
          except: [BAD_REQUEST],
        });
        if (answer.statusCode !== BAD_REQUEST)
          return readNewIssue(http.parse(CreatedIssueKey, answer, 'new issue').key, title);
        const other = changes < MOST_CHANGES ? findAlternative(extra, issue, answer) : undefined;
        if (!other) throw await explainRefusal(http, issue, answer);
        extra = other;
      }
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

const BAD_REQUEST = 400;
const NOT_FOUND = 404;

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
  return [...errorMessages, ...fields, ...(message === undefined ? [] : [message])].join(' ');
}

function buildOwnFields({ projectId, typeId }: NewTrackerIssue) {
  if (typeId === undefined)
    throw new TrackerProblem(
      { kind: 'invalid' },
      'Jira requires an issue type. Choose one of the issue types of the project',
    );
  return {
    project: isNumber(projectId) ? { id: projectId } : { key: projectId },
    issuetype: isNumber(typeId) ? { id: typeId } : { name: typeId },
  };
}

const isNumber = (text: string): boolean => /^\d{1,18}$/.test(text);

const OWN_FIELDS = ['project', 'issuetype', 'summary', 'description', 'labels'];

function buildCustomFields({ customFields = [] }: NewTrackerIssue): Record<string, unknown> {
  const ownField = customFields.find(({ fieldId }) => OWN_FIELDS.includes(fieldId));
  if (ownField) {
    const problem = `Rundown sets the field ${ownField.fieldId} of Jira itself. Leave it out of customFields`;
    throw new TrackerProblem({ kind: 'invalid' }, problem);
  }
  return Object.fromEntries(customFields.map(({ fieldId, value }) => [fieldId, value]));
}

/** A label must not contain spaces, and Jira's text search splits a marker at punctuation. */
function toLabel(marker: string): string {
  if (!/^[A-Za-z0-9]+$/.test(marker)) throw new Error('A marker must consist of letters and digits');
  return `rundown-${marker}`;
}

/** The parts of a new issue that Jira may refuse in one form and accept in another. */
interface OptionalParts {
  readonly labels: readonly string[] | undefined;
  /** The last block of the description, which names the marker if no label does. */
  readonly last: readonly TextBlock[];
  readonly custom: Readonly<Record<string, unknown>>;
}

const MOST_CHANGES = 2;

/** A screen for new issues may lack labels. Jira Cloud takes a custom field with several lines only as a document. */
function findAlternative(
  { labels, last, custom }: OptionalParts,
  { marker }: NewTrackerIssue,
  { json }: ApiAnswer,
): OptionalParts | undefined {
  const { errorMessages = [], errors = {} } = Refusal.safeParse(json).data ?? {};
  const documents: Record<string, unknown> = {};
  let isOther = errorMessages.length > 0 || Object.keys(errors).length === 0;
  for (const [field, problem] of Object.entries(errors)) {
    const value = custom[field];
    if (typeof value === 'string' && problem.includes('Atlassian Document'))
      documents[field] = toAdf([toParagraph(value)], LIMITS.textCharacters);
    else if (field !== 'labels' || !labels) isOther = true;
  }
  if (isOther) return undefined;
  const newCustom = { ...custom, ...documents };
  if (!('labels' in errors)) return { labels, last, custom: newCustom };
  return { labels: undefined, last: [toParagraph(`Created by Rundown ${marker}`)], custom: newCustom };
}

const toParagraph = (text: string): TextBlock => ({ kind: 'paragraph', spans: [{ kind: 'text', text }] });

async function explainRefusal(http: TrackerHttp, issue: NewTrackerIssue, answer: ApiAnswer): Promise<TrackerProblem> {
  const { errors = {} } = Refusal.safeParse(answer.json).data ?? {};
  const call = { subject: 'new issue', about: 'project' } as const;
  if ('project' in errors) return http.explainRefusal({ ...answer, statusCode: NOT_FOUND }, call);
  const refusals = Object.entries(errors).filter(([field]) => field !== 'labels');
  if (refusals.length === 0) return http.explainRefusal(answer, call);
  const fieldsById = await readFields(http, issue);
  const problems = refusals.map(([id, problem]) => {
    const name = fieldsById.get(id)?.name;
    return `${http.quote(name === undefined ? id : `${name} (${id})`)}: ${http.quote(problem)}`;
  });
  const fields = refusals
    .filter(([fieldId]) => !OWN_FIELDS.includes(fieldId))
    .map(([fieldId]) => toRefusedField(http, fieldsById.get(fieldId) ?? { fieldId, name: fieldId }));
  const all = problems.map((text) => text.replace(/\.?$/, '.')).join(' ');
  const advice =
    fields.length === 0
      ? 'Change the project in Jira so that it accepts them'
      : 'Send an accepted value for each of these fields in customFields, or change the project in Jira so that it does not require them';
  const problem = `Jira does not accept the issue. ${all} ${advice}`;
  return new TrackerProblem({ kind: 'invalid', fields }, problem, answer.statusCode);
}

const MOST_OPTIONS = 100;

function toRefusedField(http: TrackerHttp, { fieldId, name, schema, allowedValues = [] }: JiraField): RefusedField {
  const options = allowedValues
    .slice(0, MOST_OPTIONS)
    .map((option) => ({ id: option.id, name: http.quote(option.value ?? option.name ?? option.id) }));
  const isList = schema?.type === 'array';
  const type = options.length > 0 ? (isList ? 'options' : 'option') : schema?.type === 'number' ? 'number' : 'text';
  return { fieldId, name: http.quote(name), type, options };
}

/** For error messages, because people know a field by its name. Empty if the fields cannot be read. */
async function readFields(
  http: TrackerHttp,
  { projectId, typeId }: NewTrackerIssue,
): Promise<ReadonlyMap<string, JiraField>> {
  const type = `/issue/createmeta/${encodePart(projectId)}/issuetypes/${encodePart(typeId ?? '')}`;
  const path = `${type}${formatQuery({ maxResults: LIMITS.perPage })}`;
  try {
    const { fields, values = [] } = await http.read(Fields, { path, subject: 'fields', about: 'project' });
    return new Map((fields ?? values).map((field) => [field.fieldId, field]));
  } catch (error) {
    if (error instanceof TrackerProblem) return new Map();
    throw error;
  }
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
  const area = page?.parts.findLastIndex((one) => one === 'browse' || one === 'issues') ?? -1;
  const enteredKey = page ? (page.query.get('selectedIssue') ?? (area < 0 ? '' : (page.parts[area + 1] ?? ''))) : text;
  const key = enteredKey.trim().toUpperCase();
  if (!KEY.test(key)) throw noKey('Jira', text, 'SHOP-12');
  return key;
}

const buildPageUrl = (site: string, key: string): string => `${site}/browse/${encodePart(key)}`;

function toState({ statusCategory }: JiraStatus): TrackerIssue['state'] {
  if (statusCategory?.key === 'done') return 'done';
  return statusCategory?.key === 'indeterminate' ? 'inProgress' : 'open';
}
