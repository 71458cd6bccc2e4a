/**
 * One function that serves several pages and forms. Each request passes through these steps: route, origin check,
 * session, permission, then the page itself.
 */

import { may } from '#shared/access/may.ts';
import { ApiError, noSuchOperation, notFound } from '#shared/engine/errors.ts';
import { answerError, type HttpAnswer } from '#shared/engine/http/answer.ts';
import { getEncodedBody } from '#shared/engine/http/body.ts';
import { Content, makeHtmlContent, redirect } from '#shared/engine/http/content.ts';
import { getRequestId, type ProxyEvent, readHeader } from '#shared/engine/http/event.ts';
import { parseFileFields, SentFile } from '#shared/engine/http/file-form.ts';
import { type FormFields, parseFormFields } from '#shared/engine/http/form.ts';
import { findSentPath, readQuery } from '#shared/engine/http/query.ts';
import type { Lookup } from '#shared/engine/table/found.ts';
import { CompanySignInRequired } from '#shared/organizations/errors.ts';
import { comesFromElsewhere } from '#shared/pages/shell/embedded-style.tsx';
import { findFormNotice } from '#shared/pages/shell/form-notices.ts';
import { linkToCompanySignIn, linkToConfirm, linkToSignIn } from '#shared/pages/shell/hrefs.ts';
import { renderLayout } from '#shared/pages/shell/layout.tsx';
import { makeProblemPage } from '#shared/pages/shell/problem-page.tsx';
import type { RefusedForm, View } from '#shared/pages/shell/view.ts';
import type { Services } from '#shared/services.ts';
import { expireDoneCookie, makeDoneCookie, readCookies, type SentCookies } from '#shared/sign-in/cookies.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { isFresh, isRecordDue, recordRequest } from '#shared/sign-in/sessions.ts';
import {
  type AnyVisit,
  admitPoll,
  judgeVisit,
  type KnownVisit,
  type PolledVisit,
  readPolledRows,
  readVisitRows,
  type Visit,
} from '#shared/sign-in/visit.ts';
import { connectOnce } from './connect.ts';
import { findDeclaredPath, isGreedy } from './declared-path.ts';
import { companySessionRefused, crossSiteForm, pageRefused } from './errors.ts';
import { answerHead } from './head.ts';
import { logRequest } from './log.ts';
import { type AnyRequest, type Form, type PageDeclaration, type PageView, page } from './page.ts';
import { answerPage } from './page-answer.ts';
import { validatePart } from './request.ts';

declare const BUILT_API_SEGMENTS: readonly string[];

type PageOrForm = PageView | Form;

/** `others`: pages that other functions serve, but that contain forms of this function. */
export function servePages(
  all: readonly PageOrForm[],
  others: readonly PageOrForm[],
): (event: PageEvent) => Promise<HttpAnswer> {
  const connect = connectOnce();
  const pages = new Map(
    [...all, ...others].flatMap((one) => ('show' in one ? [[one.declaration.operationId, one] as const] : [])),
  );
  const byRoute = new Map(all.map((one) => [`${one.declaration.method} ${one.declaration.path}`, one]));
  const findPage = (event: PageEvent): { readonly event: PageEvent; readonly pageOrForm: PageOrForm } => {
    const { httpMethod, resource, pathParameters } = event;
    const pageOrForm = byRoute.get(`${httpMethod} ${resource}`);
    if (pageOrForm) return { event, pageOrForm };
    if (!isGreedy(resource))
      throw new Error(`No page is declared for ${httpMethod} ${resource}. Rebuild and redeploy the pages`);
    const paths = all.map(({ declaration }) => declaration).filter(({ method }) => method === httpMethod);
    const match = findDeclaredPath(
      paths.map(({ path }) => path),
      resource,
      pathParameters ?? {},
    );
    const matchedPage = match && byRoute.get(`${httpMethod} ${match.path}`);
    if (!matchedPage) return { event, pageOrForm: showNothing };
    return { event: { ...event, resource: match.path, pathParameters: match.pathParameters }, pageOrForm: matchedPage };
  };
  return answerHead(async (event: PageEvent) =>
    new PageRequest(connect(getRequestId(event)), findPage(event), pages).answer(),
  );
}

/** Unknown URLs below an organization get a 404 page. */
const showNothing = page({
  operationId: 'showNothing',
  route: 'GET /{organizationId}',
  needs: 'account',
  access: { table: 'none', artifacts: 'none' },
  show: () => {
    throw notFound('Page');
  },
});

class PageRequest {
  readonly #services: Services;
  readonly #event: PageEvent;
  readonly #served: PageOrForm;
  readonly #pages: ReadonlyMap<string, PageView>;
  #visit: Visit | AnyVisit | PolledVisit;
  #firstRow: unknown;

  constructor(
    services: Services,
    { event, pageOrForm }: { readonly event: PageEvent; readonly pageOrForm: PageOrForm },
    pages: ReadonlyMap<string, PageView>,
  ) {
    this.#services = services;
    this.#pages = pages;
    this.#event = event;
    this.#served = pageOrForm;
    const { theme } = readCookies(readHeader(event, 'cookie'));
    this.#visit = { base: new URL(services.origin).pathname.replace(/\/$/, ''), theme };
  }

  async answer(): Promise<HttpAnswer> {
    if (isBelow(this.#event, BUILT_API_SEGMENTS)) return this.#signpost() ?? this.#noSuchOperation();
    try {
      return await this.#answered();
    } catch (error) {
      const statusCode = error instanceof ApiError ? error.statusCode : 500;
      const view = makeProblemPage(error, getRequestId(this.#event), this.#visit);
      return this.#send(makeHtmlContent(this.#render(view)), { statusCode, error });
    }
  }

  /** For people who open `/v1`, a list of links, or `/v1/docs`, a redirect to the OpenAPI document, in a browser. */
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

  /** §7 API clients that call an unknown path expect an API error, not a page or a redirect to the sign-in page. */
  #noSuchOperation(): HttpAnswer {
    const error = noSuchOperation();
    const { statusCode, message } = answerError(error, getRequestId(this.#event));
    return this.#send(new Content('json', 'application/json', message), { statusCode, error });
  }

  async #answered(): Promise<HttpAnswer> {
    const { needs } = this.#served.declaration;
    const elsewhere = findLocalhostUrl(this.#event, this.#services.origin);
    if (elsewhere !== undefined) {
      return this.#send(redirect(elsewhere, { statusCode: 308 }), { isSecret: true });
    }
    if (this.#event.httpMethod === 'POST') refuseOtherSites(this.#event, this.#services.origin);
    const visit = needs === 'public' ? undefined : await this.#signedIn();
    if (visit instanceof CompanySignInRequired)
      return this.#leadTo((at, returnTo) => linkToCompanySignIn(at, visit.organizationId, { returnTo }));
    if (needs !== 'public' && needs !== 'visitor') {
      if (!visit) return this.#leadTo(linkToSignIn);
      if (needs !== 'account' && !may(visit.person, needs)) throw pageRefused();
      const isBound = needs === 'account' && visit.person.signIn?.company !== undefined;
      if (isBound && !this.#served.declaration.inCompanySession) throw companySessionRefused();
      if (this.#isStale(visit))
        return this.#leadTo((...to) => linkToConfirm(...to, this.#served.declaration.operationId));
    }
    const path = validatePart(this.#served.declaration.pathParameters, this.#event.pathParameters ?? {});
    const request: AnyRequest = {
      visit: this.#visit,
      path: { ...toTexts(this.#event.pathParameters), ...toTexts(path) },
      here: formatRequestPath(this.#event),
      header: (name) => readHeader(this.#event, name),
      firstRow: this.#firstRow,
    };
    return 'show' in this.#served ? this.#show(this.#served, request) : this.#submit(this.#served, request);
  }

  async #signedIn(): Promise<AnyVisit | PolledVisit | CompanySignInRequired | undefined> {
    const cookie = readCookies(readHeader(this.#event, 'cookie'));
    const { declaration } = this.#served;
    const places = this.#event.pathParameters ?? {};
    const path = declaration.pathParameters.safeParse(places);
    const firstLookup = 'show' in this.#served && path.success ? this.#served.findFirst?.(toTexts(places)) : undefined;
    const request = { cookie, declaration, places, firstLookup };
    const { visit, refusal, firstRow } = await identifyVisitor(this.#services, this.#visit, request);
    // `#visit` is set before throwing, so that the error page shows the account in its header.
    if (visit) this.#visit = visit;
    if (refusal instanceof CompanySignInRequired) return refusal;
    if (refusal) throw refusal;
    this.#firstRow = firstRow;
    return visit;
  }

  async #show(page: PageView, request: AnyRequest): Promise<HttpAnswer> {
    const { query } = page;
    const sentValues = dropEmptyValues(this.#event.multiValueQueryStringParameters ?? {});
    try {
      const values = validatePart(query, readQuery(query, sentValues).values, (place) =>
        findSentPath(query, sentValues, place),
      );
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
      const fields = validatePart(form.fields, sent);
      return this.#done(form, await form.submit({ ...request, fields }, this.#services));
    } catch (error) {
      if (!(error instanceof ApiError) || error.statusCode === 403) throw error;
      const { about = [], body } = error.details;
      const { operationId } = form.declaration;
      const refusedForm: RefusedForm = { operationId, problem: error.message, about, values, body };
      const page = this.#pages.get(form.declaration.page ?? '');
      if (!page)
        throw new Error(`The page of the form ${operationId} is not in this bundle. Rebuild and redeploy the pages`);
      const view = await page.show({ ...request, query: page.query.parse({}), refused: refusedForm }, this.#services);
      return this.#shown(view, error.statusCode, error);
    }
  }

  /** A form redirects, and the page that it leads to says what was done. */
  #done({ declaration: { operationId } }: Form, view: View | Content): HttpAnswer {
    if (!(view instanceof Content) || findFormNotice(operationId) === undefined) return this.#shown(view, 200);
    const { kind, contentType, body, headers, statusCode } = view;
    const cookies = [...view.cookies, makeDoneCookie(operationId)];
    const options = { headers, cookies, ...(statusCode === undefined ? {} : { statusCode }) };
    return this.#shown(new Content(kind, contentType, body, options), 200);
  }

  /** `values` contains all fields except files, because a refused form cannot show files again. */
  async #fields({ sendsFile }: Form): Promise<{ readonly sent: unknown; readonly values: FormFields }> {
    const body = getEncodedBody(this.#event);
    const contentType = readHeader(this.#event, 'content-type');
    if (!sendsFile) {
      const values = parseFormFields(body, contentType);
      return { sent: values, values };
    }
    const fields = await parseFileFields(body, contentType);
    const values = Object.entries(fields).flatMap(([name, value]) =>
      value instanceof SentFile ? [] : [[name, value] as const],
    );
    return { sent: fields, values: Object.fromEntries(values) };
  }

  #shown(view: View | Content, statusCode: number, error?: unknown): HttpAnswer {
    if (view instanceof Content) return this.#send(view, { statusCode, error });
    const { hasSecret: isSecret = false, isShared = false, problem, formTarget, uploads } = view;
    const notice = findFormNotice(readCookies(readHeader(this.#event, 'cookie')).done);
    const cookies = [...(view.cookies ?? []), ...(notice === undefined ? [] : [expireDoneCookie()])];
    const html = this.#render({ ...view, said: error === undefined ? notice : undefined });
    return this.#send(makeHtmlContent(html, { cookies, ...(isShared ? UNLISTED : {}) }), {
      statusCode: problem?.statusCode ?? statusCode,
      isSecret,
      formTarget,
      uploads,
      error: error ?? problem,
    });
  }

  #render(view: View): string {
    return renderLayout(this.#visit, view, { isFromElsewhere: comesFromElsewhere(this.#event) });
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
    const location = href(this.#visit, getReturnPath(this.#event, this.#visit.base));
    return this.#send(redirect(location), { isSecret: true });
  }

  #send(
    content: Content,
    { error, ...framing }: Omit<Parameters<typeof answerPage>[2], 'event'> & { readonly error?: unknown } = {},
  ): HttpAnswer {
    const { operationId } = this.#served.declaration;
    const event = this.#event;
    const answer = answerPage(this.#services, content, { ...framing, event });
    const { statusCode } = answer;
    const accountId = 'person' in this.#visit ? this.#visit.person.accountId : undefined;
    logRequest({ operationId, event, accountId, meter: this.#services.table.meter, statusCode, error });
    return answer;
  }
}

/** Headers that make search engines ignore a page, and browsers hide its address from other sites. */
const UNLISTED = { headers: { 'X-Robots-Tag': 'noindex, nofollow', 'Referrer-Policy': 'no-referrer' } };

const toTexts = (values: Readonly<Record<string, unknown>> | null): Record<string, string> =>
  Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, String(value)]));

interface PageEvent extends ProxyEvent {
  /** As declared, such as `/{organizationId}`. */
  readonly resource: string;
  /** As requested, without the stage of API Gateway. */
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
  const site = readHeader(event, 'sec-fetch-site');
  const isOurs = site === undefined ? readHeader(event, 'origin') === new URL(origin).origin : site === 'same-origin';
  if (!isOurs) throw crossSiteForm();
}

/** A GET form also sends its empty fields. */
const dropEmptyValues = (values: Readonly<Record<string, readonly string[] | undefined>>) =>
  Object.fromEntries(
    Object.entries(values)
      .map(([name, texts]) => [name, (texts ?? []).filter((text) => text !== '')] as const)
      .filter(([, texts]) => texts.length > 0),
  );

function formatRequestPath({ path, multiValueQueryStringParameters }: PageEvent): string {
  const pairs = Object.entries(multiValueQueryStringParameters ?? {}).flatMap(([name, texts]) =>
    (texts ?? []).map((text): [string, string] => [name, text]),
  );
  const query = new URLSearchParams(pairs).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** A redirect cannot repeat a POST, so the person returns to the page that contains the form. */
function getReturnPath(event: PageEvent, base: string): string {
  if (event.httpMethod === 'GET') return formatRequestPath(event);
  const referer = readHeader(event, 'referer') ?? '';
  const { pathname, search } = URL.canParse(referer) ? new URL(referer) : { pathname: '/', search: '' };
  return (pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname) + search;
}

const LOOPBACK_ADDRESS = /^(127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** For requests to a loopback address such as 127.0.0.1: passkeys and cookies work only with the host name. */
function findLocalhostUrl(event: PageEvent, origin: string): string | undefined {
  const isAddress = LOOPBACK_ADDRESS.test(readHeader(event, 'host') ?? '');
  return isAddress && new URL(origin).hostname === 'localhost' ? origin + formatRequestPath(event) : undefined;
}

interface Identification {
  /** Absent if nobody is signed in, or if the account of the session was deleted. */
  readonly visit: KnownVisit['visit'] | PolledVisit;
  readonly refusal?: ApiError | undefined;
  /** The first row of the page, which is only for a visit that is allowed. */
  readonly firstRow?: unknown;
}

async function identifyVisitor(
  services: Services,
  start: Visit,
  {
    cookie,
    declaration: { needs, isPolled },
    places,
    firstLookup,
  }: {
    readonly cookie: Pick<SentCookies, 'session' | 'hint'>;
    readonly declaration: Pick<PageDeclaration, 'needs' | 'isPolled'>;
    readonly places: Readonly<Record<string, string | undefined>>;
    readonly firstLookup: Lookup<unknown> | undefined;
  },
): Promise<Identification> {
  if (isPolled) {
    const polledRows = await readPolledRows(services, cookie, places);
    if (!polledRows) return { visit: undefined };
    if (!isRecordDue(polledRows.session, services.now())) return { visit: admitPoll(start, polledRows, places) };
  }
  const visitedPlaces = needs === 'visitor' ? {} : places;
  const read = await readVisitRows(services, cookie, visitedPlaces, firstLookup ? [firstLookup] : []);
  if (!read) return { visit: undefined };
  const { session, rows } = read;
  const identification = judgeVisit(services, { ...start, session }, visitedPlaces, rows);
  if (!identification.visit || identification.refusal) return identification;
  await recordRequest(services, session);
  return { ...identification, firstRow: firstLookup && rows.of(firstLookup) };
}
