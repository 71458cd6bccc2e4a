/**
 * The style sheet inside a page. Somebody who comes from elsewhere has usually not loaded the style sheet yet, and
 * nothing would be painted before it has arrived.
 */
import { brotliDecompressSync } from 'node:zlib';
import type { Html } from '#shared/engine/html/html.ts';
import { makeStyleElement } from '#shared/engine/html/jsx-runtime.ts';
import { type ProxyEvent, readHeader } from '#shared/engine/http/event.ts';

/** `content`: compressed with Brotli, as base64. */
declare const BUILT_STYLE: { readonly hash: string; readonly content: string };

/** What the Content-Security-Policy allows besides files of this origin. */
export const getStyleHash = (): string => BUILT_STYLE.hash;

export const EmbeddedStyle = (): Html =>
  makeStyleElement(brotliDecompressSync(Buffer.from(BUILT_STYLE.content, 'base64')).toString());

/**
 * Whether somebody opens the page from elsewhere. On the way from page to page, the browser has the style sheet.
 * Clients that do not say where they come from are no browsers, or old ones.
 */
export function comesFromElsewhere(event: ProxyEvent): boolean {
  const site = readHeader(event, 'sec-fetch-site');
  return site !== undefined && site !== 'same-origin';
}
