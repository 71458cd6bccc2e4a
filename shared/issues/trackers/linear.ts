/** Issues of teams in Linear. */
import { createHash } from 'node:crypto';
import type * as z from 'zod';
import type { IssueState } from '#shared/model/tests/known-issue.ts';
import { markdownOf } from '../text/markdown.ts';
import { noKey, pageOf } from './issue-keys.ts';
import {
  CreatedComment,
  CreatedIssue,
  Data,
  type Failure,
  Failures,
  ISSUE,
  OneIssue,
  type ReadIssue,
  type ReadTeams,
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
import { epochOf, type Purpose, type TrackerAnswer, TrackerHttp, titleOf } from './tracker-http.ts';

const LIMITS = {
  textCharacters: 60_000,
  /** Teams are read in this many pages of this size at most. */
  teamPages: 10,
  teamsPerPage: 100,
} as const;

interface Operation extends Purpose {
  readonly document: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

export function linear(access: TrackerAccess, network: TrackerNetwork): Tracker {
  const http = new TrackerHttp(dialectOf(access), access.apiUrl.replace(/\/graphql$/, ''), network);

  /** Returns `undefined` if the team or the issue does not exist. */
  async function attempt<Schema extends z.ZodType>(
    schema: Schema,
    operation: Operation,
  ): Promise<z.output<Schema> | undefined> {
    const { document, variables = {}, does, about } = operation;
    const body = { query: document, variables };
    const answer = await http.ask({ method: 'POST', path: '/graphql', body, does, about, except: [BAD_REQUEST] });
    const failure = failureIn(answer.json);
    const { data } = Data.parse(answer.json);
    // GraphQL may answer with data and errors: the operation was done, but not all of its result can be read.
    if (failure && Object.values(data ?? {}).some((value) => value != null)) {
      const problem = `Linear reported an error, but may have carried out the request (${does}: ${http.plain(failure.message)}). Try again later`;
      throw new TrackerProblem({ kind: 'failed' }, problem);
    }
    if (failure?.message.startsWith('Entity not found')) return undefined;
    if (failure || answer.statusCode === BAD_REQUEST)
      throw http.problemOf({ ...answer, statusCode: statusOf(failure) }, operation);
    return http.formed(schema, { ...answer, json: data }, does);
  }

  async function run<Schema extends z.ZodType>(schema: Schema, operation: Operation): Promise<z.output<Schema>> {
    return (await attempt(schema, operation)) ?? http.refuseMissing(operation);
  }

  const read = (id: string) =>
    attempt(OneIssue, {
      document: `query Issue($id: String!) { issue(id: $id) { ${ISSUE} } }`,
      variables: { id },
      does: 'issue',
      about: 'issue',
    });

  async function find(text: string): Promise<TrackerIssue | undefined> {
    const { key, workspace } = whereOf(text, access.apiUrl);
    const issue = (await read(key))?.issue;
    if (!issue || issue.trashed) return undefined;
    // A pasted address of another workspace may have a key that exists in this one, too.
    if (workspace !== undefined && !issue.url.includes(`/${workspace}/issue/`)) throw noKey('Linear', text, 'ENG-12');
    return shown(issue);
  }

  return {
    async whoAmI() {
      const document = 'query Account { viewer { name } }';
      return (await run(Viewer, { document, does: 'account', about: 'connection' })).viewer.name;
    },

    async projects({ search, page, limit }) {
      const wanted = (page + 1) * limit;
      const contains = { containsIgnoreCase: search?.trim() ?? '' };
      const filter = { or: [{ name: contains }, { key: contains }] };
      const found: TrackerProject[] = [];
      let after: string | null = null;
      for (let at = 0; at < LIMITS.teamPages && found.length <= wanted; at += 1) {
        const { teams }: ReadTeams = await run(Teams, {
          document:
            'query Teams($filter: TeamFilter, $first: Int, $after: String) { teams(filter: $filter, first: $first, after: $after) { nodes { id key name } pageInfo { hasNextPage endCursor } } }',
          variables: { filter, first: LIMITS.teamsPerPage, after },
          does: 'teams',
          about: 'connection',
        });
        found.push(...teams.nodes);
        after = (teams.pageInfo.hasNextPage && teams.pageInfo.endCursor) || null;
        if (after === null) break;
      }
      const projects = found.slice(page * limit, wanted);
      return { projects, hasMore: found.length > wanted, total: after === null ? found.length : undefined };
    },

    async issueTypes(projectId) {
      const document = 'query Team($id: String!) { team(id: $id) { id } }';
      await run(Team, { document, variables: { id: projectId }, does: 'team', about: 'project' });
      return [{ id: 'issue', name: 'Issue' }];
    },

    async create({ projectId, title, text, marker }) {
      const id = idFrom(marker);
      const input = {
        id,
        teamId: projectId,
        title: titleOf(title),
        description: markdownOf(text, LIMITS.textCharacters),
      };
      const document = `mutation Create($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { ${ISSUE} } } }`;
      const operation = { document, variables: { input }, does: 'new issue', about: 'project' } as const;
      try {
        return shown((await run(CreatedIssue, operation)).issueCreate.issue);
      } catch (error) {
        // Linear refuses an id that exists: an earlier request created the issue.
        if (!(error instanceof TrackerProblem) || !/conflict on insert|already exists/i.test(error.message))
          throw error;
        const existing = await read(id);
        if (!existing) throw error;
        return shown(existing.issue);
      }
    },

    async findCreated({ marker }) {
      const found = await read(idFrom(marker));
      return found && shown(found.issue);
    },

    get: find,

    async comment(text, blocks) {
      const input = { issueId: whereOf(text, access.apiUrl).key, body: markdownOf(blocks, LIMITS.textCharacters) };
      const document = 'mutation Comment($input: CommentCreateInput!) { commentCreate(input: $input) { success } }';
      await run(CreatedComment, { document, variables: { input }, does: 'comment', about: 'issue' });
    },

    async close(text) {
      const about = { does: 'closing', about: 'issue' } as const;
      const found = (await find(text)) ?? http.refuseMissing(about);
      if (found.state === 'done') return;
      const { issue } = await run(Workflow, {
        ...about,
        document:
          'query States($id: String!) { issue(id: $id) { team { states(first: 100) { nodes { id name type position } } } } }',
        variables: { id: found.key },
      });
      const done = issue.team.states.nodes
        .filter(({ type }) => type === 'completed')
        .toSorted((one, other) => one.position - other.position)[0];
      if (!done) {
        const problem = `The team of ${found.key} in Linear has no status of the type Completed. Add one in the settings of the team`;
        throw new TrackerProblem({ kind: 'invalid' }, problem);
      }
      await run(UpdatedIssue, {
        ...about,
        document:
          'mutation Close($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }',
        variables: { id: found.key, input: { stateId: done.id } },
      });
    },
  };
}

const BAD_REQUEST = 400;

const dialectOf = ({ token }: TrackerAccess) => ({
  name: 'Linear',
  credential: 'API key',
  permission: 'It needs the permissions Read and Write in the team of the issue',
  // Only tokens of OAuth have the prefix `Bearer`.
  headers: { Authorization: token },
  secrets: [token],
  said: (json: unknown) => {
    const failure = failureIn(json);
    return failure ? [failure.message, failure.extensions?.userPresentableMessage ?? ''].join(' ').trim() : '';
  },
  /** Linear answers 400 to requests over its rate limit. */
  isLimit: ({ json }: TrackerAnswer) => failureIn(json)?.extensions?.code === 'RATELIMITED',
  limitEnds: (headers: TrackerAnswer['headers']) => {
    const ends = LIMITED.filter((limited) => headers[`x-ratelimit-${limited}-remaining`] === '0')
      .map((limited) => epochOf(headers[`x-ratelimit-${limited}-reset`], 'milliseconds'))
      .filter((end) => end !== undefined);
    return ends.length === 0 ? undefined : Math.max(...ends);
  },
});

const LIMITED = ['requests', 'endpoint-requests', 'complexity'] as const;

const failureIn = (json: unknown): Failure | undefined => Failures.safeParse(json).data?.errors[0];

/** The status code that a REST API would send. */
function statusOf(failure: Failure | undefined): number {
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
function idFrom(marker: string): string {
  const hex = createHash('sha256').update(`rundown issue ${marker}`).digest('hex');
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const KEY = /^[A-Z][A-Z0-9]{0,19}-\d{1,15}$/;

/**
 * Returns the key of an entered issue, and the workspace that a pasted address names. The address of an issue page looks
 * like `https://linear.app/workspace/issue/ENG-12/title`.
 */
function whereOf(text: string, apiUrl: string) {
  const site = new URL(apiUrl).origin.replace(/^(https?:\/\/)api\./, '$1');
  const [workspace, area, issue = ''] = pageOf(text, site)?.parts ?? [];
  const isPage = workspace !== undefined && area === 'issue';
  const key = (isPage ? issue : text).trim().toUpperCase();
  if (!KEY.test(key)) throw noKey('Linear', text, 'ENG-12');
  return { key, workspace: isPage ? workspace : undefined };
}

const shown = ({ identifier, url, title, state }: ReadIssue): TrackerIssue => ({
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
