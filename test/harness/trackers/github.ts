/** A fake of GitHub's REST API for issues on an Enterprise Server, as documented by GitHub. */
import * as z from 'zod';
import type { Received } from '#test/harness/receiver.ts';
import { type Answer, type Refusals, type StoredIssue, TrackerStandIn, targetOf } from './stand-in.ts';

const REPOSITORY = 'acme/shop';

const Creation = z.strictObject({ title: z.string().min(1).max(256), body: z.string().max(65_536) });
const Comment = z.strictObject({ body: z.string().min(1).max(65_536) });
const Change = z.strictObject({
  state: z.enum(['open', 'closed']),
  state_reason: z.enum(['completed', 'not_planned', 'reopened']).optional(),
});
const MOST_ON_PAGE = 100;
const PER_PAGE = 30;
const RESET_SECONDS = 42;

export class GithubIssues extends TrackerStandIn {
  readonly kind = 'github';
  readonly name = 'GitHub';
  readonly token = 'github_pat_11BBBBBBB0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ01234';
  readonly project = REPOSITORY;
  readonly typeId = 'issue';
  #lastNumber = 0;
  /** Pull requests, which GitHub lists among the issues. */
  readonly pulls: { readonly number: number; readonly body: string }[] = [];

  get url(): string {
    return `${this.origin}/api/v3`;
  }

  readonly pagesOf = (key: string): readonly string[] => {
    const page = `${this.origin}/${key.replace('#', '/issues/')}`;
    return [page, `${page}?query=is%3Aopen`, `${page}#issuecomment-1`];
  };

  protected get refusals(): Refusals {
    return {
      unauthorized: refusal(401, 'Bad credentials'),
      forbidden: refusal(403, 'Resource not accessible by personal access token'),
      missing: refusal(404, 'Not Found'),
      // GitHub may answer 403 instead of 429 when the primary rate limit is reached.
      limited: {
        ...refusal(403, 'API rate limit exceeded for user ID 1.'),
        headers: {
          'X-RateLimit-Remaining': '0',
          'X-RateLimit-Reset': String(Math.floor(this.now() / 1000) + RESET_SECONDS),
        },
      },
      broken: refusal(502, 'Server Error'),
    };
  }

  addPull(body: string): void {
    this.#lastNumber += 1;
    this.pulls.push({ number: this.#lastNumber, body });
  }

  protected answerTo(received: Received): Answer {
    const { method, header, body } = received;
    if (!header('user-agent')) return refusal(403, 'Request forbidden by administrative rules.');
    if (header('authorization') !== `Bearer ${this.token}`) return this.refusals.unauthorized;
    if (header('x-github-api-version') !== '2022-11-28') return refusal(400, 'Unsupported API version');
    const { path, parameters } = targetOf(received, '/api/v3');
    if (method === 'GET' && path === '/user') return ok({ login: 'rundown-bot', id: 1 });
    if (method === 'GET' && path === '/user/repos') return this.#repositories(parameters, path);
    const [, repository = '', rest = ''] = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/.exec(path) ?? [];
    if (repository !== REPOSITORY) return this.refusals.missing;
    if (method === 'GET' && rest === '') return ok(this.#repository(REPOSITORY));
    const [, number, more = ''] = /^\/issues(?:\/(\d+))?(\/comments)?$/.exec(rest) ?? ['', 'none'];
    if (number === undefined) return method === 'POST' ? this.#create(body) : this.#list(parameters, path);
    const issue = this.issue(`${REPOSITORY}#${number}`);
    if (!issue) return this.#pullOr404(method, Number(number));
    if (more !== '') return method === 'POST' ? comment(issue, body) : this.refusals.missing;
    if (method === 'PATCH') return this.#change(issue, body);
    return ok(this.#shown(issue));
  }

  #repository(name: string) {
    return { full_name: name, has_issues: !this.areIssuesDisabled || name !== REPOSITORY, archived: false };
  }

  #repositories(parameters: URLSearchParams, path: string): Answer {
    const others = ['acme/docs', 'acme/infra'].map((name) => ({ full_name: name, has_issues: true, archived: false }));
    const unfit = { full_name: 'acme/wiki', has_issues: false, archived: false };
    const old = { full_name: 'acme/old', has_issues: true, archived: true };
    return paged([...others, old, this.#repository(REPOSITORY), unfit], parameters, path);
  }

  #create(body: string): Answer {
    if (this.areIssuesDisabled) return refusal(410, 'Issues has been disabled in this repository.');
    const { data } = Creation.safeParse(JSON.parse(body));
    if (!data) return refusal(422, 'Validation Failed');
    this.#lastNumber += 1;
    const issue: StoredIssue = {
      key: `${REPOSITORY}#${this.#lastNumber}`,
      project: REPOSITORY,
      type: 'issue',
      title: data.title,
      text: data.body,
      labels: [],
      fields: {},
      comments: [],
      createdAt: this.now(),
      state: 'open',
    };
    this.stored.push(issue);
    return { status: 201, body: this.#shown(issue) };
  }

  #list(parameters: URLSearchParams, path: string): Answer {
    if (this.areIssuesDisabled) return refusal(410, 'Issues has been disabled in this repository.');
    const since = Date.parse(parameters.get('since') ?? '1970-01-01T00:00:00Z');
    const state = parameters.get('state') ?? 'open';
    const issues = this.issues().filter(
      (one) => one.createdAt >= since && (state === 'all' || (one.state === 'done') === (state === 'closed')),
    );
    const all = [...issues.map((one) => this.#shown(one)), ...this.pulls.map(shownPull)];
    const isDescending = (parameters.get('direction') ?? 'desc') === 'desc';
    const sorted = all.toSorted((one, other) => (isDescending ? other.number - one.number : one.number - other.number));
    return paged(sorted, parameters, path);
  }

  #change(issue: StoredIssue, body: string): Answer {
    const { data } = Change.safeParse(JSON.parse(body));
    if (!data) return refusal(422, 'Validation Failed');
    issue.state = data.state === 'closed' ? 'done' : 'open';
    return ok(this.#shown(issue));
  }

  #pullOr404(method: string, number: number): Answer {
    const pull = this.pulls.find((one) => one.number === number);
    return pull && method === 'GET' ? ok(shownPull(pull)) : this.refusals.missing;
  }

  #shown({ key, title, text, state }: StoredIssue) {
    const number = Number(key.split('#')[1]);
    return {
      number,
      html_url: `${this.origin}/${REPOSITORY}/issues/${number}`,
      title,
      body: text,
      state: state === 'done' ? 'closed' : 'open',
      state_reason: state === 'done' ? 'completed' : null,
    };
  }
}

const ok = (body: object): Answer => ({ status: 200, body });
const refusal = (status: number, message: string): Answer => ({
  status,
  body: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
});

function comment(issue: StoredIssue, body: string): Answer {
  const { data } = Comment.safeParse(JSON.parse(body));
  if (!data) return refusal(422, 'Validation Failed');
  issue.comments.push(data.body);
  return { status: 201, body: { id: issue.comments.length, body: data.body } };
}

const shownPull = ({ number, body }: { readonly number: number; readonly body: string }) => ({
  number,
  html_url: `https://github.invalid/${REPOSITORY}/pull/${number}`,
  title: 'A pull request',
  body,
  state: 'open',
  state_reason: null,
  pull_request: { url: `https://github.invalid/api/v3/repos/${REPOSITORY}/pulls/${number}` },
});

function paged(all: readonly object[], parameters: URLSearchParams, path: string): Answer {
  const size = Math.min(Number(parameters.get('per_page') ?? PER_PAGE), MOST_ON_PAGE);
  const page = Number(parameters.get('page') ?? 1);
  const headers: Record<string, string> =
    all.length > page * size ? { Link: `<https://github.invalid${path}?page=${page + 1}>; rel="next"` } : {};
  return { status: 200, body: all.slice((page - 1) * size, page * size), headers };
}
