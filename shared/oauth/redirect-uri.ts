/** §5.3 Redirect URIs: which ones are allowed, and the normalized form in which they are compared. */

export const LOOPBACK_REDIRECTS = ['localhost', '127.0.0.1', '[::1]'];
/** Known programs whose schemes have no dot, against the advice of RFC 8252. */
const KNOWN_SCHEMES = ['cursor:', 'vscode:', 'vscode-insiders:', 'warp:', 'windsurf:', 'zed:'];

const WEB = /^https?:\/\/[^/?]+/i;
const SCHEME = /^[a-z][a-z\d+.-]*:/i;

/**
 * The form in which redirect URIs are stored and compared: scheme and host in lower case, and at least `/` as the path,
 * because clients write `http://localhost:3000`. Nothing else is normalized, so no other address passes for a
 * registered one.
 */
export function comparableUri(text: string): string {
  const [authority] = WEB.exec(text) ?? [];
  if (authority === undefined) return text.replace(SCHEME, (scheme) => scheme.toLowerCase());
  const rest = text.slice(authority.length);
  return authority.toLowerCase() + (rest.startsWith('/') ? rest : `/${rest}`);
}

/** Why a redirect URI cannot be registered, as the continuation of a sentence, or `undefined`. */
export function problemOfRedirectUri(text: string): string | undefined {
  // Parsers drop or replace spaces, control characters and non-ASCII letters.
  if (/[^\u0021-\u007e]/.test(text)) return 'must consist of visible ASCII characters';
  if (/[\\*#]/.test(text)) return 'must not contain a backslash, an asterisk or a fragment';
  const url = URL.parse(text);
  if (url === null) return 'must be an absolute URI';
  if (!isAllowed(url)) return 'must use https, http on localhost, or the scheme of an installed application';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  // Browsers go to the parsed URL. A URL that parsing changes could be read in two ways.
  if (comparableUri(text) !== url.href) return `must be written as ${url.href}`;
  return undefined;
}

function isAllowed({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:') return true;
  if (protocol === 'http:') return LOOPBACK_REDIRECTS.includes(hostname);
  return KNOWN_SCHEMES.includes(protocol) || /^[a-z][a-z\d+-]*\.[a-z\d+.-]*:$/.test(protocol);
}
