import { DAY_MILLISECONDS } from '#shared/engine/durations.ts';

/** Limits of sign-in links, sessions and passkeys. */
export const SIGN_IN_LIMITS = {
  linkMinutes: { minimum: 1, maximum: 24 * 60, default: 15 },
  /**
   * The maximum time that a session lasts without requests (idle timeout), and its maximum lifetime (absolute timeout).
   */
  idleMilliseconds: 12 * 60 * 60 * 1000,
  sessionMilliseconds: 7 * DAY_MILLISECONDS,
  /** Minimum interval between two updates of a session's last request. */
  lastSeenMilliseconds: 10 * 60 * 1000,
  browserCharacters: 200,
  /** The length to which an audit record shortens the description of an unknown browser. */
  auditedBrowserCharacters: 64,
  challengeMilliseconds: 5 * 60 * 1000,
  /** How long somebody may take at the provider of their company, with a second factor and a forgotten password. */
  companyMilliseconds: 15 * 60 * 1000,
  /**
   * A confirmation code has 8 of 27 characters, and works for ten minutes and five tries: a guess finds it once in
   * 56 billion codes. It is short, because people read it from one screen and type it on another.
   */
  codeCharacters: 8,
  codeMilliseconds: 10 * 60 * 1000,
  codeTries: 5,
  passkeysOfAccount: 20,
  /** Maximum length of a passkey response. Even responses with the largest keys are less than a quarter as long. */
  credentialCharacters: 16_384,
  /**
   * The time after authentication during which a person may submit forms that are declared `fresh`
   * (`shared/platform/page.ts`).
   */
  freshMilliseconds: 30 * 60 * 1000,
  /**
   * The time after authentication during which a person may open pages that are declared `fresh`. It is shorter than
   * the time for forms, so that there is time left to fill in the form.
   */
  freshPageMilliseconds: 25 * 60 * 1000,
  /** How long a browser remembers the page to return to while the person gets a sign-in link. */
  returnSeconds: 60 * 60,
  returnPathCharacters: 512,
} as const;
