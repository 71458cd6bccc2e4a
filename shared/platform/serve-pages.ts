/**
 * One function that serves several pages and forms. Each request passes through these steps: route, origin check,
 * session, permission, then the page itself.
 */
import { ACTIONS } from '#shared/access/actions.ts';
import { may } from '#shared/access/may.ts';
import { ApiError, noSuchOperation, notFound } from '#shared/engine/errors.ts';
import { answerError, type HttpAnswer } from '#shared/engine/http/answer.ts';
import { getEncodedBody } from '#shared/engine/http/body.ts';
import { Content, makeHtmlContent, redirect } from '#shared/engine/http/content.ts';
import { getRequestId, readHeader } from '#shared/engine/http/event.ts';
import { parseFileFields, SentFile } from '#shared/engine/http/file-form.ts';
import { type FormFields, parseFormFields } from '#shared/engine/http/form.ts';
import { findSentPath, readQuery } from '#shared/engine/http/query.ts';
import { CompanySignInRequired } from '#shared/organizations/errors.ts';
import { findFormNotice } from '#shared/pages/shell/form-notices.ts';
import { describeQueryProblem } from '#shared/pages/shell/here.ts';
import { linkToCompanySignIn, linkToConfirm, linkToSignIn } from '#shared/pages/shell/hrefs.ts';
import { renderLayout } from '#shared/pages/shell/layout.tsx';
import { isOfDeletedProject } from '#shared/pages/shell/may-add.ts';
import { makeProblemPage } from '#shared/pages/shell/problem-page.tsx';
import { comesFromElsewhere } from '#shared/pages/shell/style-sheets.tsx';
import type { RefusedForm, View } from '#shared/pages/shell/view.ts';
import type { Services } from '#shared/services.ts';
import { expireDoneCookie, isDoneCookie, makeDoneCookie, readCookies } from '#shared/sign-in/cookies.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { isFresh } from '#shared/sign-in/sessions.ts';
import type { AnyVisit, PolledVisit, Visit } from '#shared/sign-in/visit.ts';
import { connectOnce } from './connect.ts';
import { findDeclaredPath, isGreedy } from './declared-path.ts';
import { companySessionRefused, pageRefused, projectRefused } from './errors.ts';
import { answerHead } from './head.ts';
import { identifyVisitor } from './identify-visitor.ts';
import { logRequest } from './log.ts';
import { type AnyRequest, type Form, type PageView, page } from './page.ts';
import { answerPage } from './page-answer.ts';
import {
  dropEmptyValues,
  findLocalhostUrl,
  formatRequestPath,
  getReturnPath,
  isBelow,
  type PageEvent,
  refuseOtherSites,
} from './page-event.ts';
import { validatePart } from './request.ts';

declare const BUILT_API_SEGMENTS: readonly string[];

type PageOrForm = PageView | Form;

/** `others`: pages that other functions serve, but that contain forms of this function. */
export function servePages(
  all: readonly PageOrForm[],
  others: readonly PageOrForm[],
): (event: PageEvent) => Promise<HttpAnswer> {
  const connect = connectOnce();
  const views = [...all, ...others].filter((one) => 'show' in one);
  const pages = new Map(views.map((view) => [view.declaration.operationId, view]));
  const byRoute = new Map(all.map((one) => [`${one.declaration.method} ${one.declaration.path}`, one]));
  const findPage = (event: PageEvent): { readonly event: PageEvent; readonly pageOrForm: PageOrForm } => {
    const { httpMethod, resource, pathParameters } = event;
    const pageOrForm = byRoute.get(`${httpMethod} ${resource}`);
    if (pageOrForm) return { event, pageOrForm };
    if (!isGreedy(resource))
      throw new Error(`No page is declared for ${httpMethod} ${resource}. Rebuild and redeploy the pages`);
    const declarations = all.map(({ declaration }) => declaration).filter(({ method }) => method === httpMethod);
    const paths = declarations.map(({ path }) => path);
    const match = findDeclaredPath(paths, resource, pathParameters ?? {});
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
    if (isBelow(this.#event, BUILT_API_SEGMENTS)) return this.#describeApi() ?? this.#refuseApiPath();
    try {
      return await this.#check();
    } catch (error) {
      const statusCode = error instanceof ApiError ? error.statusCode : 500;
      const view = makeProblemPage(error, getRequestId(this.#event), this.#visit);
      return this.#send(makeHtmlContent(this.#render(view)), { statusCode, error });
    }
  }

  /** For people who open `/v1`, a list of links, or `/v1/docs`, a redirect to the OpenAPI document, in a browser. */
  #describeApi(): HttpAnswer | undefined {
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
  #refuseApiPath(): HttpAnswer {
    const error = noSuchOperation();
    const { statusCode, message } = answerError(error, getRequestId(this.#event));
    return this.#send(new Content('json', 'application/json', message), { statusCode, error });
  }

  async #check(): Promise<HttpAnswer> {
    const { needs } = this.#served.declaration;
    const elsewhere = findLocalhostUrl(this.#event, this.#services.origin);
    if (elsewhere !== undefined) {
      return this.#send(redirect(elsewhere, { statusCode: 308 }), { isSecret: true });
    }
    if (this.#event.httpMethod === 'POST') refuseOtherSites(this.#event, this.#services.origin);
    const visit = needs === 'public' ? undefined : await this.#identify();
    if (visit instanceof CompanySignInRequired)
      return this.#redirect((at, returnTo) => linkToCompanySignIn(at, visit.organizationId, { returnTo }));
    if (needs !== 'public' && needs !== 'visitor') {
      if (!visit) return this.#redirect(linkToSignIn);
      if (needs !== 'account' && !may(visit.person, needs))
        throw pageRefused(ACTIONS[needs].roles, 'role' in visit.person ? visit.person.role : undefined);
      if (this.#served.declaration.adds) refuseDeletedProject(visit);
      const isBound = needs === 'account' && visit.person.signIn?.company !== undefined;
      if (isBound && !this.#served.declaration.inCompanySession) throw companySessionRefused();
      if (this.#isStale(visit))
        return this.#redirect((...to) => linkToConfirm(...to, this.#served.declaration.operationId));
    }
    const path = validatePart(this.#served.declaration.pathParameters, this.#event.pathParameters ?? {});
    const request: AnyRequest = {
      visit: this.#visit,
      path: { ...toTexts(this.#event.pathParameters), ...toTexts(path) },
      pathWithQuery: formatRequestPath(this.#event),
      header: (name) => readHeader(this.#event, name),
      firstRow: this.#firstRow,
    };
    return 'show' in this.#served ? this.#show(this.#served, request) : this.#submit(this.#served, request);
  }

  async #identify(): Promise<AnyVisit | PolledVisit | CompanySignInRequired | undefined> {
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
      return this.#sendView(await page.show({ ...request, query: values, refused: undefined }, this.#services), 200);
    } catch (error) {
      const usual = query.safeParse({});
      if (!(error instanceof ApiError) || error.statusCode !== 400 || !usual.success) throw error;
      const at = { ...request, query: usual.data, queryProblem: error, refused: undefined };
      const view = await page.show(at, this.#services);
      if (view instanceof Content) throw error;
      const queryProblem = describeQueryProblem({ ...request, queryProblem: error });
      return this.#sendView({ ...view, queryProblem }, error.statusCode, error);
    }
  }

  async #submit(form: Form, request: AnyRequest): Promise<HttpAnswer> {
    const { sent, values } = await this.#readFields(form);
    try {
      const fields = validatePart(form.fields, sent);
      return this.#finish(form, await form.submit({ ...request, fields }, this.#services));
    } catch (error) {
      if (!(error instanceof ApiError) || error.statusCode === 403) throw error;
      const { about = [], issues = [], body } = error.details;
      const { operationId } = form.declaration;
      const refusedForm: RefusedForm = { operationId, problem: error.message, about, issues, values, body };
      const page = this.#pages.get(form.declaration.page ?? '');
      if (!page)
        throw new Error(`The page of the form ${operationId} is not in this bundle. Rebuild and redeploy the pages`);
      const view = await page.show({ ...request, query: page.query.parse({}), refused: refusedForm }, this.#services);
      return this.#sendView(view, error.statusCode, error);
    }
  }

  /** A form redirects, and the page that it leads to says what was done. */
  #finish({ declaration: { operationId } }: Form, view: View | Content): HttpAnswer {
    if (!(view instanceof Content) || findFormNotice(operationId) === undefined) return this.#sendView(view, 200);
    const { kind, contentType, body, headers, statusCode } = view;
    // A form that does one of several things names the notice itself.
    const cookies = view.cookies.some(isDoneCookie) ? view.cookies : [...view.cookies, makeDoneCookie(operationId)];
    return this.#sendView(new Content(kind, contentType, body, { headers, cookies, statusCode }), 200);
  }

  /** `values` contains all fields except files, because a refused form cannot show files again. */
  async #readFields({ sendsFile }: Form): Promise<{ readonly sent: unknown; readonly values: FormFields }> {
    const body = getEncodedBody(this.#event);
    const contentType = readHeader(this.#event, 'content-type');
    if (!sendsFile) {
      const values = parseFormFields(body, contentType);
      return { sent: values, values };
    }
    const fields = await parseFileFields(body, contentType);
    const values: Record<string, string | readonly string[]> = {};
    for (const [name, value] of Object.entries(fields)) if (!(value instanceof SentFile)) values[name] = value;
    return { sent: fields, values };
  }

  #sendView(view: View | Content, statusCode: number, error?: unknown): HttpAnswer {
    if (view instanceof Content) return this.#send(view, { statusCode, error });
    const { hasSecret: isSecret = false, isShared = false, problem, formTarget, uploads } = view;
    const notice = findFormNotice(readCookies(readHeader(this.#event, 'cookie')).done);
    const cookies = [...(view.cookies ?? [])];
    if (notice !== undefined) cookies.push(expireDoneCookie());
    const html = this.#render({ ...view, said: error === undefined ? notice : undefined });
    return this.#send(makeHtmlContent(html, { cookies, headers: isShared ? UNLISTED : undefined }), {
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

  #redirect(href: (visit: Visit, returnTo: string) => string): HttpAnswer {
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

function refuseDeletedProject(visit: AnyVisit | PolledVisit): void {
  if ('organizationName' in visit && 'project' in visit && isOfDeletedProject(visit)) throw projectRefused();
}

/** Headers that make search engines ignore a page, and browsers hide its address from other sites. */
const UNLISTED = { 'X-Robots-Tag': 'noindex, nofollow', 'Referrer-Policy': 'no-referrer' };

const toTexts = (values: Readonly<Record<string, unknown>> | null): Record<string, string> =>
  Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, String(value)]));
