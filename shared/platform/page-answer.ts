/** Turns a page into an HTTP response with security headers. */
import { answerWith, type HttpAnswer, notModified } from '#shared/engine/http/answer.ts';
import { type Content, entityTag, html } from '#shared/engine/http/content.ts';
import { header, type ProxyEvent } from '#shared/engine/http/event.ts';
import type { AuthorizationProblem } from '#shared/oauth/request-state.ts';
import { layout } from '#shared/pages/shell/layout.tsx';
import { problemPage } from '#shared/pages/shell/problem-page.tsx';
import type { Services } from '#shared/services.ts';
import { readCookies } from '#shared/sign-in/cookies.ts';
import { requestForAccess } from './errors.ts';

type Headers = Readonly<Record<string, string>>;

/** What the Content-Security-Policy of a page must allow in addition to the defaults. */
interface Places {
  /** An additional origin to which forms of the page may redirect. */
  readonly formTarget?: string | undefined;
  /** Whether the script of the page uploads files to S3. */
  readonly uploads?: boolean | undefined;
}

/**
 * The Content-Security-Policy. `require-trusted-types-for` makes the browser refuse plain strings that scripts try to
 * insert as HTML.
 */
const policy = (artifacts: string, { formTarget = '', uploads = false }: Places): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
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

/** The headers of every response of a page function. */
const securityHeaders = ({ artifacts, origin }: Pick<Services, 'artifacts' | 'origin'>, places: Places): Headers => ({
  'Content-Security-Policy': policy(artifacts.origin, places),
  // Not `no-referrer`, because browsers would then send `Origin: null` with the forms of this service.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  Vary: 'Cookie, Accept-Encoding',
  ...(origin.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
});

interface Framing extends Places {
  readonly statusCode?: number;
  readonly event: ProxyEvent;
  /** Whether the page shows a secret, so that browsers must not store it. */
  readonly isSecret?: boolean;
}

export function pageAnswer(services: Services, content: Content, framing: Framing): HttpAnswer {
  const { statusCode = 200, event, isSecret = false } = framing;
  const isStorable = statusCode === 200 && event.httpMethod === 'GET' && content.kind === 'html' && !isSecret;
  const eTag = isStorable ? entityTag(content.body) : undefined;
  const headers = {
    ...securityHeaders(services, framing),
    'Cache-Control': isStorable ? 'private, no-cache' : 'no-store',
    'x-request-id': event.requestContext.requestId,
    ...(eTag === undefined ? {} : { ETag: eTag }),
    ...content.headers,
  };
  if (headers.ETag !== undefined && header(event, 'if-none-match') === headers.ETag) return notModified(headers);
  return answerWith(content, {
    statusCode,
    acceptEncoding: header(event, 'accept-encoding') ?? '',
    headers,
    limit: { what: 'The page', remedies: ['open a page with fewer rows'] },
  });
}

/** Shows an error of the authorization server to the person in the browser. */
export function problemAnswer(
  services: Services,
  event: ProxyEvent,
  { statusCode, error, description }: AuthorizationProblem,
): HttpAnswer {
  const { theme } = readCookies(header(event, 'cookie'));
  const visit = { base: new URL(services.origin).pathname.replace(/\/$/, ''), theme };
  const view = problemPage(requestForAccess(statusCode, error, description), event.requestContext.requestId, visit);
  return pageAnswer(services, html(layout(visit, view)), { statusCode, event, isSecret: true });
}
