/** §5.3 Redirect URIs: which ones are allowed, and the normalized form in which they are compared. */

export const LOOPBACK_REDIRECTS = ['localhost', '127.0.0.1', '[::1]'];
/** URI schemes of known applications. Other applications need a scheme with a dot, as RFC 8252 section 8.4 advises. */
const KNOWN_SCHEMES = ['cursor:', 'vscode:', 'vscode-insiders:', 'warp:', 'windsurf:', 'zed:'];

const WEB = /^https?:\/\/[^/?]+/i;
const SCHEME = /^[a-z][a-z\d+.-]*:/i;

/**
 * Scheme and host in lower case, and at least `/` as the path, because clients may send `http://localhost:3000`
 * without. Normalizes nothing else, so that no other URI is accepted in place of a registered one.
 */
export function normalizeRedirectUri(text: string): string {
  const [authority] = WEB.exec(text) ?? [];
  if (authority === undefined) return text.replace(SCHEME, (scheme) => scheme.toLowerCase());
  const rest = text.slice(authority.length);
  return authority.toLowerCase() + (rest.startsWith('/') ? rest : `/${rest}`);
}

/** Returns why a redirect URI cannot be registered, such as `must be an absolute URI`, or `undefined` if it can. */
export function findRedirectUriProblem(text: string): string | undefined {
  // URL parsers silently drop or replace other characters, such as spaces, control characters and non-ASCII letters.
  if (/[^\u0021-\u007e]/.test(text)) return 'must consist of visible ASCII characters';
  if (/[\\*#]/.test(text)) return 'must not contain a backslash, an asterisk or a fragment';
  const url = URL.parse(text);
  if (url === null) return 'must be an absolute URI';
  if (!isAllowed(url)) return 'must use https, http on localhost, or the scheme of an installed application';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  // Browsers open the parsed URL. If parsing changes a URI, the browser and the client could understand it differently.
  if (normalizeRedirectUri(text) !== url.href) return `must be written as ${url.href}`;
  return undefined;
}

function isAllowed({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:') return true;
  if (protocol === 'http:') return LOOPBACK_REDIRECTS.includes(hostname);
  return KNOWN_SCHEMES.includes(protocol) || /^[a-z][a-z\d+-]*\.[a-z\d+.-]*:$/.test(protocol);
}
