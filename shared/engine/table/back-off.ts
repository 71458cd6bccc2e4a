/** Waits between attempts, and repeats writes after throttling and transaction conflicts. */
const FIRST_WAIT_MILLISECONDS = 20;
const LONGEST_WAIT_MILLISECONDS = 2000;

/** Waits with exponential backoff and jitter, so that competing writers spread out. Attempt 0 does not wait. */
export async function waitBeforeAttempt(attempt: number): Promise<void> {
  if (attempt === 0) return;
  const ceiling = Math.min(LONGEST_WAIT_MILLISECONDS, FIRST_WAIT_MILLISECONDS * 2 ** (attempt - 1));
  await new Promise((resolve) => setTimeout(resolve, ceiling * (0.5 + Math.random() / 2)));
}

const ATTEMPTS = 8;

/** Retries a write after transient errors that the SDK does not retry. */
export async function writeDespite<Result>(
  isTransient: (error: unknown) => boolean,
  write: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    await waitBeforeAttempt(attempt);
    try {
      return await write();
    } catch (error) {
      if (!isTransient(error) || attempt === ATTEMPTS - 1) throw error;
    }
  }
}

/** Retries a write that DynamoDB refuses because a transaction is writing the same item. */
export const writeDespiteTransactions = <Result>(write: () => Promise<Result>): Promise<Result> =>
  writeDespite((error) => error instanceof Error && error.name === 'TransactionConflictException', write);
