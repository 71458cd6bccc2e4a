/** Declares pages and forms for people. Route, session check, permission, error pages, security headers and tests derive from it. */
import * as z from 'zod';
import type { OrganizationAction } from '#shared/access/actions.ts';
import type { Content } from '#shared/engine/http/content.ts';
import type { QuerySchema } from '#shared/engine/http/query.ts';
import type { RefusedForm, View } from '#shared/pages/view.ts';
import type { Services } from '#shared/services.ts';
import type { AccountVisit, OrganizationVisit, PolledVisit, ProjectVisit, Visit } from '#shared/sign-in/visit.ts';
import { type Access, type PathNames, type PathValues, splitRoute } from './declaration.ts';

/**
 * `public` never looks at the session. `visitor` needs none, `account` needs one. An action also needs a role in the
 * organization of the URL.
 */
export type PageNeeds = OrganizationAction | 'public' | 'visitor' | 'account';

type VisitOf<Route extends string, Needs extends PageNeeds> = Needs extends 'public' | 'visitor'
  ? Visit | AccountVisit
  : Needs extends 'account'
    ? AccountVisit
    : Route extends `${string}{projectId}${string}`
      ? ProjectVisit
      : OrganizationVisit;

/** One schema for each other `{name}` of the route than organization and project. */
type PathSchemas<Route extends string> = Readonly<Partial<Record<PathNames<Route>, z.ZodType<string>>>>;

interface Common<Route extends string, Needs extends PageNeeds, Path extends PathSchemas<Route>> {
  readonly operationId: string;
  readonly route: Route;
  readonly needs: Needs;
  /** Whether the person must have proved a short time ago who they are. Otherwise they are asked, and come back. */
  readonly fresh?: boolean;
  readonly access: Access;
  readonly path?: Path;
}

interface PageRequest<Route extends string, Needs extends PageNeeds, Path, Query> {
  readonly visit: VisitOf<Route, Needs>;
  readonly path: PathValues<Route, Path>;
  readonly query: Query;
  /** Why the query was refused. The page then has the default query, and shows the message at the field. */
  readonly queryProblem: string | undefined;
  /** Path and query of this page, without the base. */
  readonly here: string;
  readonly refused: RefusedForm | undefined;
  readonly header: (name: string) => string | undefined;
}

interface PageSpecification<
  Route extends `GET /${string}`,
  Needs extends PageNeeds,
  Path extends PathSchemas<Route>,
  Query extends QuerySchema,
> extends Common<Route, Needs, Path> {
  readonly query?: Query;
  readonly show: (
    request: PageRequest<Route, Needs, Path, z.output<Query>>,
    services: Services,
  ) => Promise<View | Content> | View | Content;
}

interface FormRequest<Route extends string, Needs extends PageNeeds, Path, Fields>
  extends Omit<PageRequest<Route, Needs, Path, never>, 'query' | 'queryProblem' | 'refused'> {
  readonly fields: Fields;
}

interface FormSpecification<
  Route extends `POST /${string}`,
  Needs extends PageNeeds,
  Path extends PathSchemas<Route>,
  Fields extends z.ZodType,
> extends Common<Route, Needs, Path> {
  readonly fields: Fields;
  /** Whether the form sends a file, which its field then holds. */
  readonly sendsFile?: true;
  /** The operation of the page that contains the form. A refusal shows it again with the sent values. */
  readonly page: string;
  readonly submit: (
    request: FormRequest<Route, Needs, Path, z.output<Fields>>,
    services: Services,
  ) => Promise<View | Content> | View | Content;
}

export interface PageDeclaration {
  readonly kind: 'page' | 'form';
  readonly operationId: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly needs: PageNeeds;
  readonly fresh: boolean;
  /** Whether the script of a page fetches it again and again. Each request then reads only session and role. */
  readonly isPolled: boolean;
  readonly access: Access;
  readonly pathParameters: z.ZodObject<Record<string, z.ZodType>>;
  /** The page of a form, by its operation. */
  readonly page: string | undefined;
}

/** Requests lose their types here: one server serves all pages. `page()` and `form()` inferred them from the declaration. */
export interface AnyRequest {
  readonly visit: Visit;
  readonly path: Readonly<Record<string, string>>;
  readonly here: string;
  readonly header: (name: string) => string | undefined;
}

export interface PageView {
  readonly declaration: PageDeclaration & { readonly kind: 'page' };
  readonly query: QuerySchema;
  readonly show: (
    request: AnyRequest & {
      readonly query: unknown;
      readonly queryProblem?: string;
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
>(specification: PageSpecification<Route, Needs, Path, Query>): PageView {
  return {
    declaration: { ...declarationOf(specification), kind: 'page' },
    query: specification.query ?? z.object({}),
    // The server parsed path and query by the schemas from which the compiler inferred these types.
    show: async (request, services) => specification.show(request as never, services),
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

/** A part of a page in a project. The script of that page fetches it again while something is in progress. */
export function polledPart<const Route extends `GET /${string}/{projectId}/${string}`, Path extends PathSchemas<Route>>(
  part: PolledPart<Route, Path>,
): PageView {
  return {
    declaration: { ...declarationOf(part), kind: 'page', isPolled: true },
    query: z.object({}),
    // As in page(): the server parsed the path by the schemas from which the compiler inferred these types.
    show: async (request, services) => part.show(request as never, services),
  };
}

export function form<
  const Route extends `POST /${string}`,
  const Needs extends PageNeeds,
  Fields extends z.ZodType,
  Path extends PathSchemas<Route>,
>(specification: FormSpecification<Route, Needs, Path, Fields>): Form {
  const { fields, sendsFile = false, submit } = specification;
  return {
    declaration: { ...declarationOf(specification), kind: 'form' },
    fields,
    sendsFile,
    // As in page(): the server parsed the fields by this schema.
    submit: async (request, services) => submit(request as never, services),
  };
}

function declarationOf(specification: Common<string, PageNeeds, object> & { readonly page?: string }) {
  const { operationId, route, needs, fresh = false, access, path, page: own } = specification;
  const [method, at] = splitRoute(route);
  if (method !== 'GET' && method !== 'POST') throw new Error(`${operationId}: browsers send forms by POST only`);
  const pathParameters = z.object({ ...path });
  return { operationId, method, path: at, needs, fresh, isPolled: false, access, pathParameters, page: own } as const;
}
