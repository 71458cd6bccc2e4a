/** Keys of issues, as people enter them: the key itself, or the address of the page. */
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { TrackerProblem } from './tracker.ts';

export interface PageAddress {
  /** The decoded parts of the path below the site. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

/** Returns `undefined` if the text is not the address of a page of the site. */
export function parsePageAddress(text: string, siteUrl: string): PageAddress | undefined {
  const page = URL.parse(text.trim());
  const site = URL.parse(siteUrl);
  if (page === null || site === null || page.origin !== site.origin) return undefined;
  const below = `${site.pathname.replace(/\/$/, '')}/`;
  if (!page.pathname.startsWith(below)) return undefined;
  try {
    const parts = page.pathname.slice(below.length).split('/').map(decodeURIComponent);
    return { parts: parts.filter((one) => one !== ''), query: page.searchParams };
  } catch {
    return undefined;
  }
}

const SHOWN_CHARACTERS = 100;

export function noKey(name: string, text: string, example: string): TrackerProblem {
  const visibleText = makeVisibleLine(takeFirstCharacters(text, SHOWN_CHARACTERS));
  const problem = `“${visibleText}” is neither the key nor the address of an issue of this connection to ${name}. Enter a key such as ${example}, or the address of the issue`;
  return new TrackerProblem({ kind: 'missing' }, problem);
}
