/** How a check ends, unless it passes. */

/** The deployment does not do what the check guarantees. */
export class Wrong extends Error {
  override name = 'Wrong';
  readonly fix: string | undefined;
  constructor(problem: string, fix?: string) {
    super(problem);
    this.fix = fix;
  }
}

/** The check says nothing about this deployment. */
export class NotHere extends Error {
  override name = 'NotHere';
}

export function must(holds: boolean, problem: string, fix?: string): asserts holds {
  if (!holds) throw new Wrong(problem, fix);
}

/** Ends the check unless an earlier one found this. */
export function needed<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new NotHere(`there is no ${what}, because an earlier check failed`);
  return value;
}
