/** Opens the home page as the given person, and follows links to other pages of the service (see `someOf`). */
import { IS_DEEP } from '#test/harness/cases.ts';
import { attribute } from '#test/harness/elements.ts';
import type { Shown, Visitor } from '#test/harness/visitor.ts';

/**
 * The service of each test has fewer addresses than this. A crawl that reaches this number is following an endless
 * chain of links.
 */
const MOST = 1000;

export interface Found {
  readonly shown: Shown;
  /** Path and query. */
  readonly address: string;
  /** The page that first linked to this page. */
  readonly from: string;
  readonly ids: ReadonlySet<string>;
}

export interface Crawl {
  readonly all: ReadonlyMap<string, Found>;
  /** Links to a fragment that the target page does not have. */
  readonly lost: readonly string[];
}

interface Ways {
  readonly origin: string;
  /** Returns the kind of page at a path, such as `showRun`. */
  readonly kindOf: (path: string) => string;
  readonly novelty: Novelty;
}

export async function crawl(person: Visitor, { origin, kindOf, novelty }: Ways): Promise<Crawl> {
  const isNew = someOf(kindOf, novelty);
  const all = new Map<string, Found>();
  const fragments: { readonly address: string; readonly id: string; readonly from: string }[] = [];
  const waiting = [{ address: '/', from: 'the start' }];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { address, from } = next;
    if (all.has(address)) continue;
    if (all.size >= MOST)
      throw new Error(
        `The crawl found more than ${MOST} addresses, the last one ${address} on ${from}. Look for an endless chain of links`,
      );
    const shown = await person.get(address);
    all.set(address, { shown, address, from, ids: idsIn(shown) });
    for (const target of targetsOf(shown, origin + address)) {
      if (target.origin !== origin) continue;
      const found = target.pathname + target.search;
      if (!isNew(target)) continue;
      if (target.hash.length > 1) fragments.push({ address: found, id: target.hash.slice(1), from: address });
      waiting.push({ address: found, from: address });
    }
  }
  const lost = fragments.filter(({ address, id }) => !all.get(address)?.ids.has(decodeURIComponent(id)));
  return { all, lost: lost.map(({ address, id, from }) => `${from} links to ${address}#${id}`) };
}

/** `values` follows links that contain a new value, `kinds` only links to new kinds of pages (see `someOf`). */
type Novelty = 'kinds' | 'values';

/**
 * Decides which links are followed. `npm run test:deep` follows all links. In `npm test`, the novelty decides:
 *
 * - With `values`, a link is followed if its path, its fragment or a part of its query is new. So each value of a
 *   parameter is tried once for each kind of page, but not all combinations of values. All points in time count as the
 *   same value, because charts have links for each of hundreds of days.
 * - With `kinds`, a link is followed if it leads to a new kind of page or to a new run, or has a new fragment or
 *   parameter.
 */
function someOf(kindOf: (path: string) => string, novelty: Novelty): (target: URL) => boolean {
  const known = new Set<string>();
  return ({ pathname, searchParams, hash }) => {
    const isExact = novelty === 'values';
    const kind = kindOf(pathname);
    const page = isExact || kind === 'showRun' ? pathname : kind;
    const pairs = [...searchParams].map(([name, value]) => (isExact ? `${name}=${comparable(value)}` : name));
    const own = [page, page + hash, ...pairs.map((pair) => `${kind}?${pair}`)];
    const isNew = IS_DEEP || own.some((part) => !known.has(part));
    for (const part of own) known.add(part);
    return isNew;
  };
}

const comparable = (value: string): string => (/^\d{4}-\d\d-\d\dT/.test(value) ? 'a point in time' : value);

/** Returns the targets of the links and of the redirect of a page. */
function targetsOf({ links, headers }: Shown, base: string): URL[] {
  const location = headers.get('location');
  return [...links, ...(location === null ? [] : [location])].map((link) => new URL(link, base));
}

const idsIn = ({ elements }: Shown): ReadonlySet<string> =>
  new Set(elements.flatMap((element) => attribute(element, 'id') ?? []));
