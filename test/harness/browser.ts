/** A browser without a screen: it keeps cookies, follows redirects, sends forms as they are, and holds to the page's policy. */
import { type DefaultTreeAdapterTypes, parse, defaultTreeAdapter as tree } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

export interface Page {
  readonly kind: 'page';
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** What a person reads, in one line. */
  readonly text: string;
  readonly elements: readonly Element[];
}

/** Led away from the site: to where, which was not asked for. */
export interface Left {
  readonly kind: 'left';
  readonly url: URL;
}

export interface Browser {
  readonly open: (url: string | URL) => Promise<Page | Left>;
  /** Follows the only link with this `href`. */
  readonly follow: (page: Page, href: string) => Promise<Page | Left>;
  /** Sends the only form: `chosen` are the values of radio buttons, `button` is the text of the one that is pressed. */
  readonly submit: (page: Page, button: string, chosen?: Readonly<Record<string, string>>) => Promise<Page | Left>;
  /** Posts to the page what it does not offer. */
  readonly forge: (page: Page, fields: Readonly<Record<string, string>>) => Promise<Page | Left>;
}

const MAX_REDIRECTS = 10;

export function browser(site: string): Browser {
  const cookies = jar();
  const visit = async (start: URL, init: RequestInit, allowed: (url: URL) => boolean): Promise<Page | Left> => {
    let url = start;
    let request = init;
    for (let hop = 0; hop < MAX_REDIRECTS; hop += 1) {
      if (!allowed(url)) throw new Error(`The page's policy keeps its form from ${url.origin}`);
      if (url.origin !== site) return { kind: 'left', url };
      const headers = { accept: 'text/html', cookie: cookies.sentTo(url) };
      const response = await fetch(url, { ...request, headers, redirect: 'manual' });
      cookies.keep(response.headers.getSetCookie());
      const location = response.headers.get('location');
      if (location === null) return pageOf(url, response, await response.text());
      await response.arrayBuffer();
      url = new URL(location, url);
      request = {};
    }
    throw new Error(`More than ${MAX_REDIRECTS} redirects, the last to ${url}`);
  };
  const post = (page: Page, fields: Readonly<Record<string, string>>) =>
    visit(new URL(page.url), { method: 'POST', body: new URLSearchParams(fields) }, policyOf(page));
  return {
    open: (url) => visit(new URL(url), {}, () => true),
    follow: (page, href) => {
      only(page, 'a', (link) => attribute(link, 'href') === href);
      return visit(new URL(href, page.url), {}, () => true);
    },
    submit: (page, button, chosen = {}) => post(page, fieldsOf(page, button, chosen)),
    forge: post,
  };
}

/** The page that there must be. */
export function shown(result: Page | Left): Page {
  if (result.kind === 'page') return result;
  throw new Error(`Led to ${result.url} instead of a page`);
}

/** The redirect that there must be. */
export function left(result: Page | Left): URL {
  if (result.kind === 'left') return result.url;
  throw new Error(`A page instead of a redirect: ${result.text}`);
}

/** CSP holds a form's redirects to `form-action`, too. */
function policyOf(page: Page): (url: URL) => boolean {
  const policy = page.headers.get('content-security-policy') ?? '';
  const sources = /(?:^|; )form-action ([^;]*)/.exec(policy)?.[1]?.split(' ') ?? [];
  return (url) =>
    sources.includes(url.origin) || (sources.includes("'self'") && url.origin === new URL(page.url).origin);
}

function pageOf(url: URL, { status, headers }: Response, html: string): Page {
  const elements = elementsIn(parse(html));
  const body = elements.find(({ tagName }) => tagName === 'body');
  const text = body ? textOf(body).replace(/\s+/g, ' ').trim() : '';
  return { kind: 'page', url: url.href, status, headers, html, text, elements };
}

const elementsIn = (node: Node): Element[] => [
  ...(tree.isElementNode(node) ? [node] : []),
  ...('childNodes' in node ? node.childNodes.flatMap(elementsIn) : []),
];

export function textOf(node: Node): string {
  if (tree.isTextNode(node)) return node.value;
  if (node.nodeName === 'br') return ' ';
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

export const attribute = ({ attrs }: Element, name: string): string | undefined =>
  attrs.find((one) => one.name === name)?.value;

function only(page: Page, tagName: string, isIt: (element: Element) => boolean): Element {
  const found = page.elements.filter((element) => element.tagName === tagName && isIt(element));
  if (found.length === 1 && found[0]) return found[0];
  throw new Error(`${found.length} such <${tagName}> on the page: ${page.text}`);
}

/** What the form sends: its hidden fields, the radio buttons that are chosen, and the button that is pressed. */
function fieldsOf(page: Page, button: string, chosen: Readonly<Record<string, string>>): Record<string, string> {
  const hidden = page.elements.filter((element) => attribute(element, 'type') === 'hidden');
  const radios = Object.entries(chosen).map(([name, value]) =>
    only(page, 'input', (input) => attribute(input, 'name') === name && attribute(input, 'value') === value),
  );
  const pressed = only(page, 'button', (element) => textOf(element).trim() === button);
  const sent = [...hidden, ...radios, pressed].map((element) => [
    attribute(element, 'name') ?? '',
    attribute(element, 'value') ?? '',
  ]);
  return Object.fromEntries(sent.filter(([name]) => name !== ''));
}

/** Of one host: by name and path, as RFC 6265 has it. */
function jar() {
  const kept = new Map<string, { readonly pair: string; readonly path: string }>();
  return {
    keep(lines: readonly string[]): void {
      for (const line of lines) {
        const [pair = '', ...rest] = line.split('; ');
        const path = rest.find((part) => part.startsWith('path='))?.slice('path='.length) ?? '/';
        const id = `${pair.split('=')[0]} ${path}`;
        if (rest.includes('expires=Thu, 01 Jan 1970 00:00:00 GMT')) kept.delete(id);
        else kept.set(id, { pair, path });
      }
    },
    sentTo: ({ pathname }: URL): string =>
      [...kept.values()]
        .filter(({ path }) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`))
        .map(({ pair }) => pair)
        .join('; '),
  };
}
