/**
 * Declares pages and forms for people. The route, the session check, the permission check, error pages, security
 * headers and tests are derived from the declaration.
 */
import * as z from 'zod';
import type { OrganizationAction } from '#shared/access/actions.ts';
import type { ApiError } from '#shared/engine/errors.ts';
import type { Content } from '#shared/engine/http/content.ts';
import type { QuerySchema } from '#shared/engine/http/query.ts';
import type { Lookup } from '#shared/engine/table/found.ts';
import type { Here } from '#shared/pages/shell/here.ts';
import type { RefusedForm, View } from '#shared/pages/shell/view.ts';
import type { Services } from '#shared/services.ts';
import type { AccountVisit, OrganizationVisit, PolledVisit, ProjectVisit, Visit } from '#shared/sign-in/visit.ts';
import type { Access } from './access.ts';
import { makeIdSchemas, type PathSchemas, type PathValues, splitRoute } from './declaration.ts';

/**
 * What a page requires: `public` ignores the session, `visitor` reads the session if there is one, and `account`
 * requires a session. An action also requires a role that allows it in the organization of the URL.
 */
export type PageNeeds = OrganizationAction | 'public' | 'visitor' | 'account';

type VisitOf<Route extends string, Needs extends PageNeeds> = Needs extends 'public' | 'visitor'
  ? Visit | AccountVisit
  : Needs extends 'account'
    ? AccountVisit
    : Route extends `${string}{projectId}${string}`
      ? ProjectVisit
      : OrganizationVisit;

/** Pages and forms pass it, instead of the whole visit with its session, to the functions that do the work. */
type CallerOf<Of> = Of extends OrganizationVisit
  ? Pick<Of, Extract<keyof Of, 'organizationId' | 'projectId'>> & { readonly actor: Of['person'] }
  : undefined;

/** The Lambda functions of pages and forms. A person who browses the pages of one experiences few cold starts. */
export type PageLambda =
  | 'pages'
  | 'forms'
  | 'assets'
  | 'client'
  | 'company-settings'
  | 'company-sign-in'
  | 'consent'
  | 'contexts'
  | 'docs'
  | 'import-forms'
  | 'issues'
  | 'provider-sign-in'
  | 'run-forms'
  | 'settings'
  | 'shares'
  | 'sign-in';

interface BaseSpecification<Route extends string, Needs extends PageNeeds, Path extends PathSchemas<Route>> {
  /** Also the name of the export. */
  readonly operationId: string;
  readonly route: Route;
  /** The Lambda function that serves it, if not `pages` or `forms`. All of a function share its permissions. */
  readonly lambda?: PageLambda;
  readonly needs: Needs;
  /**
   * What the person is about to do, if only a person who has signed in recently may do it, such as "create an API key".
   * A person whose sign-in is older is asked to confirm who they are, reads this text there, and then returns to the
   * page.
   */
  readonly fresh?: string;
  /** The handler itself asks for the recent sign-in, because that depends on the request. */
  readonly asksItself?: true;
  /** Whether the page is only a form that adds something to a project or changes it, which a deleted project refuses. */
  readonly adds?: true;
  /**
   * Whether a session of company sign-in may use a page or form about the account, because nothing of it reaches beyond
   * the organization of the session. Pages of an organization need no word: the visit is refused everywhere else.
   */
  readonly inCompanySession?: true;
  readonly access: Access;
  readonly path?: Path;
}

interface PageRequest<Route extends string, Needs extends PageNeeds, Path, Query> {
  readonly visit: VisitOf<Route, Needs>;
  readonly caller: CallerOf<VisitOf<Route, Needs>>;
  readonly path: PathValues<Route, Path>;
  readonly query: Query;
  /** `query` then contains the defaults, and the page shows the error message next to the field. */
  readonly queryProblem: ApiError | undefined;
  /** Path and query string, without the base path. */
  readonly pathWithQuery: string;
  /** What a list needs for links to itself with another query. */
  readonly at: Here & { readonly visit: VisitOf<Route, Needs> };
  readonly refused: RefusedForm | undefined;
  readonly header: (name: string) => string | undefined;
}

interface PageSpecification<
  Route extends `GET /${string}`,
  Needs extends PageNeeds,
  Path extends PathSchemas<Route>,
  Query extends QuerySchema,
  First = never,
> extends BaseSpecification<Route, Needs, Path> {
  readonly query?: Query;
  /**
   * The row that the page needs before all others. It is read together with the session, which saves a round trip. Only
   * an allowed visit gets it, as `firstRow`.
   */
  readonly findFirst?: (path: PathValues<Route, Path>) => Lookup<First>;
  readonly show: (
    request: PageRequest<Route, Needs, Path, z.output<Query>> & { readonly firstRow: First | undefined },
    services: Services,
  ) => Promise<View | Content> | View | Content;
}

interface FormRequest<Route extends string, Needs extends PageNeeds, Path, Fields>
  extends Omit<PageRequest<Route, Needs, Path, never>, 'query' | 'queryProblem' | 'at' | 'refused'> {
  readonly fields: Fields;
}

/**
 * Why a form needs no recent sign-in although it writes rows that give something away (`RowKind.gives`): it only takes
 * access away, the person proves in it who they are, or it adds no receiver and no address.
 */
type NotFresh = 'revokes' | 'provesIdentity' | 'keepsReceivers';

interface FormSpecification<
  Route extends `POST /${string}`,
  Needs extends PageNeeds,
  Path extends PathSchemas<Route>,
  Fields extends z.ZodType,
> extends BaseSpecification<Route, Needs, Path> {
  /** A form that writes rows that give something away must be `fresh`, or say here why not. */
  readonly notFresh?: NotFresh;
  /** The schema of the fields. Absent if the form is only a button. */
  readonly fields?: Fields;
  /** Whether the form uploads a file. The value of the file field is then a `SentFile`. */
  readonly sendsFile?: true;
  /** The operation id of the page with the form. If the form is refused, it is shown again with the sent values. */
  readonly page: string;
  readonly submit: (
    request: FormRequest<Route, Needs, Path, z.output<Fields>>,
    services: Services,
  ) => Promise<View | Content> | View | Content;
}

export interface PageDeclaration {
  readonly kind: 'page' | 'form';
  readonly operationId: string;
  readonly lambda: PageLambda;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly needs: PageNeeds;
  readonly fresh: string | undefined;
  /** The handler decides for each request whether it needs the recent sign-in. */
  readonly asksItself: boolean;
  readonly adds: boolean;
  readonly inCompanySession: boolean;
  readonly notFresh: NotFresh | undefined;
  /** Whether scripts poll this page. To keep polling cheap, most requests then read only the session and the role. */
  readonly isPolled: boolean;
  readonly access: Access;
  readonly pathParameters: z.ZodObject<Record<string, z.ZodType>>;
  /** The operation id of the page with the form. */
  readonly page: string | undefined;
}

/** Without specific types, because one server handles all pages. `page()` and `form()` infer the specific ones. */
export interface AnyRequest {
  readonly visit: Visit;
  readonly path: Readonly<Record<string, string>>;
  readonly pathWithQuery: string;
  readonly header: (name: string) => string | undefined;
  readonly firstRow?: unknown;
}

export interface PageView {
  readonly declaration: PageDeclaration & { readonly kind: 'page' };
  readonly query: QuerySchema;
  readonly findFirst?: (path: Readonly<Record<string, string>>) => Lookup<unknown>;
  readonly show: (
    request: AnyRequest & {
      readonly query: unknown;
      readonly queryProblem?: ApiError;
      readonly refused: RefusedForm | undefined;
    },
    services: Services,
  ) => Promise<View | Content>;
}

export interface Form {
  readonly declaration: PageDeclaration & { readonly kind: 'form' };
  readonly fields: z.ZodType;
  readonly sendsFile: boolean;
  readonly submit: (request: AnyRequest & { readonly fields: unknown }, services: Services) => Promise<View | Content>;
}

export function page<
  const Route extends `GET /${string}`,
  const Needs extends PageNeeds,
  Path extends PathSchemas<Route>,
  Query extends QuerySchema = z.ZodObject<Record<never, never>>,
  First = never,
>(specification: PageSpecification<Route, Needs, Path, Query, First>): PageView {
  const { findFirst } = specification;
  return {
    declaration: { ...makeDeclaration(specification), kind: 'page' },
    query: specification.query ?? z.object({}),
    // Safe cast, as below.
    findFirst: findFirst && ((path) => findFirst(path as never)),
    show: async (request, services) => {
      const { visit, pathWithQuery, queryProblem } = request;
      const fullRequest = { ...request, caller: getCaller(visit), at: { visit, pathWithQuery, queryProblem } };
      // This cast is safe, because path and query were parsed with the schemas from which these types are inferred.
      return specification.show(fullRequest as never, services);
    },
  };
}

interface PolledPart<Route extends `GET /${string}`, Path extends PathSchemas<Route>>
  extends Pick<
    PageSpecification<Route, OrganizationAction, Path, z.ZodObject>,
    'operationId' | 'route' | 'access' | 'path'
  > {
  readonly needs: OrganizationAction;
  readonly show: (
    request: { readonly visit: PolledVisit; readonly path: PathValues<Route, Path> },
    services: Services,
  ) => Promise<Content>;
}

/** A part of a project page that its script polls while something, such as a run, is in progress. */
export function polledPart<const Route extends `GET /${string}/{projectId}/${string}`, Path extends PathSchemas<Route>>(
  part: PolledPart<Route, Path>,
): PageView {
  return {
    declaration: { ...makeDeclaration(part), kind: 'page', isPolled: true },
    query: z.object({}),
    // Safe cast, as in page().
    show: async (request, services) => part.show(request as never, services),
  };
}

export function form<
  const Route extends `POST /${string}`,
  const Needs extends PageNeeds,
  Path extends PathSchemas<Route>,
  Fields extends z.ZodType = z.ZodObject<Record<never, never>>,
>(specification: FormSpecification<Route, Needs, Path, Fields>): Form {
  const { fields = z.object({}), sendsFile = false, submit } = specification;
  return {
    declaration: { ...makeDeclaration(specification), kind: 'form' },
    fields,
    sendsFile,
    // This cast is safe, because the fields were parsed with the schema from which their type is inferred.
    submit: async (request, services) => submit({ ...request, caller: getCaller(request.visit) } as never, services),
  };
}

function getCaller(visit: Visit & Partial<Pick<ProjectVisit, 'organizationId' | 'projectId' | 'person'>>) {
  const { organizationId, projectId, person: actor } = visit;
  if (organizationId === undefined) return undefined;
  return projectId === undefined ? { organizationId, actor } : { organizationId, actor, projectId };
}

/** §5 Whether a form adds rows that give something away, for a person who is signed in. */
const givesAway = (needs: PageNeeds, { writes = [], alsoWrites = [] }: Access): boolean =>
  needs !== 'public' && needs !== 'visitor' && [...writes, ...alsoWrites].some(({ gives }) => gives !== undefined);

function requireFreshness({ operationId, route, needs, access, fresh, notFresh }: AnySpecification): void {
  const isForm = route.startsWith('POST ');
  const mustDecide = isForm && givesAway(needs, access);
  if (mustDecide && fresh === undefined && notFresh === undefined)
    throw new Error(
      `${operationId} writes rows that give access, a link or results away. Declare with \`fresh\` what the person does, or with \`notFresh\` why it needs no recent sign-in`,
    );
  if (notFresh !== undefined && (fresh !== undefined || !mustDecide))
    throw new Error(`${operationId} declares \`notFresh\`, but nothing in it would need a recent sign-in`);
}

type AnySpecification = BaseSpecification<string, PageNeeds, object> & {
  readonly page?: string;
  readonly notFresh?: NotFresh;
};

function makeDeclaration(specification: AnySpecification) {
  requireFreshness(specification);
  const { operationId, route, needs, fresh, asksItself = false, notFresh, access, path, page: pageId } = specification;
  const { inCompanySession = false, adds = false } = specification;
  const [method, at] = splitRoute(route);
  if (method !== 'GET' && method !== 'POST')
    throw new Error(
      `${operationId}: the method must be GET or POST, because browsers cannot submit forms with other methods`,
    );
  // The ids of the organization and the project need no schema, because unknown ids have already been answered with 404.
  const { organizationId: _, projectId: __, ...ids } = makeIdSchemas(at);
  const pathParameters = z.object({ ...ids, ...path });
  const lambda: PageLambda = specification.lambda ?? (method === 'GET' ? 'pages' : 'forms');
  return {
    operationId,
    lambda,
    method,
    path: at,
    needs,
    inCompanySession,
    fresh,
    asksItself,
    adds,
    notFresh,
    isPolled: false,
    access,
    pathParameters,
    page: pageId,
  } as const;
}
