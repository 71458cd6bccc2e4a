/** Limits of sign-in links and sessions. */
export const SIGN_IN_LIMITS = {
  /** Lifetime of a one-time link. */
  linkMinutes: { minimum: 1, maximum: 24 * 60, default: 15 },
  /** A session ends after this long without a request, and at the latest after its whole life. */
  idleMilliseconds: 12 * 60 * 60 * 1000,
  sessionMilliseconds: 7 * 24 * 60 * 60 * 1000,
  /** Shortest time between two records of a session's last request. */
  lastSeenMilliseconds: 10 * 60 * 1000,
  browserCharacters: 200,
  /** The part of an unknown browser's description that an audit record keeps. */
  auditedBrowserCharacters: 64,
  /** Lifetime of a challenge that a passkey signs. */
  challengeMilliseconds: 5 * 60 * 1000,
  passkeysOfAccount: 20,
  /** Characters of a passkey's answer. The largest keys need less than a quarter. */
  credentialCharacters: 16_384,
  /** How long after an authentication a person may do what `fresh` protects. */
  freshMilliseconds: 10 * 60 * 1000,
  /** A page with such a form asks earlier, so that there is time to fill in the form. */
  freshPageMilliseconds: 5 * 60 * 1000,
  /** How long a browser remembers the page to return to, while the person fetches a link. */
  returnSeconds: 60 * 60,
  /** Characters of the page to return to after signing in. */
  returnPathCharacters: 512,
} as const;
