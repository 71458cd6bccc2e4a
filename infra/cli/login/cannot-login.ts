/** A failed sign-in. The message tells the user the problem and the next step. */
export class CannotLogin extends Error {
  override name = 'CannotLogin';
  constructor(problem: string, next: string) {
    super(`${problem}. ${next}`);
  }
}

export const START = 'Run "npm start" in another terminal, wait until it is ready, and retry';
