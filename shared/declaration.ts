/** What one endpoint says of itself, in the form that infra, OpenAPI, the authorizer's table and the common tests read. */
import * as z from 'zod';
import type { Caller, CallerKind } from './credentials/caller.ts';
import type { CallerFromBody } from './credentials/from-body.ts';
import type { AnswerLimit, Markdown } from './http/answer.ts';
import type { QuerySchema } from './http/query.ts';
import type { Requirement } from './resources/permissions.ts';
import type { Services } from './services.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Least privilege: what the function's role may do. */
export interface Access {
  readonly table: 'none' | 'read' | 'readUpdate' | 'readWrite';
  readonly artifacts: 'none' | 'read' | 'write' | 'readWrite' | 'delete';
}

export interface Declaration {
  readonly operationId: string;
  readonly method: Method;
  /** At the origin: `/v1/...` for the API, the reporters' own paths for recording. */
  readonly path: string;
  readonly permission: Requirement;
  readonly callers: readonly CallerKind[];
  /** `header`: the authorizer sees it. `body`: only the function can. */
  readonly credential: 'header' | 'body' | 'none';
  readonly access: Access;
  readonly summary: string;
  readonly description: string | undefined;
  readonly pathParameters: z.ZodObject<Record<string, z.ZodType>>;
  readonly query: QuerySchema;
  readonly body: z.ZodType | undefined;
  readonly success: 200 | 201;
  readonly response: z.ZodType;
  readonly markdown: boolean;
}

/** §6 Where else a function may send to: its role and its environment follow. */
export type Outlet = 'eventBus' | 'deliveryQueue';

type PathNames<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

export interface Request<Route extends string, Permission extends Requirement, Query, Body> {
  readonly path: Readonly<Record<PathNames<Route>, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The body as it came, for what is looked at in some cases only. */
  readonly sent: unknown;
  readonly caller: Permission extends 'public' ? undefined : Caller;
  /** A request header, whatever its case. */
  readonly header: (name: string) => string | undefined;
}

export interface Specification<
  Route extends `${Method} /${string}`,
  Permission extends Requirement,
  Query extends QuerySchema,
  Body extends z.ZodType,
  Response extends z.ZodType,
> {
  readonly operationId: string;
  readonly route: Route;
  /** `base`: under `/v1`. `origin`: beside it. */
  readonly at?: 'base' | 'origin';
  readonly permission: Permission;
  readonly callers?: readonly CallerKind[];
  /** How the caller is found where no authorizer can see the credential. */
  readonly credential?: CallerFromBody;
  readonly access: Access;
  readonly summary: string;
  readonly description?: string;
  /** One schema for each `{name}` of the route. */
  readonly path?: Readonly<Record<PathNames<Route>, z.ZodType<string>>>;
  readonly query?: Query;
  readonly body?: Body;
  readonly success?: 200 | 201;
  readonly response: Response;
  readonly handle: (
    request: Request<Route, Permission, z.output<Query>, z.output<Body>>,
    services: Services,
  ) => Promise<z.input<Response> | Markdown> | z.input<Response> | Markdown;
  /** Below what Lambda can send. */
  readonly limit?: AnswerLimit;
  /** Whether it may answer with Markdown, too. */
  readonly markdown?: boolean;
}

// biome-ignore format: one line says it
export function declarationOf<Route extends `${Method} /${string}`, Permission extends Requirement, Query extends QuerySchema, Body extends z.ZodType, Response extends z.ZodType>(
  specification: Specification<Route, Permission, Query, Body, Response>,
): Declaration {
  const { operationId, route, at = 'base', permission, access, summary, description, response } = specification;
  const [method, path] = split(route);
  return {
    operationId,
    method,
    path: at === 'base' ? `/v1${path}` : path,
    permission,
    // §5.4 Recording is for CI jobs, which act as nobody.
    callers: specification.callers ?? (permission === 'record' ? ['apiKey'] : ['apiKey', 'personalToken', 'accessToken']),
    credential: permission === 'public' ? 'none' : (specification.credential ? 'body' : 'header'),
    access,
    summary,
    description,
    pathParameters: z.object({ ...specification.path }),
    query: specification.query ?? z.object({}),
    body: specification.body,
    success: specification.success ?? 200,
    response,
    markdown: specification.markdown ?? false,
  };
}

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE'];

function split(route: string): [Method, string] {
  const [name, path = '/'] = route.split(' ');
  const method = METHODS.find((known) => known === name);
  if (!method) throw new Error(`The route "${route}" does not begin with one of ${METHODS.join(', ')}`);
  return [method, path];
}
