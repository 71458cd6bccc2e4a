/** The declaration of an endpoint. Infrastructure, OpenAPI document, authorizer and tests are derived from it. */
import * as z from 'zod';
import type { Requirement } from '#shared/access/actions.ts';
import type { ApiActor, CredentialKind } from '#shared/access/actor.ts';
import { listCredentialKinds } from '#shared/access/may.ts';
import type { AnswerLimit } from '#shared/engine/http/answer.ts';
import type { Content, ContentKind } from '#shared/engine/http/content.ts';
import type { Ignores, QuerySchema } from '#shared/engine/http/query.ts';
import type { ToolSpecification } from '#shared/mcp/tool.ts';
import { id } from '#shared/model/names.ts';
import type { CiBuild } from '#shared/model/runs/origin.ts';
import type { Repetition } from '#shared/organizations/only-once.ts';
import type { Services } from '#shared/services.ts';
import type { Access } from './access.ts';
import type { ActorFromBody } from './from-body.ts';
import type { RepeatsByKey } from './idempotency-key.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** §7 Error responses of the operation's own code. Others follow from the declaration. */
export type OwnRefusal =
  | 'unauthorized'
  | 'notFound'
  | 'conflict'
  | 'aiConsent'
  | 'runHasEnded'
  | 'runTakesNoMore'
  | 'storageFull';

export interface Declaration {
  readonly operationId: string;
  readonly method: Method;
  /** The full path: `/v1/...` for the API, and the paths that reporters use for recording. */
  readonly path: string;
  /** A second path of the same operation, below `/v1`. */
  readonly alias: string | undefined;
  readonly permission: Requirement;
  readonly credentialKinds: readonly CredentialKind[];
  /** The authorizer can only check a credential in a `header`. The function checks one in the `body`. */
  readonly credential: 'header' | 'body' | 'none';
  readonly access: Access;
  readonly summary: string;
  readonly description: string | undefined;
  readonly pathParameters: z.ZodObject<Record<string, z.ZodType>>;
  readonly query: QuerySchema;
  readonly ignores: Ignores | undefined;
  readonly body: z.ZodType | undefined;
  readonly bodyFormat: 'json' | 'form' | 'bytes';
  readonly success: 200 | 201;
  readonly response: z.ZodType | undefined;
  readonly answers: readonly (ContentKind | 'json')[];
  readonly refuses: readonly OwnRefusal[];
  /** Whether the response has an `ETag`, so that clients that send it back get 304 if nothing has changed. */
  readonly revalidates: boolean;
  /** Whether pages of other sites may read the response, and caches may keep it for some minutes. */
  readonly isPublished: boolean;
  /** Whether a client may repeat a request by the header `Idempotency-Key`. */
  readonly isRepeatable: boolean;
  /** `'none'`: models cannot use the operation. Absent in `functions/recording` and `functions/imports`. */
  readonly tool: ToolSpecification<never> | 'none' | undefined;
}

type PathNames<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? NameOf<Name> | PathNames<Rest>
  : never;
/** Without the `+` of a parameter such as `{path+}`, which matches the rest of the path. */
type NameOf<Segment extends string> = Segment extends `${infer Name}+` ? Name : Segment;

/** Schemas of the path parameters that are not ids. */
export type PathSchemas<Route extends string> = Readonly<Partial<Record<PathNames<Route>, z.ZodType<string>>>>;

/** The values of the path parameters. Without a schema, a parameter is a string. */
export type PathValues<Route extends string, Path> = {
  readonly [Name in PathNames<Route>]: Name extends keyof Path
    ? Path[Name] extends z.ZodType
      ? z.output<Path[Name]>
      : string
    : string;
};

export interface Request<Route extends string, Permission extends Requirement, Query, Body>
  extends Pick<Parts, 'sent' | 'header' | 'isTool'> {
  readonly path: Readonly<Record<PathNames<Route>, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly actor: Permission extends 'public' ? undefined : ApiActor;
  readonly caller: Permission extends 'public' ? undefined : CallerOf<Route, Query>;
}

/** Handlers pass it to the functions that do the work. With the project, if the path or the query names one. */
type CallerOf<Route extends string, Query> = Pick<ApiActor, 'organizationId'> & {
  readonly actor: ApiActor;
  readonly repetition?: Repetition;
} & (Route extends `${string}{projectId}${string}`
    ? { readonly projectId: string }
    : Pick<Query, Extract<keyof Query, 'projectId'>>);

/** The validated parts of an HTTP request or a tool call. */
export interface Parts {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** The body before validation. */
  readonly sent: unknown;
  readonly actor: ApiActor | undefined;
  /** Returns a request header. Names are case-insensitive. */
  readonly header: (name: string) => string | undefined;
  /** Whether this is a tool call from a model. */
  readonly isTool: boolean;
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
  /**
   * Where the path is served: `base` means below `/v1`, `origin` means directly at the origin, and `both` means at both
   * places. Reporters call the origin. Generated clients, and reporters that are configured with the base URL of the
   * API, call `/v1`.
   */
  readonly at?: 'base' | 'origin' | 'both';
  /** A second path below `/v1` that published clients call. */
  readonly alias?: `/${string}`;
  readonly permission: Permission;
  /** Authenticates the request if the credential is in the body. */
  readonly credential?: ActorFromBody;
  readonly access: Access;
  readonly summary: string;
  readonly description?: string;
  readonly path?: PathSchemas<Route>;
  readonly query?: Query;
  /** Parameters that mean nothing in combination with others of the request. They are not validated. */
  readonly ignores?: Ignores;
  readonly body?: Body;
  /** The schema of an HTML form, instead of `body`. Repeated fields are arrays. */
  readonly form?: Body;
  /** The schema of a raw body of any media type, instead of `body`. The handler gets the bytes. */
  readonly bytes?: Body;
  readonly success?: 200 | 201;
  /** The schema of a JSON response. Without a schema, the operation responds only with the kinds in `content`. */
  readonly response?: Response;
  /** Other kinds of responses that the handler may return. */
  readonly content?: readonly ContentKind[];
  readonly refuses?: readonly OwnRefusal[];
  /** Adds an `ETag` to the JSON response. A request with this tag in `If-None-Match` gets 304. */
  readonly revalidates?: boolean;
  /** A document that is the same for everybody. It also gets an `ETag`. */
  readonly isPublished?: boolean;
  /** Lets clients repeat a request that creates something. `caller` then has the repetition. */
  readonly repeats?: RepeatsByKey;
  /** Operations outside `functions/recording` and `functions/imports` must declare a tool, or `'none'`. */
  readonly tool?:
    | ToolSpecification<z.output<Response>, Request<Route, Permission, z.output<Query>, z.output<Body>>>
    | 'none';
  /**
   * §5.1 Throws unless the request is about the build of the credential, if that is one of a CI build. Default: such
   * credentials are refused.
   */
  readonly ofBuild?: (
    build: CiBuild,
    request: Request<Route, Permission, z.output<Query>, z.output<Body>>,
    services: Services,
  ) => Promise<void> | void;
  readonly handle: (
    request: Request<Route, Permission, z.output<Query>, z.output<Body>>,
    services: Services,
  ) => Promise<z.input<Response> | Content> | z.input<Response> | Content;
  /** The maximum size of the response. Default: the limit of Lambda. */
  readonly limit?: (query: z.output<Query>) => AnswerLimit;
}

export const BASE_PATH = '/v1';

// biome-ignore format: five type parameters
export function makeDeclaration<Route extends `${Method} /${string}`, Permission extends Requirement, Query extends QuerySchema, Body extends z.ZodType, Response extends z.ZodType>(
  specification: Specification<Route, Permission, Query, Body, Response>,
): Declaration {
  const { operationId, route, at = 'base', permission, access, summary, description, response } = specification;
  const [method, path] = splitRoute(route);
  return {
    operationId,
    method,
    path: at === 'base' ? BASE_PATH + path : path,
    alias: at === 'both' ? BASE_PATH + path : specification.alias && BASE_PATH + specification.alias,
    permission,
    credentialKinds: listCredentialKinds(permission),
    credential: permission === 'public' ? 'none' : (specification.credential ? 'body' : 'header'),
    access,
    summary,
    description,
    pathParameters: z.object({ ...makeIdSchemas(path), ...specification.path }),
    query: specification.query ?? z.object({}),
    ignores: specification.ignores,
    body: specification.body ?? specification.form ?? specification.bytes,
    bodyFormat: specification.form ? 'form' : (specification.bytes ? 'bytes' : 'json'),
    success: specification.success ?? 200,
    response,
    answers: [...(response ? (['json'] as const) : []), ...(specification.content ?? [])],
    refuses: specification.refuses ?? [],
    revalidates: specification.revalidates ?? specification.isPublished ?? false,
    isPublished: specification.isPublished ?? false,
    isRepeatable: specification.repeats !== undefined,
    tool: specification.tool,
  };
}

/** As if all were ids. The declaration overrides the schemas of other parameters. */
export const makeIdSchemas = (path: string): Record<string, z.ZodType> =>
  Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, id]));

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function splitRoute(route: string): [Method, string] {
  const [name, path = '/'] = route.split(' ');
  const method = METHODS.find((one) => one === name);
  if (!method) throw new Error(`The route "${route}" must begin with one of ${METHODS.join(', ')}`);
  return [method, path];
}
