/** §5.3 Limits of the authorization server. */
const HOUR = 3600;
const DAY = 24 * HOUR;

export const OAUTH_LIMITS = {
  /** A grant ends after this many days, however often it was renewed. */
  grantDays: 30,
  /** Lives in seconds: of a code, of a refresh token without use, and of a request that waits for consent. */
  codeSeconds: 60,
  refreshTokenSeconds: 14 * DAY,
  consentSeconds: 600,
  /** A registered client ends this many seconds after its last consent. */
  clientSeconds: 90 * DAY,
  /** Registrations of the whole deployment. The gateway refuses more. */
  registrations: { requestsPerSecond: 1, burstRequests: 5 },
  /** Editors register their desktop, web and preview versions at once, each with several addresses. */
  redirectUris: 10,
  uriCharacters: 1024,
  clientNameCharacters: 64,
  /** The body of a request to the server, and a document with the metadata of a client. */
  bodyBytes: 16 * 1024,
  documentBytes: 5 * 1024,
  documentMilliseconds: 2500,
  /** How long a document is kept: at least, at most, and after a failure. */
  documentSeconds: { least: HOUR, most: DAY, failed: 60 },
  /** A new key signs when every verifier has had this time to learn it. */
  keyLeadMilliseconds: DAY * 1000,
  /** A removed key stays published until its last token has ended. */
  removedKeyMilliseconds: 2 * HOUR * 1000,
  /** How long a container uses the keys that it read. */
  keysMilliseconds: 5 * 60 * 1000,
} as const;
