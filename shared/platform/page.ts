/** Declares pages and forms for people. Route, session check, permission, error pages, security headers and tests derive from it. */
import * as z from 'zod';
import type { Action } from '#shared/access/actions.ts';
import type { Content } from '#shared/engine/http/content.ts';
import type { QuerySchema } from '#shared/engine/http/query.ts';
import type { RefusedForm, View } from '#shared/pages/view.ts';
import type { Services } from '#shared/services.ts';
import type { AccountVisit, OrganizationVisit, PolledVisit, ProjectVisit, Visit } from '#shared/sign-in/visit.ts';
import { type Access, type PathNames, split } from './declaration.ts';

/**
 * `public` never looks at the session. `visitor` needs none, `account` needs one. An action also needs a role in the
 * organization of the URL.
 */
export type PageNeeds = Action | 'public' | 'visitor' | 'account';

type VisitOf<Route extends string, Needs extends PageNeeds> = Needs extends 'public' | 'visitor'
  ? Visit | AccountVisit
  : Needs extends 'account'
    ? AccountVisit
    : Route extends `${string}{projectId}${string}`
      ? ProjectVisit
      : OrganizationVisit;

interface Common<Route extends string, Needs extends PageNeeds> {
  readonly operationId: string;
  readonly route: Route;
  readonly needs: Needs;
  /** Whether the person must have proved a short time ago who they are. Otherwise they are asked, and come back. */
  readonly fresh?: boolean;
  readonly access: Access;
  /** One schema for each other `{name}` of the route than organization and project. */
  readonly path?: Readonly<Partial<Record<PathNames<Route>, z.ZodType<string>>>>;
}

interface PageRequest<Route extends string, Needs extends PageNeeds, Query> {
  readonly visit: VisitOf<Route, Needs>;
  readonly path: Readonly<Record<PathNames<Route>, string>>;
  readonly query: Query;
  /** Why the query was refused. The page then has the default query, and shows the message at the field. */
  readonly queryProblem: string | undefined;
  /** Path and query of this page, without the base. */
  readonly here: string;
  readonly refused: RefusedForm | undefined;
  readonly header: (name: string) => string | undefined;
}

interface PageSpecification<Route extends `GET /${string}`, Needs extends PageNeeds, Query extends QuerySchema>
  extends Common<Route, Needs> {
  readonly query?: Query;
  readonly show: (
    request: PageRequest<Route, Needs, z.output<Query>>,
    services: Services,
  ) => Promise<View | Content> | View | Content;
}

interface FormRequest<Route extends string, Needs extends PageNeeds, Fields>
  extends Omit<PageRequest<Route, Needs, never>, 'query' | 'queryProblem' | 'refused'> {
  readonly fields: Fields;
}

interface FormSpecification<Route extends `POST /${string}`, Needs extends PageNeeds, Fields extends z.ZodType>
  extends Common<Route, Needs> {
  readonly fields: Fields;
  /** Whether the form sends a file, which its field then holds. */
  readonly sendsFile?: true;
  /** The operation of the page that contains the form. A refusal shows it again with the sent values. */
  readonly page: string;
  readonly submit: (
    request: FormRequest<Route, Needs, z.output<Fields>>,
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

export interface Page {
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
  Query extends QuerySchema = z.ZodObject<Record<never, never>>,
>(specification: PageSpecification<Route, Needs, Query>): Page {
  return {
    declaration: { ...declarationOf(specification), kind: 'page' },
    query: specification.query ?? z.object({}),
    // The server parsed path and query by the schemas from which the compiler inferred these types.
    show: async (request, services) => specification.show(request as never, services),
  };
}

interface PolledPart<Route extends `GET /${string}`>
  extends Pick<PageSpecification<Route, Action, z.ZodObject>, 'operationId' | 'route' | 'access' | 'path'> {
  readonly needs: Action;
  readonly show: (
    request: { readonly visit: PolledVisit; readonly path: Readonly<Record<PathNames<Route>, string>> },
    services: Services,
  ) => Promise<Content>;
}

/** A part of a page in a project. The script of that page fetches it again while something is in progress. */
export function polledPart<const Route extends `GET /${string}/{projectId}/${string}`>(part: PolledPart<Route>): Page {
  return {
    declaration: { ...declarationOf(part), kind: 'page', isPolled: true },
    query: z.object({}),
    // As in page(): the server parsed the path by the schemas from which the compiler inferred these types.
    show: async (request, services) => part.show(request as never, services),
  };
}

export function form<const Route extends `POST /${string}`, const Needs extends PageNeeds, Fields extends z.ZodType>(
  specification: FormSpecification<Route, Needs, Fields>,
): Form {
  const { fields, sendsFile = false, submit } = specification;
  return {
    declaration: { ...declarationOf(specification), kind: 'form' },
    fields,
    sendsFile,
    // As in page(): the server parsed the fields by this schema.
    submit: async (request, services) => submit(request as never, services),
  };
}

function declarationOf(specification: Common<string, PageNeeds> & { readonly page?: string }) {
  const { operationId, route, needs, fresh = false, access, path, page: own } = specification;
  const [method, at] = split(route);
  if (method !== 'GET' && method !== 'POST') throw new Error(`${operationId}: browsers send forms by POST only`);
  const pathParameters = z.object({ ...path });
  return { operationId, method, path: at, needs, fresh, isPolled: false, access, pathParameters, page: own } as const;
}
