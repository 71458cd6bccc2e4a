/**
 * §6 Headers that a webhook may not set. Receivers trust these headers, because normally only servers and proxies send
 * them. They control message framing, client identity and request overrides.
 */

/** The reserved names in lower case. `*` matches any characters, and `-` any special character. */
const RESERVED: readonly string[] = [
  // Message framing and connections (RFC 9110, RFC 9112, RFC 9113).
  'host',
  'content-*',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'http2-settings',
  'alt-used',
  'max-forwards',
  'early-data',
  'range',
  'if-*',
  'date',
  'via',
  // Headers that this service sets.
  'user-agent',
  'x-timestamp',
  'webhook-*',
  // CGI turns `Proxy` into `HTTP_PROXY`, which HTTP clients obey.
  'proxy',
  'proxy-*',
  // Browser sessions and browser-only headers: https://fetch.spec.whatwg.org/#forbidden-request-header
  'cookie',
  'cookie2',
  'set-cookie',
  'set-cookie2',
  'origin',
  'referer',
  'dnt',
  'sec-*',
  'access-control-*',
  // The address of the client.
  'forwarded',
  'forwarded-*',
  'x-forwarded',
  'x-forwarded-*',
  '*-real-ip',
  '*client-ip',
  '*clientip',
  'x-proxyuser-ip',
  'x-originating-ip',
  'x-remote-ip',
  '*remote-addr',
  'cf-connecting-*',
  'x-envoy-*',
  'x-appengine-*',
  // The identity or certificate of the client, as set by authenticating proxies.
  '*remote-user',
  'x-authenticated-*',
  'x-auth-request-*',
  'x-webauth-*',
  'x-ms-client-principal*',
  'x-goog-authenticated-*',
  'x-goog-iap-*',
  'client-cert',
  'client-cert-*',
  '*client-cert',
  '*clientcert',
  'ssl-client-*',
  'x-ssl-*',
  // Overrides of the request's method, host or path.
  '*http-method',
  '*method-override',
  '*host-override',
  'x-original-*',
  'x-rewrite-*',
  'x-host',
  'x-url-scheme',
  'front-end-https',
  'x-middleware-*',
  'x-accel-*',
  'x-sendfile',
  // Cloud signatures, traces and loop detection.
  'x-amz*',
  'cdn-loop',
];

const PATTERN = new RegExp(`^(?:${RESERVED.map((name) => name.replaceAll('*', '.*')).join('|')})$`);

/** Receivers behind CGI cannot distinguish special characters, so all of them are treated as hyphens. */
export const isReserved = (name: string): boolean => PATTERN.test(name.toLowerCase().replaceAll(/[^0-9a-z]/g, '-'));

/** For JSON Schema. Character classes make it case-insensitive, because such a pattern has no flags. */
export const makeReservedPattern = (): string =>
  PATTERN.source.replaceAll(LETTER_OR_HYPHEN, (character) =>
    character === '-' ? '[^0-9A-Za-z]' : `[${character}${character.toUpperCase()}]`,
  );

const LETTER_OR_HYPHEN = /[a-z-]/g;
