/** A response that a handler has encoded itself. Any other result of a handler is sent as JSON. */

import { createHash } from 'node:crypto';

/** Equal bodies have equal tags. */
export const computeEntityTag = (body: string | Uint8Array): string =>
  `"${createHash('sha256').update(body).digest('base64url')}"`;

export type ContentKind = 'markdown' | 'text' | 'csv' | 'html' | 'redirect' | 'bytes';

export interface ContentOptions {
  /** Default: the status that the function uses for its other responses. */
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Each cookie is sent in its own `Set-Cookie` header. */
  readonly cookies?: readonly string[];
}

export class Content {
  readonly kind: ContentKind | 'json';
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly statusCode: number | undefined;

  constructor(
    kind: ContentKind | 'json',
    contentType: string,
    body: string | Uint8Array,
    { headers = {}, cookies = [], statusCode }: ContentOptions = {},
  ) {
    this.kind = kind;
    this.contentType = contentType;
    this.body = body;
    this.headers = headers;
    this.cookies = cookies;
    this.statusCode = statusCode;
  }
}

export const makeMarkdownContent = (text: string): Content =>
  new Content('markdown', 'text/markdown; charset=utf-8', text);

/** For a script on one of our pages. API operations return plain values instead. */
export const makeJsonContent = (value: unknown): Content =>
  new Content('json', 'application/json; charset=utf-8', JSON.stringify(value));

/** Browsers download it instead of showing it. */
export const makeCsvContent = (
  text: string,
  { headers, ...options }: ContentOptions & { readonly name: string },
): Content =>
  new Content('csv', 'text/csv; charset=utf-8', text, {
    ...options,
    headers: { ...headers, 'Content-Disposition': `attachment; filename="${options.name}"` },
  });

/** Browsers show it as is and never run it. */
export const makeTextContent = (text: string, options?: ContentOptions): Content =>
  new Content('text', 'text/plain; charset=utf-8', text, options);

export const makeHtmlContent = (text: string, options?: ContentOptions): Content =>
  new Content('html', 'text/html; charset=utf-8', text, options);

/** For a script that asks whether what a page shows has changed. A request with the tag of an equal state gets 304. */
export const makeStateContent = (state: unknown): Content =>
  makeTextContent('', { headers: { ETag: computeStateTag(state) } });

export const computeStateTag = (state: unknown): string => computeEntityTag(JSON.stringify(state, sortMembers));

/** The table returns the members of a row in any order. */
const sortMembers = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/** An SVG that other sites embed. It can neither run scripts nor load anything. */
export function makePictureContent(svg: string, cacheSeconds: number): Content {
  const headers = {
    'Cache-Control': `public, max-age=${cacheSeconds}`,
    'Content-Security-Policy': "default-src 'none'",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ETag: computeEntityTag(svg),
  };
  return new Content('text', 'image/svg+xml; charset=utf-8', svg, { headers });
}

/** 303: browsers follow with GET, so a reload does not repeat the form. `location`: a URL or a path on this origin. */
export const redirect = (location: string, { headers, ...options }: ContentOptions = {}): Content =>
  new Content('redirect', 'text/plain; charset=utf-8', '', {
    statusCode: 303,
    ...options,
    headers: { ...headers, Location: location },
  });

/** Sent without further compression, because most files are already compressed. */
export const makeBytesContent = (body: Uint8Array, contentType: string, options?: ContentOptions): Content =>
  new Content('bytes', contentType, body, options);
