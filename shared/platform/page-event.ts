/** Reads the HTTP request of a page. */

import { header, type ProxyEvent } from '#shared/engine/http/event.ts';
import { crossSiteForm } from './errors.ts';

export interface PageEvent extends ProxyEvent {
  /** The declared path: `/{organizationId}`. */
  readonly resource: string;
  /** The path as requested, without the stage. */
  readonly path: string;
}

/**
 * Whether the path begins with one of these segments, but API Gateway matched it with the parameter of a page route,
 * because no other route has this path and method.
 */
export function isBelow({ resource, pathParameters }: PageEvent, segments: readonly string[]): boolean {
  const [, parameter] = /^\/\{(\w+)\}/.exec(resource) ?? [];
  return parameter !== undefined && segments.includes(pathParameters?.[parameter] ?? '');
}

/**
 * Throws 403 for a form from another site (CSRF protection). `SameSite` cookies do not distinguish our forms from those
 * of another port of this host, but these headers do.
 */
export function refuseOtherSites(event: PageEvent, origin: string): void {
  const site = header(event, 'sec-fetch-site');
  const isOurs = site === undefined ? header(event, 'origin') === new URL(origin).origin : site === 'same-origin';
  if (!isOurs) throw crossSiteForm();
}

/** Drops empty values, because a GET form also sends its empty fields. */
export const withoutEmpty = (sent: Readonly<Record<string, readonly string[] | undefined>>) =>
  Object.fromEntries(
    Object.entries(sent)
      .map(([name, texts]) => [name, (texts ?? []).filter((text) => text !== '')] as const)
      .filter(([, texts]) => texts.length > 0),
  );

export function hereOf({ path, multiValueQueryStringParameters }: PageEvent): string {
  const pairs = Object.entries(multiValueQueryStringParameters ?? {}).flatMap(([name, texts]) =>
    (texts ?? []).map((text): [string, string] => [name, text]),
  );
  const query = new URLSearchParams(pairs).toString();
  return query === '' ? path : `${path}?${query}`;
}

/**
 * Where to return to after signing in. A POST cannot be repeated by a redirect, so the person returns to the page of
 * the form.
 */
export function returnPathOf(event: PageEvent, base: string): string {
  if (event.httpMethod === 'GET') return hereOf(event);
  const referer = header(event, 'referer') ?? '';
  const { pathname, search } = URL.canParse(referer) ? new URL(referer) : { pathname: '/', search: '' };
  return (pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname) + search;
}

const LOOPBACK_ADDRESS = /^(127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * The URL of the requested page at `localhost`, if the request was sent to a loopback address. Passkeys and cookies
 * need the host name.
 */
export function atLocalhost(event: PageEvent, origin: string): string | undefined {
  const isAddress = LOOPBACK_ADDRESS.test(header(event, 'host') ?? '');
  return isAddress && new URL(origin).hostname === 'localhost' ? origin + hereOf(event) : undefined;
}
