/** Turns a page into an HTTP answer with its security headers. */
import { createHash } from 'node:crypto';
import { answerWith, type HttpAnswer } from '#shared/engine/http/answer.ts';
import { type Content, html } from '#shared/engine/http/content.ts';
import { header, type ProxyEvent } from '#shared/engine/http/event.ts';
import { requestForAccess } from '#shared/engine/page-errors.ts';
import type { AuthorizationProblem } from '#shared/oauth/request-state.ts';
import { layout } from '#shared/pages/layout.tsx';
import { problemPage } from '#shared/pages/problem-page.tsx';
import type { Services } from '#shared/services.ts';
import { readCookies } from '#shared/sign-in/cookies.ts';

type Headers = Readonly<Record<string, string>>;

/** The other origins that a page reaches. */
interface Places {
  /** A further place at which the forms of the page may end. */
  readonly formTarget?: string | undefined;
  /** Whether its script sends files to the store of artifacts. */
  readonly uploads?: boolean | undefined;
}

/** `require-trusted-types-for` makes the browser refuse every string that script would turn into HTML. */
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

/** Every answer of a page function carries these. */
const securityHeaders = ({ artifacts, origin }: Pick<Services, 'artifacts' | 'origin'>, places: Places): Headers => ({
  'Content-Security-Policy': policy(artifacts.origin, places),
  // With `no-referrer`, browsers would send `Origin: null` with our own forms.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  Vary: 'Cookie, Accept-Encoding',
  ...(origin.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
});

interface Framing extends Places {
  readonly statusCode: number;
  readonly event: ProxyEvent;
  readonly isSecret: boolean;
}

export function pageAnswer(services: Services, content: Content, framing: Framing): HttpAnswer {
  const { statusCode, event, isSecret } = framing;
  const isStorable = statusCode === 200 && event.httpMethod === 'GET' && content.kind === 'html' && !isSecret;
  const eTag = isStorable ? `"${createHash('sha256').update(content.body).digest('base64url')}"` : undefined;
  const headers = {
    ...securityHeaders(services, framing),
    'Cache-Control': isStorable ? 'private, no-cache' : 'no-store',
    'x-request-id': event.requestContext.requestId,
    ...(eTag === undefined ? {} : { ETag: eTag }),
    ...content.headers,
  };
  if (eTag !== undefined && header(event, 'if-none-match') === eTag)
    return { statusCode: 304, headers, body: '', isBase64Encoded: false };
  return answerWith(content, {
    statusCode,
    acceptEncoding: header(event, 'accept-encoding') ?? '',
    headers,
    limit: { what: 'The page', remedies: ['open a page with fewer rows'] },
  });
}

/** A problem of the authorization server, for the person in the browser. */
export function problemAnswer(
  services: Services,
  event: ProxyEvent,
  { statusCode, error, description }: AuthorizationProblem,
): HttpAnswer {
  const { theme } = readCookies(header(event, 'cookie'));
  const visit = { base: new URL(services.origin).pathname.replace(/\/$/, ''), theme };
  const view = problemPage(requestForAccess(statusCode, error, description), event.requestContext.requestId);
  return pageAnswer(services, html(layout(visit, view)), { statusCode, event, isSecret: true });
}
