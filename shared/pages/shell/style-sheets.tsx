/**
 * The style sheets of a page: as links, or inside the page. Somebody who comes from elsewhere has usually not loaded
 * them yet, and nothing would be painted before they have arrived.
 */
import { brotliDecompressSync } from 'node:zlib';
import type { Html } from '#shared/engine/html/html.ts';
import { makeStyleElement } from '#shared/engine/html/jsx-runtime.ts';
import { type ProxyEvent, readHeader } from '#shared/engine/http/event.ts';

interface StyleSheet {
  /** Its public path. */
  readonly path: string;
  readonly hash: string;
  /** Compressed with Brotli, as base64. */
  readonly content: string;
  /** The classes that only this style sheet knows. Empty for the style sheet of every page. */
  readonly classes: readonly string[];
}

declare const BUILT_STYLE_SHEETS: readonly StyleSheet[];

const CLASSES_OF_ELEMENT = /\sclass="([^"]*)"/g;

/** What the Content-Security-Policy allows besides files of this origin. */
export const listStyleHashes = (): string => BUILT_STYLE_SHEETS.map(({ hash }) => `'${hash}'`).join(' ');

function listNeededSheets(body: Html): StyleSheet[] {
  const used = new Set<string>();
  for (const [, classes = ''] of body.toString().matchAll(CLASSES_OF_ELEMENT))
    for (const name of classes.split(' ')) used.add(name);
  return BUILT_STYLE_SHEETS.filter(({ classes }) => classes.length === 0 || classes.some((name) => used.has(name)));
}

interface Props {
  /** The body of the page, which decides about the style sheets that not every page needs. */
  readonly of: Html;
  readonly base: string;
  /** The page then has the style sheets in it, and the browser loads them only for the next page. */
  readonly isFromElsewhere: boolean;
}

export const StyleSheets = ({ of: body, base, isFromElsewhere }: Props): Html => (
  <>
    {listNeededSheets(body).map(({ path, content }) => (
      <>
        {isFromElsewhere && makeStyleElement(brotliDecompressSync(Buffer.from(content, 'base64')).toString())}
        <link rel="stylesheet" href={base + path} media={isFromElsewhere ? 'not all' : undefined} />
      </>
    ))}
  </>
);

/**
 * Whether somebody opens the page from elsewhere. On the way from page to page, the browser has the style sheet.
 * Clients that do not say where they come from are no browsers, or old ones.
 */
export function comesFromElsewhere(event: ProxyEvent): boolean {
  const site = readHeader(event, 'sec-fetch-site');
  return site !== undefined && site !== 'same-origin';
}
