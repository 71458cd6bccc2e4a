/** The event of API Gateway for a page or a form, and what it says about where the request comes from and leads to. */
import { type ProxyEvent, readHeader } from '#shared/engine/http/event.ts';
import { crossSiteForm } from './errors.ts';

export interface PageEvent extends ProxyEvent {
  /** As declared, such as `/{organizationId}`. */
  readonly resource: string;
  /** As requested, without the stage of API Gateway. */
  readonly path: string;
}

/**
 * Whether the path begins with one of the `segments`. API Gateway matches such a path to a page route that begins with
 * a parameter, such as `/{organizationId}`, if no other route has the path and method.
 */
export function isBelow({ resource, pathParameters }: PageEvent, segments: readonly string[]): boolean {
  const [, parameter] = /^\/\{(\w+)\}/.exec(resource) ?? [];
  return parameter !== undefined && segments.includes(pathParameters?.[parameter] ?? '');
}

/**
 * Throws 403 for a form from another site (CSRF protection). `SameSite` cookies do not distinguish forms of this
 * service from forms on another port of the same host, but the headers `Sec-Fetch-Site` and `Origin` do.
 */
export function refuseOtherSites(event: PageEvent, origin: string): void {
  const site = readHeader(event, 'sec-fetch-site');
  const isOwnOrigin = readHeader(event, 'origin') === new URL(origin).origin;
  const isOurs = site === undefined ? isOwnOrigin : site === 'same-origin';
  if (!isOurs) throw crossSiteForm();
}

/** A GET form also sends its empty fields. */
export const dropEmptyValues = (values: Readonly<Record<string, readonly string[] | undefined>>) =>
  Object.fromEntries(
    Object.entries(values)
      .map(([name, texts]) => [name, (texts ?? []).filter((text) => text !== '')] as const)
      .filter(([, texts]) => texts.length > 0),
  );

export function formatRequestPath({ path, multiValueQueryStringParameters }: PageEvent): string {
  const pairs = Object.entries(multiValueQueryStringParameters ?? {}).flatMap(([name, texts]) =>
    (texts ?? []).map((text): [string, string] => [name, text]),
  );
  const query = new URLSearchParams(pairs).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** A redirect cannot repeat a POST, so the person returns to the page that contains the form. */
export function getReturnPath(event: PageEvent, base: string): string {
  if (event.httpMethod === 'GET') return formatRequestPath(event);
  const referer = readHeader(event, 'referer') ?? '';
  const { pathname, search } = URL.parse(referer) ?? { pathname: '/', search: '' };
  const path = pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;
  return path + search;
}

const LOOPBACK_ADDRESS = /^(127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** For requests to a loopback address such as 127.0.0.1: passkeys and cookies work only with the host name. */
export function findLocalhostUrl(event: PageEvent, origin: string): string | undefined {
  const isAddress = LOOPBACK_ADDRESS.test(readHeader(event, 'host') ?? '');
  return isAddress && new URL(origin).hostname === 'localhost' ? origin + formatRequestPath(event) : undefined;
}
