/** Issues of teams in Linear. */
import { createHash } from 'node:crypto';
import type * as z from 'zod';
import { type ApiAnswer, BAD_REQUEST, parseEpoch } from '#shared/hosts/api-client.ts';
import type { IssueState } from '#shared/model/issues/known-issue.ts';
import { toMarkdown } from '../text/markdown.ts';
import { noKey, parsePageAddress } from './issue-keys.ts';
import {
  CreatedComment,
  CreatedIssue,
  Data,
  Failures,
  ISSUE,
  type LinearFailure,
  type LinearIssue,
  type LinearTeams,
  OneIssue,
  Team,
  Teams,
  UpdatedIssue,
  Viewer,
  Workflow,
} from './linear-wire.ts';
import {
  type Tracker,
  type TrackerAccess,
  type TrackerIssue,
  type TrackerNetwork,
  TrackerProblem,
  type TrackerProject,
} from './tracker.ts';
import { formatTitle, type Purpose, TrackerHttp } from './tracker-http.ts';

const LIMITS = {
  textCharacters: 60_000,
  /** Teams are read in this many pages of this size at most. */
  teamPages: 10,
  teamsPerPage: 100,
} as const;

interface LinearOperation extends Purpose {
  readonly document: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

export function openLinear(access: TrackerAccess, network: TrackerNetwork): Tracker {
  const http = new TrackerHttp(makeDialect(access), access.apiUrl.replace(/\/graphql$/, ''), network);

  /** Returns `undefined` if the team or the issue does not exist. */
  async function tryRun<Schema extends z.ZodType>(
    schema: Schema,
    operation: LinearOperation,
  ): Promise<z.output<Schema> | undefined> {
    const { document, variables = {}, subject, about } = operation;
    const body = { query: document, variables };
    const answer = await http.ask({ method: 'POST', path: '/graphql', body, subject, about, except: [BAD_REQUEST] });
    const failure = extractFailure(answer.json);
    const { data } = Data.parse(answer.json);
    // GraphQL may answer with data and errors: the operation was done, but not all of its result can be read.
    if (failure && Object.values(data ?? {}).some((value) => value != null)) {
      const problem = `Linear reported an error, but may have carried out the request (${subject}: ${http.quote(failure.message)}). Try again later`;
      throw new TrackerProblem({ kind: 'failed' }, problem);
    }
    if (failure?.message.startsWith('Entity not found')) return undefined;
    if (failure || answer.statusCode === BAD_REQUEST)
      throw http.explainRefusal({ ...answer, statusCode: toStatusCode(failure) }, operation);
    return http.parse(schema, { ...answer, json: data }, subject);
  }

  async function run<Schema extends z.ZodType>(schema: Schema, operation: LinearOperation): Promise<z.output<Schema>> {
    return (await tryRun(schema, operation)) ?? http.refuseMissing(operation);
  }

  const read = (id: string) =>
    tryRun(OneIssue, {
      document: `query Issue($id: String!) { issue(id: $id) { ${ISSUE} } }`,
      variables: { id },
      subject: 'issue',
      about: 'issue',
    });

  async function find(text: string): Promise<TrackerIssue | undefined> {
    const { key, workspace } = locateIssue(text, access.apiUrl);
    const issue = (await read(key))?.issue;
    if (!issue || issue.trashed) return undefined;
    // A pasted address of another workspace may have a key that exists in this one, too.
    if (workspace !== undefined && !issue.url.includes(`/${workspace}/issue/`)) throw noKey('Linear', text, 'ENG-12');
    return toTrackerIssue(issue);
  }

  return {
    async whoAmI() {
      const document = 'query Account { viewer { name } }';
      return (await run(Viewer, { document, subject: 'account', about: 'connection' })).viewer.name;
    },

    async projects({ search, page, limit }) {
      const end = (page + 1) * limit;
      const contains = { containsIgnoreCase: search?.trim() ?? '' };
      const filter = { or: [{ name: contains }, { key: contains }] };
      const matches: TrackerProject[] = [];
      let after: string | null = null;
      for (let at = 0; at < LIMITS.teamPages && matches.length <= end; at += 1) {
        const { teams }: LinearTeams = await run(Teams, {
          document:
            'query Teams($filter: TeamFilter, $first: Int, $after: String) { teams(filter: $filter, first: $first, after: $after) { nodes { id key name } pageInfo { hasNextPage endCursor } } }',
          variables: { filter, first: LIMITS.teamsPerPage, after },
          subject: 'teams',
          about: 'connection',
        });
        matches.push(...teams.nodes);
        after = (teams.pageInfo.hasNextPage && teams.pageInfo.endCursor) || null;
        if (after === null) break;
      }
      const projects = matches.slice(page * limit, end);
      return { projects, hasMore: matches.length > end, total: after === null ? matches.length : undefined };
    },

    async issueTypes(projectId) {
      const document = 'query Team($id: String!) { team(id: $id) { id } }';
      await run(Team, { document, variables: { id: projectId }, subject: 'team', about: 'project' });
      return [{ id: 'issue', name: 'Issue' }];
    },

    async create({ projectId, title, text, marker }) {
      const id = deriveIssueId(marker);
      const input = {
        id,
        teamId: projectId,
        title: formatTitle(title),
        description: toMarkdown(text, LIMITS.textCharacters),
      };
      const document = `mutation Create($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { ${ISSUE} } } }`;
      const operation = { document, variables: { input }, subject: 'new issue', about: 'project' } as const;
      try {
        return toTrackerIssue((await run(CreatedIssue, operation)).issueCreate.issue);
      } catch (error) {
        // Linear refuses an id that exists: an earlier request created the issue.
        if (!(error instanceof TrackerProblem) || !/conflict on insert|already exists/i.test(error.message))
          throw error;
        const earlierIssue = await read(id);
        if (!earlierIssue) throw error;
        return toTrackerIssue(earlierIssue.issue);
      }
    },

    async findCreated({ marker }) {
      const result = await read(deriveIssueId(marker));
      return result && toTrackerIssue(result.issue);
    },

    get: find,

    async comment(text, blocks) {
      const input = { issueId: locateIssue(text, access.apiUrl).key, body: toMarkdown(blocks, LIMITS.textCharacters) };
      const document = 'mutation Comment($input: CommentCreateInput!) { commentCreate(input: $input) { success } }';
      await run(CreatedComment, { document, variables: { input }, subject: 'comment', about: 'issue' });
    },

    async close(text) {
      const about = { subject: 'closing', about: 'issue' } as const;
      const trackerIssue = (await find(text)) ?? http.refuseMissing(about);
      if (trackerIssue.state === 'done') return;
      const { issue } = await run(Workflow, {
        ...about,
        document:
          'query States($id: String!) { issue(id: $id) { team { states(first: 100) { nodes { id name type position } } } } }',
        variables: { id: trackerIssue.key },
      });
      const doneState = issue.team.states.nodes
        .filter(({ type }) => type === 'completed')
        .toSorted((one, other) => one.position - other.position)[0];
      if (!doneState) {
        const problem = `The team of ${trackerIssue.key} in Linear has no status of the type Completed. Add one in the settings of the team`;
        throw new TrackerProblem({ kind: 'invalid' }, problem);
      }
      await run(UpdatedIssue, {
        ...about,
        document:
          'mutation Close($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }',
        variables: { id: trackerIssue.key, input: { stateId: doneState.id } },
      });
    },
  };
}

const makeDialect = ({ token }: TrackerAccess) => ({
  name: 'Linear',
  credential: 'API key',
  permission: 'It needs the permissions Read and Write in the team of the issue',
  // Only tokens of OAuth have the prefix `Bearer`.
  headers: { Authorization: token },
  secrets: [token],
  extractMessage: (json: unknown) => {
    const failure = extractFailure(json);
    return failure ? [failure.message, failure.extensions?.userPresentableMessage ?? ''].join(' ').trim() : '';
  },
  /** Linear answers 400 to requests over its rate limit. */
  isLimit: ({ json }: ApiAnswer) => extractFailure(json)?.extensions?.code === 'RATELIMITED',
  parseLimitEnd: (headers: ApiAnswer['headers']) => {
    const ends = LIMIT_NAMES.filter((limitName) => headers[`x-ratelimit-${limitName}-remaining`] === '0')
      .map((limitName) => parseEpoch(headers[`x-ratelimit-${limitName}-reset`], 'milliseconds'))
      .filter((end) => end !== undefined);
    return ends.length === 0 ? undefined : Math.max(...ends);
  },
});

const LIMIT_NAMES = ['requests', 'endpoint-requests', 'complexity'] as const;

const extractFailure = (json: unknown): LinearFailure | undefined => Failures.safeParse(json).data?.errors[0];

/** The status code that a REST API would send. */
function toStatusCode(failure: LinearFailure | undefined): number {
  switch (failure?.extensions?.code) {
    case 'AUTHENTICATION_ERROR':
      return 401;
    case 'FORBIDDEN':
      return 403;
    case 'INTERNAL_SERVER_ERROR':
    case 'LOCK_TIMEOUT':
      return 500;
    default:
      return failure?.extensions?.statusCode ?? BAD_REQUEST;
  }
}

/** A UUID of version 4, which Linear requires. The same marker gives the same id, so no issue is created twice. */
function deriveIssueId(marker: string): string {
  const hex = createHash('sha256').update(`rundown issue ${marker}`).digest('hex');
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const KEY = /^[A-Z][A-Z0-9]{0,19}-\d{1,15}$/;

/** The address of an issue page looks like `https://linear.app/workspace/issue/ENG-12/title`. */
function locateIssue(text: string, apiUrl: string) {
  const site = new URL(apiUrl).origin.replace(/^(https?:\/\/)api\./, '$1');
  const [workspace, area, issue = ''] = parsePageAddress(text, site)?.parts ?? [];
  const isPage = workspace !== undefined && area === 'issue';
  const key = (isPage ? issue : text).trim().toUpperCase();
  if (!KEY.test(key)) throw noKey('Linear', text, 'ENG-12');
  return { key, workspace: isPage ? workspace : undefined };
}

const toTrackerIssue = ({ identifier, url, title, state }: LinearIssue): TrackerIssue => ({
  key: identifier,
  url,
  title,
  state: STATES[state.type] ?? 'open',
  stateName: state.name,
});

const STATES: Readonly<Record<string, IssueState>> = {
  triage: 'open',
  backlog: 'open',
  unstarted: 'open',
  started: 'inProgress',
  completed: 'done',
  canceled: 'done',
  duplicate: 'done',
};
