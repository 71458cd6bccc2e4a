/** §5.3 The addresses that codes are sent to. Two spellings of an address are compared in one form. */

export const LOOPBACK_REDIRECTS = ['localhost', '127.0.0.1', '[::1]'];
/** Programs whose schemes have no dot, unlike RFC 8252 recommends. */
const KNOWN_SCHEMES = ['cursor:', 'vscode:', 'vscode-insiders:', 'warp:', 'windsurf:', 'zed:'];

const WEB = /^https?:\/\/[^/?]+/i;
const SCHEME = /^[a-z][a-z\d+.-]*:/i;

/**
 * The form in which addresses are stored and compared: scheme and host in lower case, and a path. Clients write
 * `http://localhost:3000` and mean the same. Nothing else is changed, so no other address passes for a registered one.
 */
export function comparableUri(text: string): string {
  const [authority] = WEB.exec(text) ?? [];
  if (authority === undefined) return text.replace(SCHEME, (scheme) => scheme.toLowerCase());
  const rest = text.slice(authority.length);
  return authority.toLowerCase() + (rest.startsWith('/') ? rest : `/${rest}`);
}

/** Why an address cannot be registered, as the end of a sentence that begins with its name. */
export function problemOfRedirectUri(text: string): string | undefined {
  // Spaces, control characters and letters outside ASCII. Parsers drop or replace them.
  if (/[^\u0021-\u007e]/.test(text)) return 'must consist of visible ASCII characters';
  if (/[\\*#]/.test(text)) return 'must not contain a backslash, an asterisk or a fragment';
  const url = URL.parse(text);
  if (url === null) return 'must be an absolute URI';
  if (!isAllowed(url)) return 'must be https, http on this computer, or the scheme of an installed application';
  if (url.username !== '' || url.password !== '') return 'must not name a user';
  // Browsers go to the parsed address. An address that parsers change could be read in two ways.
  if (comparableUri(text) !== url.href) return `must be written as ${url.href}`;
  return undefined;
}

function isAllowed({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:') return true;
  if (protocol === 'http:') return LOOPBACK_REDIRECTS.includes(hostname);
  return KNOWN_SCHEMES.includes(protocol) || /^[a-z][a-z\d+-]*\.[a-z\d+.-]*:$/.test(protocol);
}
