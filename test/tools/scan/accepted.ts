/** Rules of scanners that the templates do not follow, each with the reason. */

interface Acceptance {
  readonly scanner: string;
  readonly rule: string;
  /** The places that are accepted, by logical id. Default: all. */
  readonly places?: RegExp;
  readonly reason: string;
}

export const ACCEPTED: readonly Acceptance[] = [];
