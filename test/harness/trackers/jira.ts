/** A fake of Jira Cloud (REST API 3) and of Jira Data Center (REST API 2), as documented by Atlassian. */
import * as z from 'zod';
import type { Received } from '#test/harness/receiver.ts';
import { AdfDocument, textOfAdf } from './adf-schema.ts';
import {
  type Answer,
  FIRST_PROJECT_NAME,
  type Refusals,
  type StoredIssue,
  TrackerStandIn,
  targetOf,
} from './stand-in.ts';

type Flavor = 'cloud' | 'data center';

const PROJECT = { id: '10000', key: 'SHOP', name: FIRST_PROJECT_NAME };
const PROJECTS = [PROJECT, { id: '10001', key: 'INFRA', name: 'Infrastructure' }];
const TYPES = [
  { id: '10004', name: 'Bug', subtask: false },
  { id: '10002', name: 'Task', subtask: false },
  { id: '10003', name: 'Sub-task', subtask: true },
];
const STATES = {
  open: { name: 'To Do', category: 'new' },
  inProgress: { name: 'In Review', category: 'indeterminate' },
  done: { name: 'Released', category: 'done' },
} as const;
const TRANSITIONS = { '11': 'open', '21': 'inProgress', '31': 'done' } as const;

const TITLE_CHARACTERS = 255;
const TEXT_CHARACTERS = 32_767;

const Creation = z.strictObject({ fields: z.record(z.string(), z.unknown()) });
const Comment = z.strictObject({ body: z.unknown() });
const Reference = z.union([
  z.strictObject({ id: z.string() }),
  z.strictObject({ key: z.string() }),
  z.strictObject({ name: z.string() }),
]);
const Transition = z.strictObject({ transition: z.strictObject({ id: z.enum(['11', '21', '31']) }) });
const Search = z.strictObject({ jql: z.string(), fields: z.array(z.string()), maxResults: z.int().max(100) });
const MARKED = /^labels = "([^"\\]+)" OR description ~ "([^"\\]+)" ORDER BY created ASC$/;

export interface RequiredField {
  readonly name: string;
  /** `document` is a text with several lines, which Cloud accepts only as an Atlassian document. */
  readonly type: 'string' | 'document' | 'number' | 'option' | 'array';
  readonly options?: readonly { readonly id: string; readonly value: string }[];
}

export class JiraStandIn extends TrackerStandIn {
  readonly kind = 'jira';
  readonly name = 'Jira';
  readonly project = PROJECT.id;
  readonly typeId = '10004';
  readonly token: string;
  override readonly account: string | undefined;
  /** The fields that the project requires, by id. */
  readonly required = new Map<string, RequiredField>();
  /** Whether the project's screen for new issues has no field for labels. */
  refusesLabels = false;
  /** Whether the workflow has a transition to a done status. */
  canBeDone = true;
  readonly #flavor: Flavor;
  #lastNumber = 0;

  constructor(flavor: Flavor) {
    super();
    this.#flavor = flavor;
    this.account = flavor === 'cloud' ? 'bot@shop.example' : undefined;
    this.token = flavor === 'cloud' ? 'ATATT3xFfGF0T4kJ8sd9Kq2Lm5Np7Rt' : 'MzE0NTY3ODkwMTIzOpersonalAccessToken';
  }

  get #path(): string {
    return this.#flavor === 'cloud' ? '' : '/jira';
  }

  get url(): string {
    return `${this.origin}${this.#path}`;
  }

  readonly pagesOf = (key: string): readonly string[] => [
    `${this.url}/browse/${key}`,
    `${this.url}/browse/${key}?focusedCommentId=10100#comment-10100`,
    `${this.url}/projects/SHOP/issues/${key}?filter=allopenissues`,
    `${this.url}/software/c/projects/SHOP/boards/1?selectedIssue=${key}`,
  ];

  protected readonly refusals: Refusals = {
    unauthorized: {
      status: 401,
      body: { message: 'Client must be authenticated to access this resource.', 'status-code': 401 },
    },
    forbidden: refusal(403, 'You do not have permission.'),
    missing: refusal(404, 'Issue does not exist or you do not have permission to see it.'),
    limited: {
      status: 429,
      body: { message: 'Rate limit exceeded.' },
      headers: { 'Retry-After': '17', 'X-RateLimit-Remaining': '0', 'RateLimit-Reason': 'jira-burst-based' },
    },
    broken: { status: 503, body: { message: 'Service unavailable' } },
  };

  protected answerTo(received: Received): Answer {
    const { method, header, body } = received;
    const expected =
      this.account === undefined
        ? `Bearer ${this.token}`
        : `Basic ${Buffer.from(`${this.account}:${this.token}`).toString('base64')}`;
    if (header('authorization') !== expected) return this.refusals.unauthorized;
    if (method !== 'GET' && header('content-type') !== 'application/json')
      return refusal(415, 'Unsupported Media Type');
    const { path, parameters } = targetOf(received, `${this.#path}/rest/api/${this.#flavor === 'cloud' ? 3 : 2}`);
    const [, area, first = '', rest = ''] = /^\/(\w+)(?:\/([^/]+))?(?:\/(.+))?$/.exec(path) ?? [];
    const json: unknown = method === 'GET' ? undefined : JSON.parse(body);
    if (method === 'GET' && path === '/myself') return ok({ displayName: 'Rundown Bot', name: 'rundown-bot' });
    if (area === 'project') return this.#projects(method, first, parameters);
    if (area === 'search') return this.#search(method, first, json);
    if (area !== 'issue') return refusal(404, 'null for uri');
    if (method === 'POST' && first === '') return this.#create(json);
    if (method === 'GET' && first === 'createmeta') return this.#meta(rest, parameters);
    return this.#ofIssue(method, this.issue(first.toUpperCase()), rest, json);
  }

  #projects(method: string, name: string, parameters: URLSearchParams): Answer {
    if (method !== 'GET') return refusal(405, 'Method Not Allowed');
    if (this.#flavor === 'data center') return name === '' ? ok(PROJECTS) : refusal(404, 'null for uri');
    if (name !== 'search') return refusal(404, 'null for uri');
    const words = parameters.get('query')?.toLowerCase() ?? '';
    const start = Number(parameters.get('startAt') ?? 0);
    const size = Number(parameters.get('maxResults') ?? 50);
    const all = PROJECTS.filter((one) => `${one.key} ${one.name}`.toLowerCase().includes(words));
    const isLast = start + size >= all.length;
    return ok({ startAt: start, maxResults: size, total: all.length, isLast, values: all.slice(start, start + size) });
  }

  #meta(rest: string, parameters: URLSearchParams): Answer {
    const [, project = '', issueType] = /^([^/]+)\/issuetypes(?:\/([^/]+))?$/.exec(rest) ?? [];
    if (!PROJECTS.some(({ id, key }) => id === project || key === project))
      return refusal(404, 'No project could be found with key or id.');
    const page = { startAt: 0, maxResults: Number(parameters.get('maxResults') ?? 50) };
    const list = (name: string, values: readonly object[]) =>
      ok({ ...page, total: values.length, [this.#flavor === 'cloud' ? name : 'values']: values });
    if (issueType === undefined) return list('issueTypes', TYPES);
    const own = [...this.required].map(([fieldId, { name, type, options }]) => ({
      fieldId,
      name,
      required: true,
      schema: { type: type === 'document' ? 'string' : type, customId: 10_010 },
      ...(options ? { allowedValues: options } : {}),
    }));
    return list('fields', [{ fieldId: 'summary', name: 'Summary', required: true }, ...own]);
  }

  #create(json: unknown): Answer {
    const { data } = Creation.safeParse(json);
    if (!data) return refusal(400, 'Invalid request payload. Refer to the REST API documentation and try again.');
    const { project, issuetype, summary, description, labels = [], ...others } = data.fields;
    const errors: Record<string, string> = {};
    const found = PROJECTS.find((one) => isDeepSame(project, { id: one.id }) || isDeepSame(project, { key: one.key }));
    if (!found || this.areIssuesDisabled) errors['project'] = 'valid project is required';
    const type = TYPES.find(({ id, name }) => isDeepSame(issuetype, { id }) || isDeepSame(issuetype, { name }));
    if (!type || !Reference.safeParse(issuetype).success) errors['issuetype'] = 'Specify a valid issue type';
    Object.assign(errors, this.#wrongTexts(summary, description));
    const names = z.array(z.string().regex(/^\S{1,255}$/)).safeParse(labels);
    if (!names.success) errors['labels'] = 'The label is invalid because it contains spaces.';
    if (this.refusesLabels && 'labels' in data.fields) errors['labels'] = notOnScreen('labels');
    for (const field of Object.keys(others)) if (!this.required.has(field)) errors[field] = notOnScreen(field);
    for (const [field, { name, type: form }] of this.required) {
      const value = others[field];
      const problem = form === 'document' ? this.#problemOfText(value) : undefined;
      if (value == null) errors[field] = `${name} is required.`;
      else if (problem) errors[field] = problem;
      else if (form === 'number' && typeof value !== 'number') errors[field] = 'Operation value must be a number';
    }
    if (Object.keys(errors).length > 0) return { status: 400, body: { errorMessages: [], errors } };
    this.#lastNumber += 1;
    const key = `${found?.key}-${this.#lastNumber}`;
    this.stored.push({
      key,
      project: found?.id ?? '',
      type: type?.name ?? '',
      title: String(summary),
      text: storedText(description),
      labels: names.data ?? [],
      fields: others,
      comments: [],
      createdAt: this.now(),
      state: 'open',
    });
    return { status: 201, body: { id: '10100', key, self: `${this.url}/rest/api/2/issue/10100` } };
  }

  #wrongTexts(summary: unknown, description: unknown): Record<string, string> {
    const errors: Record<string, string> = {};
    if (typeof summary !== 'string' || summary.trim() === '')
      errors['summary'] = 'You must specify a summary of the issue.';
    else if (/[\r\n]/.test(summary))
      errors['summary'] = 'The summary is invalid because it contains newline characters.';
    else if (summary.length > TITLE_CHARACTERS) errors['summary'] = "Summary can't exceed 255 characters.";
    const problem = this.#problemOfText(description);
    if (problem) errors['description'] = problem;
    return errors;
  }

  #problemOfText(text: unknown): string | undefined {
    if (this.#flavor === 'data center') {
      if (typeof text !== 'string') return 'Operation value must be a string';
      return text.length > TEXT_CHARACTERS
        ? 'The entered text is too long. It exceeds the allowed limit of 32,767 characters.'
        : undefined;
    }
    const { data } = AdfDocument.safeParse(text);
    if (!data) return 'Operation value must be an Atlassian Document (see the Atlassian Document Format)';
    return textOfAdf(data).length > TEXT_CHARACTERS ? 'CONTENT_LIMIT_EXCEEDED' : undefined;
  }

  #search(method: string, name: string, json: unknown): Answer {
    // Cloud answers 410 to the search of Data Center, which was removed there.
    if (name !== (this.#flavor === 'cloud' ? 'jql' : '')) return refusal(410, 'The requested API has been removed.');
    const { data } = Search.safeParse(json);
    const [, label, words] = MARKED.exec(data?.jql ?? '') ?? [];
    if (method !== 'POST' || label === undefined || words === undefined) return refusal(400, 'Error in the JQL Query');
    const issues = this.issues().filter(({ labels, text }) => labels.includes(label) || text.includes(words));
    return ok({
      issues: issues.slice(0, data?.maxResults).map((issue) => this.#shown(issue, data?.fields ?? [])),
      isLast: true,
    });
  }

  #ofIssue(method: string, issue: StoredIssue | undefined, rest: string, json: unknown): Answer {
    if (!issue) return this.refusals.missing;
    if (rest === '')
      return method === 'GET' ? ok(this.#shown(issue, ['summary', 'status'])) : refusal(405, 'Method Not Allowed');
    if (rest === 'comment' && method === 'POST') {
      const { data } = Comment.safeParse(json);
      const problem = this.#problemOfText(data?.body);
      if (problem) return { status: 400, body: { errorMessages: [], errors: { comment: problem } } };
      issue.comments.push(storedText(data?.body));
      return { status: 201, body: { id: '10200' } };
    }
    if (rest !== 'transitions') return refusal(404, 'null for uri');
    const possible = Object.entries(TRANSITIONS).filter(([, to]) => this.canBeDone || to !== 'done');
    if (method === 'GET')
      return ok({
        transitions: possible.map(([id, to]) => ({ id, name: `Move to ${STATES[to].name}`, to: statusOf(to) })),
      });
    const { data } = Transition.safeParse(json);
    const chosen = possible.find(([id]) => id === data?.transition.id);
    if (!chosen) return refusal(400, 'It seems that you have tried to perform a workflow operation that is not valid.');
    issue.state = chosen[1];
    return { status: 204 };
  }

  #shown({ key, title, labels, text, state }: StoredIssue, fields: readonly string[]) {
    const description = this.#flavor === 'cloud' ? JSON.parse(text) : text;
    const all = Object.entries({ summary: title, status: statusOf(state), labels, description });
    return { id: '10100', key, fields: Object.fromEntries(all.filter(([name]) => fields.includes(name))) };
  }
}

const ok = (body: object): Answer => ({ status: 200, body });
const refusal = (status: number, message: string): Answer => ({
  status,
  body: { errorMessages: [message], errors: {} },
});

const notOnScreen = (field: string): string =>
  `Field '${field}' cannot be set. It is not on the appropriate screen, or unknown.`;

const statusOf = (state: StoredIssue['state']) => ({
  name: STATES[state].name,
  statusCategory: { key: STATES[state].category },
});

const storedText = (text: unknown): string => (typeof text === 'string' ? text : JSON.stringify(text));

const isDeepSame = (one: unknown, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);
