/**
 * A fake of Linear's GraphQL API, according to its published schema and its documentation of errors and rate limits.
 */
import * as z from 'zod';
import type { Received } from '#test/harness/receiver.ts';
import { type Operation, parseOperation, type Selection, Variable } from './graphql.ts';
import {
  type Answer,
  FIRST_PROJECT_NAME,
  type Refusals,
  type StoredIssue,
  TrackerStandIn,
  targetOf,
} from './stand-in.ts';

const TEAM = { id: '5f0c0f2e-6b2d-4c7a-9d3e-0a1b2c3d4e5f', key: 'ENG', name: FIRST_PROJECT_NAME };
const TEAMS = [TEAM, { id: '6f0c0f2e-6b2d-4c7a-9d3e-0a1b2c3d4e5f', key: 'OPS', name: 'Operations' }];
const STATES = [
  { id: '1a6c1d0e-0000-4000-8000-000000000001', name: 'Backlog', type: 'backlog', position: 0 },
  { id: '1a6c1d0e-0000-4000-8000-000000000002', name: 'In Review', type: 'started', position: 1 },
  { id: '1a6c1d0e-0000-4000-8000-000000000004', name: 'Archived', type: 'completed', position: 3 },
  { id: '1a6c1d0e-0000-4000-8000-000000000003', name: 'Released', type: 'completed', position: 2 },
  { id: '1a6c1d0e-0000-4000-8000-000000000005', name: 'Canceled', type: 'canceled', position: 4 },
] as const;
const STATE_NAMES = { open: 'Backlog', inProgress: 'In Review', done: 'Released' } as const;

type Types = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * The arguments of operations and of fields of objects, with their types in the schema. Operations and fields that are
 * not listed take no arguments here.
 */
const OF_OPERATIONS: Types = {
  issue: { id: 'String!' },
  team: { id: 'String!' },
  teams: { filter: 'TeamFilter', first: 'Int', after: 'String' },
  issueCreate: { input: 'IssueCreateInput!' },
  issueUpdate: { id: 'String!', input: 'IssueUpdateInput!' },
  commentCreate: { input: 'CommentCreateInput!' },
};
const OF_FIELDS: Types = { states: { first: 'Int' } };

const Body = z.strictObject({ query: z.string(), variables: z.record(z.string(), z.unknown()) });
const IssueInput = z.strictObject({
  id: z.uuidv4(),
  teamId: z.string(),
  title: z.string().min(1).max(512),
  description: z.string(),
});
const CommentInput = z.strictObject({ issueId: z.string(), body: z.string().min(1) });
const UpdateInput = z.strictObject({ stateId: z.string() });
const Contains = z.strictObject({ containsIgnoreCase: z.string() });
const TeamFilter = z.strictObject({
  or: z.tuple([z.strictObject({ name: Contains }), z.strictObject({ key: Contains })]),
});

const RESET_MILLISECONDS = 42_000;

type Arguments = Readonly<Record<string, unknown>>;

export class LinearStandIn extends TrackerStandIn {
  readonly kind = 'linear';
  readonly name = 'Linear';
  readonly token = 'lin_api_Xy7Kq2Lm5Np7RtUvWx9Za1Bc2De3Fg4Hi5Jk6Lm7';
  readonly project = TEAM.id;
  readonly typeId = 'issue';
  /** Whether the team has a state of the type `completed`. */
  canBeDone = true;
  /** Whether each response also contains an error, although the request was carried out. */
  isHalfBroken = false;
  readonly #ids = new Map<string, StoredIssue>();

  get url(): string {
    return `${this.origin}/graphql`;
  }

  readonly pagesOf = (key: string): readonly string[] => [
    `${this.origin}/acme/issue/${key}`,
    `${this.origin}/acme/issue/${key}/checkout-fails#comment-1`,
  ];

  protected get refusals(): Refusals {
    return {
      unauthorized: failure(401, 'AUTHENTICATION_ERROR', 'Authentication required, not authenticated'),
      forbidden: failure(200, 'FORBIDDEN', 'You do not have access to this resource'),
      missing: failure(200, 'INPUT_ERROR', 'Entity not found: Issue'),
      // Linear reports its rate limit with status 400.
      limited: {
        ...failure(400, 'RATELIMITED', 'Rate limit exceeded'),
        headers: {
          'X-RateLimit-Requests-Remaining': '0',
          'X-RateLimit-Requests-Reset': String(this.now() + RESET_MILLISECONDS),
          'X-RateLimit-Complexity-Remaining': '200000',
          'X-RateLimit-Complexity-Reset': String(this.now() + 2 * RESET_MILLISECONDS),
        },
      },
      broken: failure(200, 'INTERNAL_SERVER_ERROR', 'Internal server error'),
    };
  }

  protected answerTo(received: Received): Answer {
    const { method, header, body } = received;
    if (method !== 'POST' || targetOf(received, '').path !== '/graphql') return { status: 404, body: {} };
    if (header('authorization') !== this.token) return this.refusals.unauthorized;
    if (header('content-type') !== 'application/json') return failure(400, 'BAD_REQUEST', 'Unsupported content type');
    const { query, variables } = Body.parse(JSON.parse(body));
    try {
      const data = this.#run(parseOperation(query), variables);
      return { status: 200, body: { data, ...(this.isHalfBroken ? HALF_BROKEN : {}) } };
    } catch (error) {
      if (error instanceof Refused) return failure(error.status, error.code, error.message);
      throw error;
    }
  }

  #run({ kind, types, fields }: Operation, variables: Arguments): object {
    const data = fields.map((field) => {
      const args = argumentsOf(field, OF_OPERATIONS, types, variables);
      return [field.name, selected(this.#root(kind, field.name, args), field, types, variables)];
    });
    return Object.fromEntries(data);
  }

  #root(kind: string, name: string, args: Arguments): object {
    switch (`${kind} ${name}`) {
      case 'query viewer':
        return { name: 'Rundown Bot', email: 'bot@shop.example' };
      case 'query teams':
        return this.#teams(args);
      case 'query team':
        return TEAMS.find(({ id }) => id === args['id']) ?? notFound('Team');
      case 'query issue':
        return this.#shown(this.#find(args['id']));
      case 'mutation issueCreate':
        return this.#create(args['input']);
      case 'mutation issueUpdate':
        return this.#update(this.#find(args['id']), args['input']);
      case 'mutation commentCreate':
        return this.#comment(args['input']);
      default:
        throw new Refused(400, 'GRAPHQL_VALIDATION_FAILED', `Cannot query field "${name}".`);
    }
  }

  #find(id: unknown): StoredIssue {
    return this.issues().find((one) => one.key === id || this.#ids.get(String(id)) === one) ?? notFound('Issue');
  }

  #teams({ filter, first = 50 }: Arguments): object {
    const { or } = inputOf(TeamFilter, filter);
    const has = (text: string, { containsIgnoreCase }: z.output<typeof Contains>) =>
      text.toLowerCase().includes(containsIgnoreCase.toLowerCase());
    const nodes = TEAMS.filter(({ name, key }) => has(name, or[0].name) || has(key, or[1].key));
    return { nodes: nodes.slice(0, Number(first)), pageInfo: { hasNextPage: false, endCursor: null } };
  }

  #create(sent: unknown): object {
    const input = inputOf(IssueInput, sent);
    const team = TEAMS.find(({ id }) => id === input.teamId) ?? notFound('Team');
    if (this.areIssuesDisabled) throw new Refused(200, 'USAGE_LIMIT_EXCEEDED', 'Usage limit exceeded');
    if (this.#ids.has(input.id)) throw new Refused(200, 'INPUT_ERROR', 'conflict on insert of Issue');
    const issue: StoredIssue = {
      key: `${team.key}-${this.stored.length + 1}`,
      project: team.id,
      type: 'issue',
      title: input.title,
      text: input.description,
      labels: [],
      fields: {},
      comments: [],
      createdAt: this.now(),
      state: 'open',
    };
    this.stored.push(issue);
    this.#ids.set(input.id, issue);
    return { success: true, issue: this.#shown(issue) };
  }

  #update(issue: StoredIssue, sent: unknown): object {
    const state = STATES.find(({ id }) => id === inputOf(UpdateInput, sent).stateId) ?? notFound('WorkflowState');
    issue.state = state.type === 'completed' || state.type === 'canceled' ? 'done' : 'open';
    return { success: true, issue: { ...this.#shown(issue), state } };
  }

  #comment(sent: unknown): object {
    const { issueId, body } = inputOf(CommentInput, sent);
    this.#find(issueId).comments.push(body);
    return { success: true };
  }

  #shown(issue: StoredIssue): object {
    const nodes = STATES.filter(({ type }) => this.canBeDone || type !== 'completed');
    return {
      id: [...this.#ids].find(([, one]) => one === issue)?.[0],
      identifier: issue.key,
      url: `${this.origin}/acme/issue/${issue.key}/title`,
      title: issue.title,
      trashed: null,
      state: STATES.find(({ name }) => name === STATE_NAMES[issue.state]),
      team: { ...TEAM, states: { nodes } },
    };
  }
}

const HALF_BROKEN = {
  errors: [
    {
      message: 'Could not resolve state',
      path: ['issueCreate', 'issue', 'state'],
      extensions: { code: 'INPUT_ERROR' },
    },
  ],
};

class Refused extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

function notFound(entity: string): never {
  throw new Refused(200, 'INPUT_ERROR', `Entity not found: ${entity}`);
}

function inputOf<Schema extends z.ZodType>(schema: Schema, sent: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(sent);
  if (data === undefined) throw new Refused(400, 'INVALID_INPUT', `Argument Validation Error: ${error?.message}`);
  return data;
}

function failure(status: number, code: string, message: string): Answer {
  const userPresentableMessage = 'The message for people.';
  return {
    status,
    body: { errors: [{ message, extensions: { code, userError: true, userPresentableMessage } }], data: null },
  };
}

/** Checks the arguments of a field, and replaces variables with their values. */
function argumentsOf(
  { name, args }: Selection,
  all: Types,
  types: Operation['types'],
  variables: Arguments,
): Arguments {
  const known = all[name] ?? {};
  const missing = Object.entries(known).find(([argument, type]) => type.endsWith('!') && !(argument in args));
  if (missing)
    throw new Refused(400, 'GRAPHQL_VALIDATION_FAILED', `Field "${name}" argument "${missing[0]}" is required.`);
  const values = Object.entries(args).map(([argument, value]) => {
    if (!(argument in known)) throw new Refused(400, 'GRAPHQL_VALIDATION_FAILED', `Unknown argument "${argument}".`);
    if (!(value instanceof Variable)) return [argument, value];
    if (types[value.name] !== known[argument])
      throw new Refused(400, 'GRAPHQL_VALIDATION_FAILED', `Variable "$${value.name}" has the wrong type.`);
    return [argument, variables[value.name]];
  });
  return Object.fromEntries(values);
}

/** The selected fields of an object. */
function selected(value: unknown, selection: Selection, types: Operation['types'], variables: Arguments): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((one: unknown) => selected(one, selection, types, variables));
  const isObject = typeof value === 'object';
  if (isObject !== selection.fields.length > 0)
    throw new Refused(
      400,
      'GRAPHQL_VALIDATION_FAILED',
      `Field "${selection.name}" must have a selection if it is an object, and otherwise none.`,
    );
  if (!isObject) return value;
  const entries = new Map<string, unknown>(Object.entries(value ?? {}));
  const fields = selection.fields.map((field) => {
    argumentsOf(field, OF_FIELDS, types, variables);
    if (!entries.has(field.name))
      throw new Refused(400, 'GRAPHQL_VALIDATION_FAILED', `Cannot query field "${field.name}".`);
    return [field.name, selected(entries.get(field.name), field, types, variables)];
  });
  return Object.fromEntries(fields);
}
