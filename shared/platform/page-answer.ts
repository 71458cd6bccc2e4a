/** Turns a page into an HTTP response with security headers. */
import { answerNotModified, answerResult, type HttpAnswer } from '#shared/engine/http/answer.ts';
import { type Content, computeEntityTag, makeHtmlContent } from '#shared/engine/http/content.ts';
import { getRequestId, type ProxyEvent, readHeader } from '#shared/engine/http/event.ts';
import type { AuthorizationProblem } from '#shared/oauth/request-state.ts';
import { renderLayout } from '#shared/pages/shell/layout.tsx';
import { makeProblemPage } from '#shared/pages/shell/problem-page.tsx';
import { comesFromElsewhere, listStyleHashes } from '#shared/pages/shell/style-sheets.tsx';
import type { Services } from '#shared/services.ts';
import { readCookies } from '#shared/sign-in/cookies.ts';
import { requestForAccess } from './errors.ts';

type Headers = Readonly<Record<string, string>>;

/** In addition to the defaults of the Content-Security-Policy. */
interface Places {
  /** An additional origin to which forms of the page may redirect. */
  readonly formTarget?: string | undefined;
  /** Whether the script of the page uploads files to S3. */
  readonly uploads?: boolean | undefined;
}

/** `require-trusted-types-for` makes the browser refuse plain strings that scripts try to insert as HTML. */
const buildSecurityPolicy = (artifacts: string, { formTarget = '', uploads = false }: Places): string =>
  [
    "default-src 'none'",
    `style-src 'self' ${listStyleHashes()}`,
    "script-src 'self'",
    `img-src 'self' ${artifacts}`,
    `media-src 'self' ${artifacts}`,
    `connect-src 'self'${uploads ? ` ${artifacts}` : ''}`,
    `form-action 'self'${formTarget && ` ${formTarget}`}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types rundown',
  ].join('; ');

const buildSecurityHeaders = (
  { artifacts, origin }: Pick<Services, 'artifacts' | 'origin'>,
  places: Places,
): Headers => ({
  'Content-Security-Policy': buildSecurityPolicy(artifacts.origin, places),
  // Not `no-referrer`, because browsers would then send `Origin: null` with the forms of this service.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  Vary: 'Cookie, Accept-Encoding, Sec-Fetch-Site',
  ...(origin.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
});

interface Framing extends Places {
  readonly statusCode?: number;
  readonly event: ProxyEvent;
  /** Browsers must not store such a page. */
  readonly isSecret?: boolean;
}

export function answerPage(services: Services, content: Content, framing: Framing): HttpAnswer {
  const { statusCode = 200, event, isSecret = false } = framing;
  const isStorable = statusCode === 200 && event.httpMethod === 'GET' && content.kind === 'html' && !isSecret;
  const eTag = isStorable ? computeEntityTag(content.body) : undefined;
  const headers = {
    ...buildSecurityHeaders(services, framing),
    'Cache-Control': isStorable ? 'private, no-cache' : 'no-store',
    'x-request-id': getRequestId(event),
    ...(eTag === undefined ? {} : { ETag: eTag }),
    ...content.headers,
  };
  if (headers.ETag !== undefined && readHeader(event, 'if-none-match') === headers.ETag)
    return answerNotModified(headers);
  return answerResult(content, {
    statusCode,
    acceptEncoding: readHeader(event, 'accept-encoding') ?? '',
    headers,
    limit: { what: 'The page', remedies: ['open a page with fewer rows'] },
  });
}

export function answerProblem(
  services: Services,
  event: ProxyEvent,
  { statusCode, error, description }: AuthorizationProblem,
): HttpAnswer {
  const { theme } = readCookies(readHeader(event, 'cookie'));
  const visit = { base: new URL(services.origin).pathname.replace(/\/$/, ''), theme };
  const view = makeProblemPage(requestForAccess(statusCode, error, description), getRequestId(event), visit);
  const html = renderLayout(visit, view, { isFromElsewhere: comesFromElsewhere(event) });
  return answerPage(services, makeHtmlContent(html), { statusCode, event, isSecret: true });
}
