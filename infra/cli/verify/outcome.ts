/** The ways in which a check ends early. */

/** The check fails. */
export class Wrong extends Error {
  override name = 'Wrong';
  readonly fix: string | undefined;
  constructor(problem: string, fix?: string) {
    super(problem);
    this.fix = fix;
  }
}

/** The check is skipped: it does not apply to this deployment, or needs the result of a check that failed. */
export class NotHere extends Error {
  override name = 'NotHere';
}

export function must(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new Wrong(problem);
}

/** Skips the check if an earlier check did not provide the value. */
export function requireFinding<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new NotHere(`there is no ${what}, because an earlier check failed or was skipped`);
  return value;
}
