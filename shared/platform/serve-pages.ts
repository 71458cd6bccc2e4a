/**
 * One function that serves several pages and forms. Each request passes through these steps: route, origin check,
 * session, permission, then the page itself.
 */

import { may } from '#shared/access/may.ts';
import { ApiError, noSuchOperation } from '#shared/engine/errors.ts';
import { errorAnswer, type HttpAnswer } from '#shared/engine/http/answer.ts';
import { encodedBody } from '#shared/engine/http/body.ts';
import { Content, html, redirect } from '#shared/engine/http/content.ts';
import { header, type ProxyEvent } from '#shared/engine/http/event.ts';
import { fileFields, SentFile } from '#shared/engine/http/file-form.ts';
import { type FormFields, formFields } from '#shared/engine/http/form.ts';
import { asSent, readQuery } from '#shared/engine/http/query.ts';
import { confirmHref, signInHref } from '#shared/pages/shell/hrefs.ts';
import { layout } from '#shared/pages/shell/layout.tsx';
import { problemPage } from '#shared/pages/shell/problem-page.tsx';
import type { RefusedForm, View } from '#shared/pages/shell/view.ts';
import type { Services } from '#shared/services.ts';
import { readCookies } from '#shared/sign-in/cookies.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { isFresh, isRecordDue, readSession, recordRequest } from '#shared/sign-in/sessions.ts';
import {
  type AnyVisit,
  type KnownVisit,
  type PolledVisit,
  readPolledVisit,
  readVisit,
  type Visit,
} from '#shared/sign-in/visit.ts';
import { connectOnce } from './connect.ts';
import { crossSiteForm, pageRefused } from './errors.ts';
import { logRequest } from './log.ts';
import type { AnyRequest, Form, PageDeclaration, PageView } from './page.ts';
import { pageAnswer } from './page-answer.ts';
import { validated } from './request.ts';

declare const BUILT_API_SEGMENTS: readonly string[];

type Served = PageView | Form;

/**
 * Creates the handler of a function that serves the pages and forms in `all`. `others` are pages that other functions
 * serve, but that contain forms of this function.
 */
export function servePages(
  all: readonly Served[],
  others: readonly Served[],
): (event: PageEvent) => Promise<HttpAnswer> {
  const connect = connectOnce();
  const pages = new Map(
    [...all, ...others].flatMap((one) => ('show' in one ? [[one.declaration.operationId, one] as const] : [])),
  );
  const byRoute = new Map(all.map((one) => [`${one.declaration.method} ${one.declaration.path}`, one]));
  return async (event) => {
    const served = byRoute.get(`${event.httpMethod} ${event.resource}`);
    if (!served)
      throw new Error(`No page is declared for ${event.httpMethod} ${event.resource}. Rebuild and redeploy the pages`);
    return new PageRequest(connect(), event, served, pages).answer();
  };
}

class PageRequest {
  readonly #services: Services;
  readonly #event: PageEvent;
  readonly #served: Served;
  readonly #pages: ReadonlyMap<string, PageView>;
  #visit: Visit | AnyVisit | PolledVisit;

  constructor(services: Services, event: PageEvent, served: Served, pages: ReadonlyMap<string, PageView>) {
    this.#services = services;
    this.#pages = pages;
    this.#event = event;
    this.#served = served;
    const { theme } = readCookies(header(event, 'cookie'));
    this.#visit = { base: new URL(services.origin).pathname.replace(/\/$/, ''), theme };
  }

  async answer(): Promise<HttpAnswer> {
    if (isBelow(this.#event, BUILT_API_SEGMENTS)) return this.#signpost() ?? this.#noSuchOperation();
    try {
      return await this.#answered();
    } catch (error) {
      const statusCode = error instanceof ApiError ? error.statusCode : 500;
      const view = problemPage(error, this.#event.requestContext.requestId, this.#visit);
      return this.#send(html(layout(this.#visit, view)), { statusCode, error });
    }
  }

  /**
   * The response to somebody who opens `/v1` or `/v1/docs` in a browser: `/v1` lists links, and `/v1/docs` redirects to
   * the OpenAPI document.
   */
  #signpost(): HttpAnswer | undefined {
    const { path, httpMethod } = this.#event;
    const { origin } = this.#services;
    const documentation = `${origin}/v1/docs/openapi.json`;
    if (httpMethod !== 'GET') return undefined;
    if (path === '/v1/docs') {
      return this.#send(redirect(documentation, { statusCode: 302 }));
    }
    if (path !== '/v1') return undefined;
    const index = { name: 'Rundown API', documentation, health: `${origin}/v1/health`, mcp: `${origin}/mcp` };
    return this.#send(new Content('json', 'application/json', JSON.stringify(index)));
  }

  /**
   * §7 The response to an API client that calls an unknown path. Such a client expects an API error, not a page or a
   * redirect to the sign-in page.
   */
  #noSuchOperation(): HttpAnswer {
    const error = noSuchOperation();
    const { statusCode, message } = errorAnswer(error, this.#event.requestContext.requestId);
    return this.#send(new Content('json', 'application/json', message), { statusCode, error });
  }

  async #answered(): Promise<HttpAnswer> {
    const { needs } = this.#served.declaration;
    const elsewhere = atLocalhost(this.#event, this.#services.origin);
    if (elsewhere !== undefined) {
      return this.#send(redirect(elsewhere, { statusCode: 308 }), { isSecret: true });
    }
    if (this.#event.httpMethod === 'POST') refuseOtherSites(this.#event, this.#services.origin);
    const visit = needs === 'public' ? undefined : await this.#signedIn();
    if (needs !== 'public' && needs !== 'visitor') {
      if (!visit) return this.#leadTo(signInHref);
      if (needs !== 'account' && !may(visit.person, needs)) throw pageRefused();
      if (this.#isStale(visit))
        return this.#leadTo((...to) => confirmHref(...to, this.#served.declaration.operationId));
    }
    const path = validated(this.#served.declaration.pathParameters, this.#event.pathParameters ?? {});
    const request: AnyRequest = {
      visit: this.#visit,
      path: { ...textsIn(this.#event.pathParameters), ...textsIn(path) },
      here: hereOf(this.#event),
      header: (name) => header(this.#event, name),
    };
    return 'show' in this.#served ? this.#show(this.#served, request) : this.#submit(this.#served, request);
  }

  async #signedIn(): Promise<AnyVisit | PolledVisit | undefined> {
    const { session: secret } = readCookies(header(this.#event, 'cookie'));
    const { declaration } = this.#served;
    const asked = { secret, declaration, places: this.#event.pathParameters ?? {} };
    const { visit, refusal } = await visitOfRequest(this.#services, this.#visit, asked);
    // `#visit` is set before throwing, so that the error page shows the account in its header.
    if (visit) this.#visit = visit;
    if (refusal) throw refusal;
    return visit;
  }

  async #show(page: PageView, request: AnyRequest): Promise<HttpAnswer> {
    const { query } = page;
    const sent = withoutEmpty(this.#event.multiValueQueryStringParameters ?? {});
    try {
      const values = validated(query, readQuery(query, sent).values, (place) => asSent(query, sent, place));
      return this.#shown(await page.show({ ...request, query: values, refused: undefined }, this.#services), 200);
    } catch (error) {
      const usual = query.safeParse({});
      if (!(error instanceof ApiError) || error.statusCode !== 400 || !usual.success) throw error;
      const at = { ...request, query: usual.data, queryProblem: error, refused: undefined };
      const view = await page.show(at, this.#services);
      if (view instanceof Content) throw error;
      return this.#shown({ ...view, queryProblem: error }, error.statusCode, error);
    }
  }

  async #submit(form: Form, request: AnyRequest): Promise<HttpAnswer> {
    const { sent, values } = await this.#fields(form);
    try {
      const fields = validated(form.fields, sent);
      return this.#shown(await form.submit({ ...request, fields }, this.#services), 200);
    } catch (error) {
      if (!(error instanceof ApiError) || error.statusCode === 403) throw error;
      const { about = [], body } = error.details;
      const { operationId } = form.declaration;
      const refused: RefusedForm = { operationId, problem: error.message, about, values, body };
      const own = this.#pages.get(form.declaration.page ?? '');
      if (!own)
        throw new Error(`The page of the form ${operationId} is not in this bundle. Rebuild and redeploy the pages`);
      const view = await own.show({ ...request, query: own.query.parse({}), refused }, this.#services);
      return this.#shown(view, error.statusCode, error);
    }
  }

  /**
   * Reads the submitted fields. `values` contains all fields except files, because a refused form cannot show files
   * again.
   */
  async #fields({ sendsFile }: Form): Promise<{ readonly sent: unknown; readonly values: FormFields }> {
    const encoded = encodedBody(this.#event);
    const contentType = header(this.#event, 'content-type');
    if (!sendsFile) {
      const values = formFields(encoded, contentType);
      return { sent: values, values };
    }
    const sent = await fileFields(encoded, contentType);
    const values = Object.entries(sent).flatMap(([name, value]) =>
      value instanceof SentFile ? [] : [[name, value] as const],
    );
    return { sent, values: Object.fromEntries(values) };
  }

  #shown(view: View | Content, statusCode: number, error?: unknown): HttpAnswer {
    if (view instanceof Content) return this.#send(view, { statusCode, error });
    const { cookies = [], hasSecret: isSecret = false, isShared = false, problem, formTarget, uploads } = view;
    return this.#send(html(layout(this.#visit, view), { cookies, ...(isShared ? UNLISTED : {}) }), {
      statusCode: problem?.statusCode ?? statusCode,
      isSecret,
      formTarget,
      uploads,
      error: error ?? problem,
    });
  }

  /**
   * Whether the person must sign in again. A page requires a more recent sign-in than the form on it, so that the
   * sign-in does not expire while the person fills in the form.
   */
  #isStale({ session }: AnyVisit | PolledVisit): boolean {
    const { kind, fresh, asksItself } = this.#served.declaration;
    const { freshMilliseconds, freshPageMilliseconds } = SIGN_IN_LIMITS;
    const limit = kind === 'page' ? freshPageMilliseconds : freshMilliseconds;
    return fresh !== undefined && !asksItself && !isFresh(session, this.#services.now(), limit);
  }

  #leadTo(href: (visit: Visit, returnTo: string) => string): HttpAnswer {
    const location = href(this.#visit, returnPathOf(this.#event, this.#visit.base));
    return this.#send(redirect(location), { isSecret: true });
  }

  #send(
    content: Content,
    { error, ...framing }: Omit<Parameters<typeof pageAnswer>[2], 'event'> & { readonly error?: unknown } = {},
  ): HttpAnswer {
    const { operationId } = this.#served.declaration;
    const event = this.#event;
    const answer = pageAnswer(this.#services, content, { ...framing, event });
    const { statusCode } = answer;
    const accountId = 'person' in this.#visit ? this.#visit.person.accountId : undefined;
    logRequest({ operationId, event, accountId, meter: this.#services.table.meter, statusCode, error });
    return answer;
  }
}

/** Headers that make search engines ignore a page, and browsers hide its address from other sites. */
const UNLISTED = { headers: { 'X-Robots-Tag': 'noindex, nofollow', 'Referrer-Policy': 'no-referrer' } };

const textsIn = (values: Readonly<Record<string, unknown>> | null): Record<string, string> =>
  Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, String(value)]));

// Reads the HTTP request of a page.

interface PageEvent extends ProxyEvent {
  /** The path as declared, such as `/{organizationId}`. */
  readonly resource: string;
  /** The path as requested, without the stage of API Gateway. */
  readonly path: string;
}

/**
 * Whether the path begins with one of the `segments`. API Gateway matches such a path to a page route that begins with
 * a parameter, such as `/{organizationId}`, if no other route has the path and method.
 */
function isBelow({ resource, pathParameters }: PageEvent, segments: readonly string[]): boolean {
  const [, parameter] = /^\/\{(\w+)\}/.exec(resource) ?? [];
  return parameter !== undefined && segments.includes(pathParameters?.[parameter] ?? '');
}

/**
 * Throws 403 for a form from another site (CSRF protection). `SameSite` cookies do not distinguish forms of this
 * service from forms on another port of the same host, but the headers `Sec-Fetch-Site` and `Origin` do.
 */
function refuseOtherSites(event: PageEvent, origin: string): void {
  const site = header(event, 'sec-fetch-site');
  const isOurs = site === undefined ? header(event, 'origin') === new URL(origin).origin : site === 'same-origin';
  if (!isOurs) throw crossSiteForm();
}

/** Drops empty values, because a GET form also sends its empty fields. */
const withoutEmpty = (sent: Readonly<Record<string, readonly string[] | undefined>>) =>
  Object.fromEntries(
    Object.entries(sent)
      .map(([name, texts]) => [name, (texts ?? []).filter((text) => text !== '')] as const)
      .filter(([, texts]) => texts.length > 0),
  );

function hereOf({ path, multiValueQueryStringParameters }: PageEvent): string {
  const pairs = Object.entries(multiValueQueryStringParameters ?? {}).flatMap(([name, texts]) =>
    (texts ?? []).map((text): [string, string] => [name, text]),
  );
  const query = new URLSearchParams(pairs).toString();
  return query === '' ? path : `${path}?${query}`;
}

/**
 * The URL to return to after signing in. A redirect cannot repeat a POST, so the person returns to the page that
 * contains the form.
 */
function returnPathOf(event: PageEvent, base: string): string {
  if (event.httpMethod === 'GET') return hereOf(event);
  const referer = header(event, 'referer') ?? '';
  const { pathname, search } = URL.canParse(referer) ? new URL(referer) : { pathname: '/', search: '' };
  return (pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname) + search;
}

const LOOPBACK_ADDRESS = /^(127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * The URL of the requested page at `localhost`, if the request was sent to a loopback address such as 127.0.0.1.
 * Passkeys and cookies work only with the host name.
 */
function atLocalhost(event: PageEvent, origin: string): string | undefined {
  const isAddress = LOOPBACK_ADDRESS.test(header(event, 'host') ?? '');
  return isAddress && new URL(origin).hostname === 'localhost' ? origin + hereOf(event) : undefined;
}

// Determines who is signed in, and which organization and project the URL contains, for one page request.

/**
 * Finds out who requests a page. `visit` is absent if nobody is signed in, or if the account of the session was
 * deleted.
 */
async function visitOfRequest(
  services: Services,
  start: Visit,
  {
    secret,
    declaration: { needs, isPolled },
    places,
  }: {
    /** The session secret from the cookie. */
    readonly secret: string | undefined;
    readonly declaration: Pick<PageDeclaration, 'needs' | 'isPolled'>;
    readonly places: Readonly<Record<string, string | undefined>>;
  },
): Promise<KnownVisit | { readonly visit: PolledVisit; readonly refusal?: never }> {
  const session = await readSession(services, secret, { consistent: !isPolled });
  if (!session) return { visit: undefined };
  const known = { ...start, session };
  if (isPolled && !isRecordDue(session, services.now()))
    return { visit: await readPolledVisit(services, known, places) };
  const read = await readVisit(services, known, needs === 'visitor' ? {} : places);
  if (read.visit && !read.refusal) await recordRequest(services, session);
  return read;
}
