/** §5.3 Limits of the authorization server. */
import { DAY_MILLISECONDS, DAY_SECONDS } from '#shared/engine/durations.ts';

const HOUR_SECONDS = 60 * 60;

export const OAUTH_LIMITS = {
  /** A grant expires after this many days, even if its tokens are renewed. */
  grantDays: 30,
  /** The lifetimes of an authorization code, of an unused refresh token, and of a request that waits for consent. */
  codeSeconds: 60,
  refreshTokenSeconds: 14 * DAY_SECONDS,
  consentSeconds: 600,
  /** How long after its first use a refresh token may be used again, and how many tokens can follow in that time. */
  renewalGraceMilliseconds: 30_000,
  renewalsInGrace: 20,
  /** A registered client expires this long after its registration, or after somebody last gave it consent. */
  clientSeconds: 90 * DAY_SECONDS,
  /** Hexadecimal digits of a random secret: 256 bits. */
  tokenCharacters: 64,
  /** Rate limit of client registrations for the whole deployment, enforced by API Gateway. */
  registrations: { requestsPerSecond: 1, burstRequests: 5 },
  /** An editor may register desktop, web and preview versions as one client, with several redirect URIs for each. */
  redirectUris: 10,
  uriCharacters: 1024,
  clientNameCharacters: 64,
  /** The maximum size of a request body, and the limits for reading the metadata document of a client. */
  bodyBytes: 16 * 1024,
  documentBytes: 5 * 1024,
  documentMilliseconds: 2500,
  /** How long a metadata document is cached (minimum and maximum), and how long a failure to read it is cached. */
  documentSeconds: { least: HOUR_SECONDS, most: DAY_SECONDS, failed: 60 },
  /** How much longer a cached document stays in use if it cannot be read again. */
  staleDocumentSeconds: DAY_SECONDS,
  /** How long a new key is published before it signs tokens, so that every verifier knows the key by then. */
  keyLeadMilliseconds: DAY_MILLISECONDS,
  /** How long a removed key stays published, so that tokens signed with it remain valid until they expire. */
  removedKeyMilliseconds: 2 * HOUR_SECONDS * 1000,
  /** How long a Lambda container caches the keys. */
  keysMilliseconds: 5 * 60 * 1000,
} as const;
