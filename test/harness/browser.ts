/** A headless browser: it keeps cookies, follows redirects, submits forms, and enforces the page's security policy. */
import { type DefaultTreeAdapterTypes, parse, defaultTreeAdapter as tree } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

export interface Page {
  readonly kind: 'page';
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The visible text in one line. */
  readonly text: string;
  readonly elements: readonly Element[];
}

/** A redirect to another site, which is not requested. */
export interface Left {
  readonly kind: 'left';
  readonly url: URL;
}

export interface Browser {
  readonly open: (url: string | URL) => Promise<Page | Left>;
  /** Follows the only link with this `href`. */
  readonly follow: (page: Page, href: string) => Promise<Page | Left>;
  /** Submits the only form. `chosen`: values of radio buttons. `button`: text of the pressed button. */
  readonly submit: (page: Page, button: string, chosen?: Readonly<Record<string, string>>) => Promise<Page | Left>;
  /** Posts a request that the page does not offer. */
  readonly forge: (page: Page, fields: Readonly<Record<string, string>>) => Promise<Page | Left>;
}

const MAX_REDIRECTS = 10;

export function browser(site: string): Browser {
  const cookies = jar();
  const visit = async (start: URL, init: RequestInit, allowed: (url: URL) => boolean): Promise<Page | Left> => {
    let url = start;
    let request = init;
    for (let hop = 0; hop < MAX_REDIRECTS; hop += 1) {
      if (!allowed(url)) throw new Error(`The page's policy forbids a form submission to ${url.origin}`);
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
    throw new Error(`More than ${MAX_REDIRECTS} redirects, the last one to ${url}`);
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

/** Expects a page as the answer. */
export function shown(result: Page | Left): Page {
  if (result.kind === 'page') return result;
  throw new Error(`Expected a page, got a redirect to ${result.url}`);
}

/** Expects a redirect as the answer. */
export function left(result: Page | Left): URL {
  if (result.kind === 'left') return result.url;
  throw new Error(`Expected a redirect, got a page: ${result.text}`);
}

/** CSP applies `form-action` to redirects of forms too. */
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

export const elementsIn = (node: Node): Element[] => [
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
  throw new Error(`Expected one matching <${tagName}>, found ${found.length} on the page: ${page.text}`);
}

/** The form data: hidden fields, chosen radio buttons and the pressed button. */
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

/** Cookies of one host by name and path (RFC 6265). */
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
