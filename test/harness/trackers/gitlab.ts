/** A fake of GitLab's REST API for issues, as documented by GitLab. */
import * as z from 'zod';
import type { Received } from '#test/harness/receiver.ts';
import {
  type Answer,
  FIRST_PROJECT_NAME,
  type Refusals,
  type StoredIssue,
  TrackerStandIn,
  targetOf,
} from './stand-in.ts';

const PROJECT = 'acme/web/shop';

const Creation = z.strictObject({
  title: z.string().min(1).max(255),
  description: z.string().max(1_048_576),
  issue_type: z.enum(['issue', 'incident', 'test_case', 'task']),
});
const Note = z.strictObject({ body: z.string().min(1).max(1_000_000) });
const Change = z.strictObject({ state_event: z.enum(['close', 'reopen']) });
const MOST_ON_PAGE = 100;
const PER_PAGE = 20;
const RESET_SECONDS = 42;

export class GitlabStandIn extends TrackerStandIn {
  readonly kind = 'gitlab';
  readonly name = 'GitLab';
  readonly token = 'glpat-Xy7Kq2Lm5Np7RtUvWx9Z';
  readonly project = PROJECT;
  readonly typeId = 'issue';

  get url(): string {
    return `${this.origin}/api/v4`;
  }

  readonly pagesOf = (key: string): readonly string[] => {
    const [project, number] = key.split('#');
    const pages = [`-/issues/${number}`, `-/work_items/${number}#note_1`, `issues/${number}`];
    return pages.map((page) => `${this.origin}/${project}/${page}`);
  };

  protected get refusals(): Refusals {
    return {
      unauthorized: { status: 401, body: { message: '401 Unauthorized' } },
      forbidden: {
        status: 403,
        body: { error: 'insufficient_scope', error_description: 'The request requires higher privileges.' },
      },
      missing: { status: 404, body: { message: '404 Project Not Found' } },
      limited: {
        status: 429,
        body: { message: 'This endpoint has been requested too many times. Try again later.' },
        headers: {
          'RateLimit-Limit': '600',
          'RateLimit-Remaining': '0',
          'RateLimit-Reset': String(Math.floor(this.now() / 1000) + RESET_SECONDS),
        },
      },
      broken: { status: 500, body: { message: '500 Internal Server Error' } },
    };
  }

  protected answerTo(received: Received): Answer {
    const { method, header, body } = received;
    if (header('private-token') !== this.token) return this.refusals.unauthorized;
    const { path, parameters } = targetOf(received, '/api/v4');
    if (method === 'GET' && path === '/user') return ok({ id: 1, username: 'rundown-bot' });
    if (method === 'GET' && path === '/projects') return this.#projects(parameters);
    const [, project = '', rest = ''] = /^\/projects\/([^/]+)(\/.*)?$/.exec(path) ?? [];
    if (decodeURIComponent(project) !== PROJECT) return this.refusals.missing;
    if (method === 'GET' && rest === '') return ok(this.#project());
    // If issues are disabled, GitLab answers as if a permission were missing.
    if (this.areIssuesDisabled)
      return method === 'POST' ? { status: 403, body: { message: '403 Forbidden' } } : this.refusals.missing;
    const [, number, more = ''] = /^\/issues(?:\/(\d+))?(\/notes)?$/.exec(rest) ?? ['', 'none'];
    if (number === undefined) return method === 'POST' ? this.#create(body) : this.#list(parameters);
    const issue = this.issue(`${PROJECT}#${number}`);
    if (!issue) return { status: 404, body: { message: '404 Issue Not Found' } };
    if (more !== '') return note(issue, body);
    return method === 'PUT' ? this.#change(issue, body) : ok(this.#shown(issue));
  }

  #project() {
    return {
      id: 7,
      path_with_namespace: PROJECT,
      name_with_namespace: `Acme / Web / ${FIRST_PROJECT_NAME}`,
      issues_enabled: !this.areIssuesDisabled,
      issues_access_level: this.areIssuesDisabled ? 'disabled' : 'enabled',
    };
  }

  #projects(parameters: URLSearchParams): Answer {
    const words = parameters.get('search')?.toLowerCase() ?? '';
    const others = ['acme/docs', 'acme/infra'].map((one) => ({ path_with_namespace: one, name_with_namespace: one }));
    const all = [...others, this.#project()];
    return paged(
      all.filter((one) => one.path_with_namespace.includes(words)),
      parameters,
    );
  }

  #create(body: string): Answer {
    const { data } = Creation.safeParse(JSON.parse(body));
    if (!data) return { status: 400, body: { message: { title: ['is invalid'] } } };
    const issue: StoredIssue = {
      key: `${PROJECT}#${this.stored.length + 1}`,
      project: PROJECT,
      type: data.issue_type,
      title: data.title,
      text: data.description,
      labels: [],
      fields: {},
      comments: [],
      createdAt: this.now(),
      state: 'open',
    };
    this.stored.push(issue);
    return { status: 201, body: this.#shown(issue) };
  }

  #list(parameters: URLSearchParams): Answer {
    const after = Date.parse(parameters.get('created_after') ?? '1970-01-01T00:00:00Z');
    const state = parameters.get('state') ?? 'all';
    const found = this.issues().filter(
      (one) => one.createdAt >= after && (state === 'all' || (one.state === 'done') === (state === 'closed')),
    );
    const isAscending = parameters.get('sort') === 'asc';
    const sorted = isAscending ? found : found.toReversed();
    return paged(
      sorted.map((one) => this.#shown(one)),
      parameters,
    );
  }

  #change(issue: StoredIssue, body: string): Answer {
    const { data } = Change.safeParse(JSON.parse(body));
    if (!data) return { status: 400, body: { error: 'state_event does not have a valid value' } };
    issue.state = data.state_event === 'close' ? 'done' : 'open';
    return ok(this.#shown(issue));
  }

  #shown({ key, title, text, state }: StoredIssue) {
    const iid = Number(key.split('#')[1]);
    return {
      id: 1000 + iid,
      iid,
      web_url: `${this.origin}/${PROJECT}/-/issues/${iid}`,
      title,
      description: text,
      state: state === 'done' ? 'closed' : 'opened',
    };
  }
}

const ok = (body: object): Answer => ({ status: 200, body });

function note(issue: StoredIssue, body: string): Answer {
  const { data } = Note.safeParse(JSON.parse(body));
  if (!data) return { status: 400, body: { message: '400 Bad request - Note {:note=>["can\'t be blank"]}' } };
  issue.comments.push(data.body);
  return { status: 201, body: { id: issue.comments.length, body: data.body } };
}

function paged(all: readonly object[], parameters: URLSearchParams): Answer {
  const size = Math.min(Number(parameters.get('per_page') ?? PER_PAGE), MOST_ON_PAGE);
  const page = Number(parameters.get('page') ?? 1);
  const next = all.length > page * size ? String(page + 1) : '';
  const headers = { 'X-Total': String(all.length), 'X-Next-Page': next, 'X-Page': String(page) };
  return { status: 200, body: all.slice((page - 1) * size, page * size), headers };
}
